import JacquardWire

/// The state of the tag's motion capture.
public struct MotionStatus: Equatable, Sendable {
  /// The numbers are those of `jacquard_motion_activity`.
  public enum Activity: UInt32, CaseIterable, Sendable {
    case idle = 0
    case recording = 1
    case streaming = 2
    /// Recording or streaming, started by a program that stored no note on the tag.
    case capturing = 3
    case transferring = 4
    case erasing = 5
    case failed = 6
  }

  public var activity: Activity
  /// The tag's own number, which names the cause of `failed`.
  public var code: CollectionStatus

  init(_ code: CollectionStatus, mode: CaptureMode?) {
    self.code = code
    activity =
      switch code {
      case .idle: .idle
      case .logging:
        switch mode {
        case .recording: .recording
        case .streaming: .streaming
        case .some(.none), nil: .capturing
        }
      case .transferring: .transferring
      case .erasing: .erasing
      default: .failed
      }
  }
}

/// A note that the host stores on the tag when it starts a capture, because the tag's status does not distinguish
/// recording from streaming. The numbers are those of the reference SDK for iOS; the one for Android stores other
/// values, as text.
enum CaptureMode: Int32 {
  case none = 0
  case recording = 1
  case streaming = 2

  static let key = try? ConfigurationKey(
    vendorID: IMUModule.vendor.rawValue, productID: IMUModule.product.rawValue, key: "current_dc_mode")

  init?(_ value: ConfigurationValue?) {
    switch value {
    case .int32(let number): self.init(rawValue: number)
    case .string("-1"): self = .none
    case .string("0"): self = .streaming
    case .string("1"): self = .recording
    default: return nil
    }
  }
}

extension JacquardError {
  /// The tag's state does not allow the request.
  init(_ status: CollectionStatus) {
    switch status {
    case .logging:
      self.init(.captureInProgress, "The tag is recording or streaming motion.")
    case .transferring, .erasing:
      self.init(.busy, "The tag is \(status) a motion session.", advice: "Wait until the tag has finished.")
    case .lowStorage: self.init(.lowStorage, Code.lowStorage.text)
    case .lowBattery:
      self.init(.lowBattery, "The tag's battery is below 50 %, too low to capture motion.")
    default:
      self.init(.tagStatus, "The tag's motion capture reports \"\(status)\".")
      tagStatus = status.rawValue
    }
  }
}
