import Glibc

/// The total time that the machine has been suspended since boot, which CLOCK_MONOTONIC excludes.
public enum MachineSleep {
  /// Accurate to the time between the two clock reads.
  public static var total: Duration { now(CLOCK_BOOTTIME) - now(CLOCK_MONOTONIC) }

  private static func now(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
