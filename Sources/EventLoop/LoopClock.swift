import Glibc

/// The source of a loop's time.
public enum LoopClock: Sendable {
  /// CLOCK_MONOTONIC, which does not advance while the machine is suspended. bluetoothd and the bus are suspended too:
  /// a deadline that included the time of suspend would fail calls whose replies are about to arrive.
  case monotonic
  /// Time that a test controls.
  case virtual(VirtualClock)

  static var monotonicNow: LoopInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return LoopInstant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }
}

/// A point on the loop's clock. Arithmetic saturates instead of trapping.
public struct LoopInstant: InstantProtocol, Hashable, Sendable {
  /// Nanoseconds of CLOCK_MONOTONIC, or since the start of a virtual clock.
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Adds a duration, which may be negative. Saturates instead of overflowing.
  public func advanced(by duration: Duration) -> LoopInstant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.saturatingNanoseconds)
    guard overflow else { return LoopInstant(nanoseconds: sum) }
    return LoopInstant(nanoseconds: duration < .zero ? .min : .max)
  }

  /// The time from this instant to the other one; negative if the other is earlier. Saturates instead of overflowing.
  public func duration(to other: LoopInstant) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    guard overflow else { return .nanoseconds(difference) }
    return .nanoseconds(other < self ? Int64.min : Int64.max)
  }

  public static func < (left: LoopInstant, right: LoopInstant) -> Bool { left.nanoseconds < right.nanoseconds }

  var timespec: timespec {
    // Zero would disarm a timer instead of firing it immediately.
    let positive = Swift.max(nanoseconds, 1)
    return Glibc.timespec(tv_sec: Int(positive / 1_000_000_000), tv_nsec: Int(positive % 1_000_000_000))
  }
}

extension Duration {
  /// The duration in nanoseconds, rounded towards zero; the nearest limit of `Int64` if it does not fit.
  public var saturatingNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    guard !carried else { return seconds < 0 ? .min : .max }
    return sum
  }
}

/// Time for tests, which passes only when a test advances it. Every loop that uses it then runs its timers in order and
/// finishes all work caused by one timer before the next one fires.
public final class VirtualClock: Sendable {
  private struct State {
    var target = LoopInstant(nanoseconds: 0)
    var loops: [WeakLoop] = []
  }

  private struct WeakLoop {
    weak var loop: EventLoop?
  }

  private let state = Locked(State())
  let tick: (@Sendable () -> Duration)?

  /// Time stands still between two advances.
  public init() { tick = nil }

  /// - Parameter tick: how far each read of a loop's `now` advances it, because real time passes between two reads.
  public init(tick: @escaping @Sendable () -> Duration) { self.tick = tick }

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

/// Time since boot, which, unlike CLOCK_MONOTONIC, advances while the machine is suspended. All processes share it.
enum BootTime {
  /// CLOCK_BOOTTIME in nanoseconds.
  static var nanoseconds: Int64 { now(CLOCK_BOOTTIME) }

  /// The total time that the machine has been suspended, accurate to the time between the two clock reads.
  static var suspended: Duration { .nanoseconds(now(CLOCK_BOOTTIME) - now(CLOCK_MONOTONIC)) }

  private static func now(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
