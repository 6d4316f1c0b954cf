import Glibc

/// Where a loop's time comes from.
public enum LoopClock {
  /// CLOCK_MONOTONIC, which stands still while the machine is suspended. So do the Bluetooth daemon and the bus: a
  /// deadline that counted the hours under a closed lid would fail calls whose answers are already on their way.
  case monotonic
  /// Time that a test moves.
  case virtual(VirtualClock)

  static var monotonicNow: LoopInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return LoopInstant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }
}
