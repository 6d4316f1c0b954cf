/// The host's time for the tag's ticks: a line below the arrival times, since no value arrives before it was sent.
///
/// Fitted times include the smallest delay of a value, which cannot be known. Until a few values were received they may
/// be late by as much as the delay varies.
public struct TimeFit: Sendable {
  /// The length of a block: half a second. The value with the smallest delay in each block is kept.
  private static let blockTicks = Int64(TickRate.presumed / 2)
  /// The number of blocks: two minutes. The rate of a crystal changes with its temperature by less than 1 ppm within
  /// that time.
  private static let blockLimit = 240
  /// The relative error of the presumed rate, and the minimum error of a measured rate.
  private static let presumedError = 0.005
  private static let leastError = 2e-5
  /// If all values of this period are late, and there are at least this many, the host's clock was set.
  private static let lateSeconds = 3.0
  private static let lateCount = 20
  /// The smallest change of the host's clock that is recognised, in seconds.
  private static let leastJump = 0.05

  private struct Block: Sendable {
    var index: Int64
    var point: LowerHull.Point
  }

  /// Points are in seconds of the presumed rate and of the host, relative to the first value.
  private var origin: (ticks: Int64, arrival: Int64)?
  private var blocks: [Block] = []
  /// The number of values in the blocks.
  private var count = 0.0
  private var slope = 1.0
  private var offset = 0.0
  /// The known bounds of the slope before the first value.
  private var guess = (slope: 1.0, error: TimeFit.presumedError)
  private var delays = MeanDelay()
  /// Consecutive values that were later than usual.
  private var late = (since: 0.0, count: 0)

  public init() {}

  /// The estimated ticks per second of the tag's clock.
  public var ticksPerSecond: Double { TickRate.presumed / slope }

  /// Whether a value was received.
  public var isKnown: Bool { origin != nil }

  /// Adds a value: the ticks of its last sample, and its arrival time in nanoseconds of a monotonic clock.
  public mutating func add(ticks: Int64, arrival: Int64) {
    guard let origin else { return begin(ticks, arrival) }
    let point = LowerHull.Point(
      x: Double(ticks - origin.ticks) / TickRate.presumed, y: Double(arrival - origin.arrival) * 1e-9)
    let delay = point.y - slope * point.x - offset
    if hasJumped(by: delay, at: point.y) { return restart(ticks, arrival) }
    if late.count == 0 { delays.add(delay) }
    count = min(count + 1, 10_000)
    keep(point, delay, in: ticks / Self.blockTicks)
  }

  /// The tag's clock restarted; its rate is still the same.
  public mutating func restart() {
    guess = (slope, max(Self.leastError, min(guess.error, hullError)))
    count = 0
    origin = nil
    blocks = []
    offset = 0
    delays = MeanDelay()
    late = (0, 0)
  }

  /// Nanoseconds of the host's clock; nil before the first value.
  public func time(of ticks: Int64) -> Int64? {
    guard let origin else { return nil }
    let seconds = slope * Double(ticks - origin.ticks) / TickRate.presumed + offset
    // Invalid ticks may be centuries away.
    return origin.arrival &+ Int64((min(max(seconds, -1e9), 1e9) * 1e9).rounded())
  }

  // MARK: - Clock changes

  private mutating func begin(_ ticks: Int64, _ arrival: Int64) {
    origin = (ticks, arrival)
    keep(.init(x: 0, y: 0), 0, in: ticks / Self.blockTicks)
  }

  private mutating func restart(_ ticks: Int64, _ arrival: Int64) {
    restart()
    begin(ticks, arrival)
  }

  private mutating func hasJumped(by delay: Double, at arrival: Double) -> Bool {
    let usual = max(Self.leastJump, 4 * delays.mean)
    // In the first seconds neither the rate nor the smallest delay is known.
    if delay < -(span > 5 ? usual : usual + 1) { return true }
    guard delay > usual else {
      late = (arrival, 0)
      return false
    }
    late.count += 1
    return late.count >= Self.lateCount && arrival - late.since > Self.lateSeconds
  }

  // MARK: - Line

  private var span: Double { (blocks.last?.point.x ?? 0) - (blocks.first?.point.x ?? 0) }

  /// The error of the hull's slope falls with the number of values and with the time that they span.
  private var hullError: Double {
    let delay = max(delays.mean, 0.001)
    return 8 * delay / max(count * span, 1e-3)
  }

  private mutating func keep(_ point: LowerHull.Point, _ delay: Double, in index: Int64) {
    if let last = blocks.last, last.index == index {
      guard point.y - slope * point.x < last.point.y - slope * last.point.x else { return }
      blocks[blocks.count - 1].point = point
      guard delay < 0 else { return }
    } else {
      blocks.append(Block(index: index, point: point))
      if blocks.count > Self.blockLimit { blocks.removeFirst(blocks.count - Self.blockLimit) }
    }
    refit()
  }

  private mutating func refit() {
    let hull = LowerHull(blocks.lazy.map(\.point))
    let mean = blocks.reduce(0) { $0 + $1.point.x } / Double(blocks.count)
    if let found = hull.slope(at: mean) {
      let limits = (1 - TickRate.tolerance)...(1 + TickRate.tolerance)
      let (known, new) = (1 / (guess.error * guess.error), 1 / (hullError * hullError))
      slope = (guess.slope * known + min(max(found, limits.lowerBound), limits.upperBound) * new) / (known + new)
    }
    offset = hull.offset(slope: slope)
  }
}

/// The mean delay in excess of the smallest delay, of about a thousand values.
private struct MeanDelay {
  private(set) var mean = 0.0
  private var count = 0.0

  mutating func add(_ delay: Double) {
    count = min(count + 1, 1000)
    mean += (max(0, delay) - mean) / count
  }
}
