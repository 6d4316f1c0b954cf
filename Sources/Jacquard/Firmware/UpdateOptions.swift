import EventLoop

/// How firmware is updated.
public struct UpdateOptions: Sendable {
  /// The numbers are those of `jacquard_update_mode`.
  public enum Mode: UInt32, CaseIterable, Sendable {
    /// Transfers, installs and verifies.
    case install = 0
    /// Only asks the tag what it has.
    case check = 1
    /// Transfers images that need a separate request to be installed, and does not send it.
    case transfer = 2
  }

  public var mode = Mode.install
  /// Installs a version older than the installed one.
  public var allowsDowngrade = false
  /// Overwrites a part of another image.
  public var overwrites = false
  /// Required battery level in percent; less is enough while the tag charges.
  public var leastBattery: UInt32 = 20

  /// The reference SDKs, and tags, refuse less, even while the tag charges.
  public static let lowestBattery: UInt32 = 10

  public init() {}
}

/// The progress of an update.
public struct UpdateProgress: Equatable, Sendable {
  /// The numbers are those of `jacquard_update_phase`.
  public enum Phase: UInt32, CaseIterable, Sendable {
    case checking = 0
    case transferring = 1
    /// The last moment to cancel has passed.
    case executing = 2
    /// The tag restarts.
    case restarting = 3
    /// The link is lost. The update continues on the next one.
    case waiting = 4
  }

  public var phase: Phase
  /// The image's position in the caller's list.
  public var image: Int
  /// Bytes of the current image that the tag has stored.
  public var done: Int
  /// Size of the current image in bytes; 0 while checking.
  public var total: Int
  /// Average of the last seconds; nil if it is not known.
  public var bytesPerSecond: Double?

  /// Time until the current image is transferred, at the present rate; nil if that is not known.
  public var remaining: Duration? {
    bytesPerSecond.map { .seconds(Double(total - done) / $0) }
  }
}

/// The result for one image.
public struct UpdateResult: Equatable, Sendable {
  /// The numbers are those of `jacquard_update_outcome`.
  public enum Outcome: UInt32, CaseIterable, Sendable {
    /// Nothing was changed; `stored` bytes of the image are on the tag.
    case pending = 0
    /// The whole image is on the tag and not installed.
    case transferred = 1
    case installed = 2
    /// The tag had this version before.
    case alreadyInstalled = 3
  }

  public var outcome: Outcome
  /// The version before the update; zeros for a module that was not installed.
  public var before: TagInfo.Version
  /// The version after the update.
  public var after: TagInfo.Version
  /// Bytes of the image that the tag has stored.
  public var stored: Int
  /// BlueZ seems to use the list of services of the previous firmware.
  public var hasStaleServices = false
}
