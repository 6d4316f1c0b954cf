import EventLoop

/// Why a connection's last link ended, as far as it is known by now.
///
/// BlueZ often tells that a link is down before it tells what brought it down, and before 5.83 it tells no reason at
/// all: what follows closely on a loss without a reason is taken for its cause.
struct LossReport {
  /// bluetoothd that is asked to end takes 0.2 s from its links to itself, power-off 0.1 s, and a lost adapter is
  /// believed after a second (`AdapterMonitor`).
  private static let followsClosely: Duration = .seconds(3)

  /// Less than this is the time between two readings of clocks.
  private static let asleep: Duration = .seconds(1)

  private(set) var reason = DisconnectReason.none
  private var lostAt: LoopInstant?
  private var sleptBefore: Duration = .zero

  /// - Parameter slept: how long the machine has slept so far.
  mutating func linkIsUp(slept: Duration) { self = LossReport(sleptBefore: slept) }

  private init(sleptBefore: Duration) { self.sleptBefore = sleptBefore }

  init() {}

  mutating func lost(_ reason: DisconnectReason, at now: LoopInstant) {
    self.reason = reason
    lostAt = [.unknown, .local].contains(reason) ? now : nil
  }

  /// We have ended it ourselves.
  mutating func dropped() {
    reason = .local
    lostAt = nil
  }

  /// Whether the report has changed.
  mutating func explain(by cause: DisconnectReason, at now: LoopInstant) -> Bool {
    guard let lostAt, lostAt.duration(to: now) <= Self.followsClosely else { return false }
    reason = cause
    self.lostAt = nil
    return true
  }

  /// CLOCK_MONOTONIC stands still while the machine sleeps, so a loss before the sleep is still recent after it.
  mutating func explainBySleep(_ slept: Duration, at now: LoopInstant) {
    guard slept - sleptBefore >= Self.asleep else { return }
    _ = explain(by: .suspend, at: now)
  }
}
