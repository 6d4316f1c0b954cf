/// Time for tests: it stands still until it is advanced. Then every loop that uses it runs its timers in order,
/// finishing all work caused by one timer before the next one fires.
public final class VirtualClock: Sendable {
  private struct State {
    var target = LoopInstant(nanoseconds: 0)
    var loops: [WeakLoop] = []
  }

  private struct WeakLoop {
    weak var loop: EventLoop?
  }

  private let state = Locked(State())

  public init() {}

  /// The instant up to which time has been advanced; a loop that has not reached it yet reports an earlier `now`.
  public var now: LoopInstant { state.withLock { $0.target } }

  /// Returns when every due timer has fired, unless a loop is already being dispatched by this thread or another; that
  /// dispatch then fires them.
  public func advance(by duration: Duration) {
    let loops = state.withLock { state in
      state.target = state.target.advanced(by: max(duration, .zero))
      state.loops.removeAll { $0.loop == nil }
      return state.loops.compactMap(\.loop)
    }
    for loop in loops { loop.follow(self) }
  }

  /// Moves every loop to `instant` without running any: timers that are due fire, perhaps late, when their loop is
  /// dispatched. For simulations that choose the order in which loops run.
  public func jump(to instant: LoopInstant) {
    let loops = state.withLock { state in
      state.target = max(state.target, instant)
      state.loops.removeAll { $0.loop == nil }
      return state.loops.compactMap(\.loop)
    }
    for loop in loops { loop.jump(to: instant) }
  }

  func attach(_ loop: EventLoop) -> LoopInstant {
    state.withLock { state in
      state.loops.append(WeakLoop(loop: loop))
      return state.target
    }
  }
}
