import EventLoop

/// The reason why a link ended, with the numbers of `jacquard_disconnect_reason`.
public enum DisconnectReason: UInt32, CaseIterable, Sendable {
  case none = 0
  case unknown = 1
  case timeout = 2
  case local = 3
  case remote = 4
  case authentication = 5
  case suspend = 6
  case poweredOff = 7
  case serviceGone = 8

  /// The reason with this name in `Device1.Disconnected` (BlueZ 5.83 and later).
  init(bluez name: String) {
    switch name {
    case "org.bluez.Reason.Timeout": self = .timeout
    case "org.bluez.Reason.Local": self = .local
    case "org.bluez.Reason.Remote": self = .remote
    case "org.bluez.Reason.Authentication": self = .authentication
    case "org.bluez.Reason.Suspend": self = .suspend
    default: self = .unknown
    }
  }

  /// Appended to "The link to the tag was lost"; empty if the reason is unknown.
  var explanation: String {
    switch self {
    case .none, .unknown: ""
    case .timeout: ": it is out of range or out of power"
    case .local: ": this machine dropped it"
    case .remote: ": the tag dropped it"
    case .authentication: ": authentication failed"
    case .suspend: ": the machine was suspended"
    case .poweredOff: ": Bluetooth was powered off"
    case .serviceGone: ": the Bluetooth service stopped or the adapter was removed"
    }
  }
}

/// Why a connection's last link ended, as far as known.
///
/// BlueZ often reports that a link is down before it reports the reason, and before 5.83 it reports no reason at all.
/// Therefore an event that closely follows a loss without a reason is taken as its cause.
struct LossReport {
  private(set) var reason = DisconnectReason.none
  private var lostAt: LoopInstant?
  private var sleptBefore: Duration = .zero

  /// - Parameter slept: the total time for which the machine has been suspended.
  mutating func linkIsUp(slept: Duration) { self = LossReport(sleptBefore: slept) }

  private init(sleptBefore: Duration) { self.sleptBefore = sleptBefore }

  init() {}

  mutating func lost(_ reason: DisconnectReason, at now: LoopInstant) {
    self.reason = reason
    lostAt = [.unknown, .local].contains(reason) ? now : nil
  }

  /// The library dropped the link itself.
  mutating func dropped() {
    reason = .local
    lostAt = nil
  }

  /// Returns whether the report has changed.
  mutating func explain(by cause: DisconnectReason, at now: LoopInstant) -> Bool {
    guard let lostAt, lostAt.duration(to: now) <= Deadlines.lossExplained else { return false }
    reason = cause
    self.lostAt = nil
    return true
  }

  /// CLOCK_MONOTONIC does not advance during suspend, so a loss before the suspend is still recent after it.
  mutating func explainBySleep(_ slept: Duration, at now: LoopInstant) {
    guard slept - sleptBefore >= Deadlines.shortestSleep else { return }
    _ = explain(by: .suspend, at: now)
  }
}
