/// Whether Bluetooth can be used, with the numbers of `jacquard_adapter_state`.
public enum AdapterState: UInt32, CaseIterable, Sendable {
  case unknown = 0
  case resetting = 1
  case unsupported = 2
  case unauthorized = 3
  case poweredOff = 4
  case poweredOn = 5

  /// Lower-case English, such as `powered off`, for logs and messages.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .resetting: "resetting"
    case .unsupported: "unsupported"
    case .unauthorized: "unauthorized"
    case .poweredOff: "powered off"
    case .poweredOn: "powered on"
    }
  }
}

/// The adapter in use, or why there is none.
public struct AdapterStatus: Equatable, Sendable {
  public var state: AdapterState
  /// The Bluetooth address; empty if there is no adapter.
  public var address = ""
  /// The adapter's alias; empty if there is no adapter.
  public var name = ""
  /// Why Bluetooth cannot be used; nil if it can, or if that is not known yet.
  public var error: JacquardError?
}
