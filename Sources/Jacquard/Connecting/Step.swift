/// The steps to a usable tag; each is an observed event.
public enum Step: UInt32, CaseIterable, Sendable {
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

  /// The phase of a connection after the step.
  var phase: Phase {
    switch self {
    case .adapterReady: .preparing
    case .tagKnown, .linkUp, .servicesResolved, .characteristicsFound, .firstNotificationsEnabled,
      .secondNotificationsEnabled:
      .connecting
    case .thirdNotificationsEnabled, .helloWritten, .helloAnswered, .beginAnswered: .initializing
    case .deviceInfoAnswered, .configured: .configuring
    case .connected: .connected
    }
  }
}
