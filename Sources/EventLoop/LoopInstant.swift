import Glibc

/// A point on the loop's clock. Arithmetic saturates instead of trapping.
public struct LoopInstant: InstantProtocol, Hashable, Sendable {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public func advanced(by duration: Duration) -> LoopInstant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.saturatingNanoseconds)
    guard overflow else { return LoopInstant(nanoseconds: sum) }
    return LoopInstant(nanoseconds: duration < .zero ? .min : .max)
  }

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
  public var saturatingNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    guard !carried else { return seconds < 0 ? .min : .max }
    return sum
  }
}
