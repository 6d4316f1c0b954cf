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
