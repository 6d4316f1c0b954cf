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
