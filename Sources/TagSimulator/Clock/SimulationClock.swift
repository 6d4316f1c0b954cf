import EventLoop

/// The time of the simulated world: the loop's time, possibly scaled. With a virtual clock, a test controls it.
public final class SimulationClock {
  public let loop: EventLoop
  /// The number of simulated seconds per second of the loop.
  public let scale: Double

  private let start: LoopInstant

  public init(_ loop: EventLoop, scale: Double = 1) {
    self.loop = loop
    self.scale = scale
    start = loop.now
  }

  /// Time since the start of the simulation.
  public var now: Duration {
    let elapsed = start.duration(to: loop.now)
    return scale == 1 ? elapsed : elapsed * scale
  }

  /// Runs `work` once, never before this call has returned, even if `delay` is zero.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping () -> Void) -> LoopTimer {
    loop.schedule(after: ofLoop(delay), work)
  }

  public func sleep(for delay: Duration) async throws { try await loop.sleep(ofLoop(delay)) }

  private func ofLoop(_ delay: Duration) -> Duration { scale == 1 ? delay : delay / scale }
}
