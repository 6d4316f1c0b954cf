import EventLoop

/// The time of the simulated world: its loop's, possibly faster. On a virtual loop it moves only when a test moves it.
public final class SimulationClock {
  public let loop: EventLoop
  /// How many seconds pass in the simulated world during one of the loop's.
  public let scale: Double

  private let start: LoopInstant

  public init(_ loop: EventLoop, scale: Double = 1) {
    self.loop = loop
    self.scale = scale
    start = loop.now
  }

  /// Time since the world began.
  public var now: Duration {
    let elapsed = start.duration(to: loop.now)
    return scale == 1 ? elapsed : elapsed * scale
  }

  /// Runs `work` once, never before this call has returned, even when `delay` is zero.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping () -> Void) -> LoopTimer {
    loop.schedule(after: scale == 1 ? delay : delay / scale, work)
  }
}
