import Glibc

/// How long the machine has been suspended since it was started: what CLOCK_MONOTONIC leaves out.
public enum MachineSleep {
  /// Exact to what passes between two readings of a clock.
  public static var total: Duration { now(CLOCK_BOOTTIME) - now(CLOCK_MONOTONIC) }

  private static func now(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
