import EventLoop

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
