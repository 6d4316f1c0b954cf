/// The rate of the tag's clock.
enum TickRate {
  /// No source states the rate. Recordings at 25 and 200 samples a second fit 32 microseconds within 1 %, and 32,768 Hz
  /// within 6 %.
  static let presumed = 31_250.0

  /// The maximum difference from the presumed rate.
  static let tolerance = 0.1
}

/// Extends the tag's clock beyond its wrap after 38 hours, and detects its restarts.
public struct TickCounter: Sendable {
  /// How a reading of the tag's clock relates to the previous one.
  public enum Step: Hashable, Sendable {
    case first
    case forward
    /// A repeated or older reading.
    case repeated
    /// The clock restarted at 0, and so does `ticks`.
    case restarted
  }

  /// The value of the latest reading that was not repeated.
  public private(set) var ticks: Int64 = 0
  private var raw: UInt32?
  private var arrival: Int64 = 0
  /// Whether nothing was received since the stream began.
  private var isFirstOfStream = false

  private static let wrap = Int64(1) << 32
  /// How much later than its successor a value may arrive, in ticks: bluetoothd may hang for seconds.
  private static let slack = 5 * TickRate.presumed

  public init() {}

  /// The tag starts to stream: only then can its clock have restarted.
  public mutating func streamBegins() { isFirstOfStream = true }

  /// Adds a reading and, for a stream, its arrival time in nanoseconds of a monotonic clock. That clock may stop while
  /// the machine is suspended.
  public mutating func advance(to raw: UInt32, arrival: Int64? = nil) -> Step {
    guard let previous = self.raw else {
      begin(raw, arrival)
      return .first
    }
    let difference = Int64(raw &- previous)
    guard difference != 0 else { return .repeated }
    let step = arrival.map { classify(raw, difference, after: Double($0 - self.arrival) * 1e-9) } ?? guess(difference)
    switch step {
    case .forward(let ticks):
      self.ticks += ticks
      self.raw = raw
      self.arrival = arrival ?? 0
      isFirstOfStream = false
      return .forward
    case .restarted:
      begin(raw, arrival)
      return .restarted
    case .repeated: return .repeated
    }
  }

  private enum Difference {
    case forward(Int64)
    case repeated
    case restarted
  }

  private mutating func begin(_ raw: UInt32, _ arrival: Int64?) {
    ticks = Int64(raw)
    self.raw = raw
    self.arrival = arrival ?? 0
    isFirstOfStream = false
  }

  private func guess(_ difference: Int64) -> Difference {
    difference < Self.wrap / 2 ? .forward(difference) : .restarted
  }

  private func classify(_ raw: UInt32, _ difference: Int64, after seconds: Double) -> Difference {
    let elapsed = max(0, seconds * TickRate.presumed)
    let limit = elapsed * (1 + TickRate.tolerance) + Self.slack
    let wraps = ((elapsed - Double(difference)) / Double(Self.wrap)).rounded()
    let total = difference + Int64(max(0, wraps)) * Self.wrap
    // The delay of the previous value may have been shorter: no lower limit.
    if Double(total) <= limit { return .forward(total) }
    let isLate = Double(Self.wrap - difference) <= Self.slack
    if isLate, !isFirstOfStream { return .repeated }
    if Double(raw) <= limit { return .restarted }
    // More ticks passed than time: the machine was suspended, or its clock was set.
    if difference < Self.wrap / 2 { return .forward(difference) }
    return isLate ? .repeated : .restarted
  }
}
