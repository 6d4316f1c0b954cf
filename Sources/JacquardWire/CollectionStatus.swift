/// The state of the tag's data collection, or the reason why it stopped. Unknown numbers are kept.
public struct CollectionStatus: RawRepresentable, Hashable, Sendable {
  /// The number that the tag sent; it may be unknown to this version.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// No recording, stream, transfer or erasure is running.
  public static let idle = CollectionStatus(.dataCollectionIdle)
  /// Recording or streaming; the status does not say which.
  public static let logging = CollectionStatus(.dataCollectionLogging)
  /// The tag is sending a stored session.
  public static let transferring = CollectionStatus(.dataCollectionXferData)
  /// The tag is erasing one or all sessions.
  public static let erasing = CollectionStatus(.dataCollectionErasingData)
  /// The tag has too little free storage for a recording.
  public static let lowStorage = CollectionStatus(.dataCollectionLowStorage)
  /// The battery is below 50 %, so the tag does not start recording.
  public static let lowBattery = CollectionStatus(.dataCollectionLowBattery)

  /// Any status except the four activities.
  public var isError: Bool { rawValue > Self.erasing.rawValue }

  /// Nil for a number without a known name.
  public var name: String? {
    WireDataCollectionStatus(rawValue: Int(rawValue)).map { Self.names[$0.rawValue] }
  }

  private init(_ status: WireDataCollectionStatus) {
    self.init(rawValue: UInt32(truncatingIfNeeded: status.rawValue))
  }

  /// In the order of WireDataCollectionStatus, which has consecutive numbers from 0.
  private static let names = [
    "idle", "logging", "transferring", "erasing", "error", "invalid state", "low storage", "low battery",
    "IMU config read failed", "IMU config write failed", "IMU callback not set", "IMU did not start",
    "IMU did not stop", "mkdir failed", "chdir failed", "opendir failed", "readdir failed", "getcwd failed",
    "fopen failed", "fwrite failed", "fread failed", "fseek failed", "unlink failed", "free space not readable",
    "bad file format", "message not encodable", "message not decodable", "raw data not sent",
    "gear callback not set", "event not scheduled", "unknown failure",
  ]
}

extension CollectionStatus: CustomStringConvertible {
  /// The name, or the number if it has no known name.
  public var description: String { name ?? "collection status \(rawValue)" }
}
