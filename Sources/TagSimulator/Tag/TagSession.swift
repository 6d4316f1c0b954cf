/// The tag's state during one link.
struct TagSession {
  /// The progress of the set-up.
  enum Phase: Int, Comparable {
    case fresh, greeted, begun, ready

    static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
  }

  /// A request without a response yet.
  struct Pending {
    var id: UInt32
    var kind: RequestKind
    var since: Duration
  }

  var number: Int
  var capacity: Int
  var isEncrypted: Bool
  var lastUse: Duration
  var notifying: Set<TagCharacteristic> = []
  var phase = Phase.fresh
  /// Battery and gear have been reported.
  var isWelcomed = false
  var pending: Pending?
  var commandJoiner = FragmentJoiner()
  var rawJoiner = FragmentJoiner()
}

/// A record of the tag's input and actions, for tests and for `stats`.
public struct TagJournal: Sendable {
  public var links = 0
  public var requests = 0
  public var responses = 0
  public var notifications = 0
  /// Packets without a subscriber.
  public var unheard = 0
  /// Notifications that the full queue dropped.
  public var overflowed = 0
  public var reboots = 0
  /// Acknowledged packets on the raw data channel.
  public var acknowledged = 0
  public var resent = 0
  /// IDs of the requests in the order of arrival.
  public var requestIDs: [UInt32] = []
  public var kinds: [RequestKind] = []
  public var lights: [PlayedLight] = []
  public var haptics: [PlayedHaptic] = []
  public var rawPackets: [[UInt8]] = []
  public var installed: [[UInt8]] = []
  /// Offsets of the stored blocks of firmware images.
  public var blocks: [Int] = []
  /// Accepted requests to execute an update.
  public var executions = 0

  public struct PlayedLight: Equatable, Sendable {
    public var component: UInt32
    public var pattern: UInt32
    public var durationMilliseconds: UInt32
    public var intensity: UInt32
    public var toggles: Bool
    public var isResumable: Bool
    public var frames: [Frame]
    public var halt: Bool
    /// The same pattern was sent again with the toggle flag, and stopped it.
    public var stopped: Bool

    public struct Frame: Equatable, Sendable {
      public var red: UInt32
      public var green: UInt32
      public var blue: UInt32
      public var milliseconds: UInt32
    }
  }

  public struct PlayedHaptic: Equatable, Sendable {
    public var onMilliseconds: UInt32
    public var offMilliseconds: UInt32
    public var pattern: UInt32
    public var amplitude: UInt32
    public var repeats: UInt32
  }
}
