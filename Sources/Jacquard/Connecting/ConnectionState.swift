/// The steps to a usable tag; each is an observed event.
public enum Step: UInt32, CaseIterable, Comparable, Sendable {
  case adapterReady = 1
  case tagKnown
  case linkUp
  case servicesResolved
  case characteristicsFound
  case firstNotificationsEnabled
  case secondNotificationsEnabled
  case thirdNotificationsEnabled
  case helloWritten
  case helloAnswered
  case beginAnswered
  case deviceInfoAnswered
  case configured
  case connected

  /// Compares the order in which the steps are completed.
  public static func < (left: Step, right: Step) -> Bool { left.rawValue < right.rawValue }

  /// The phase of a connection after the step. BlueZ's `Connect` waits for a known tag that is away, so until the link
  /// is up, the connection is still preparing.
  var phase: Phase {
    switch self {
    case .adapterReady, .tagKnown: .preparing
    case .linkUp, .servicesResolved, .characteristicsFound, .firstNotificationsEnabled,
      .secondNotificationsEnabled:
      .connecting
    case .thirdNotificationsEnabled, .helloWritten, .helloAnswered, .beginAnswered: .initializing
    case .deviceInfoAnswered, .configured: .configuring
    case .connected: .connected
    }
  }
}

/// The phase of a connection, with the numbers of `jacquard_phase`.
public enum Phase: UInt32, CaseIterable, Sendable {
  case disconnected = 0
  case preparing = 1
  case connecting = 2
  case authenticating = 3
  case initializing = 4
  case configuring = 5
  case connected = 6

  /// Lower-case English, such as `connecting`, for logs and messages.
  public var name: String {
    switch self {
    case .disconnected: "disconnected"
    case .preparing: "preparing"
    case .connecting: "connecting"
    case .authenticating: "authenticating"
    case .initializing: "initializing"
    case .configuring: "configuring"
    case .connected: "connected"
    }
  }
}

/// The state of a connection, as reported to subscribers.
public struct ConnectionState {
  /// The number of steps of a complete attempt.
  public static let totalSteps = UInt32(Step.allCases.count)

  public var phase: Phase
  /// The last completed step, 0 to `totalSteps`.
  public var step: UInt32
  /// Number of the current attempt, from 1; starts again at 1 after a lost link.
  public var attempt: UInt32 = 1
  /// Why the last attempt or link ended.
  public var reason: JacquardError?
  /// Why the last link ended; none when connected.
  public var disconnectReason = DisconnectReason.none
  /// The process of the service; 0 if this program has the link itself, or it is not known.
  public var serviceProcess: Int32 = 0
  /// Set only while connected.
  public var tag: Tag?
}
