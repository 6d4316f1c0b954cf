/// Samples that the tag measured but that were not received.
public struct Gap: Hashable, Sendable {
  /// The most likely number of missing samples.
  public var missing: Int
  /// The maximum error of the number: 0 if it is exact.
  public var uncertainty: Int
  /// The ticks of the last sample before the gap and of the first after it.
  public var ticks: ClosedRange<Int64>

  public init(missing: Int, uncertainty: Int, ticks: ClosedRange<Int64>) {
    self.missing = missing
    self.uncertainty = uncertainty
    self.ticks = ticks
  }
}

/// Finds missing samples by their ticks alone: the tag does not number samples, and its true sampling rate differs from
/// the configured one by several percent.
public struct GapDetector: Sendable {
  /// Gaps cannot be recognised until the median difference of this many samples is known. Gaps among these samples are
  /// reported then.
  private static let bootstrapCount = 9
  /// The fraction of a sample's deviation by which the line follows it.
  private static let gain = 0.25
  /// Uncertainties cover this number of standard deviations.
  private static let coverage = 3.5
  /// If this number of consecutive samples does not fit a multiple of the period, the rate has changed.
  private static let misfitLimit = 8

  private var bootstrap: [(ticks: Int64, beginsLine: Bool)] = []
  /// The next sample is not a whole number of periods after the last one.
  private var lineHasEnded = false
  private var fit: SamplingPeriod?
  /// The ticks of the last sample, and its position on the line.
  private var last: Int64 = 0
  private var expected = 0.0
  private var misfits = 0

  public init() {}

  /// The sampling period in ticks; nil before a few samples were received.
  public var period: Double? { fit?.period }

  /// Adds the next sample, in increasing ticks, and returns the gaps that it reveals.
  public mutating func add(_ ticks: Int64) -> [Gap] {
    let beginsLine = lineHasEnded
    lineHasEnded = false
    guard fit != nil else {
      bootstrap.append((ticks, beginsLine))
      guard bootstrap.count == Self.bootstrapCount else { return [] }
      let known = bootstrap
      bootstrap = []
      let steps = zip(known.dropFirst(), known).map { $0.ticks - $1.ticks }.sorted()
      begin(known[0].ticks, period: Double(max(1, steps[steps.count / 2])))
      return known.dropFirst().compactMap { follow($0.ticks, beginsLine: $0.beginsLine) }
    }
    return follow(ticks, beginsLine: beginsLine).map { [$0] } ?? []
  }

  /// The stream begins again, with the same rate, and with a gap of any length.
  public mutating func lineEnds() { lineHasEnded = true }

  /// The tag's clock restarted, or its sensor was configured: a lower rate looks like lost samples.
  public mutating func restart() {
    bootstrap = []
    lineHasEnded = false
    fit = nil
    misfits = 0
  }

  private mutating func begin(_ ticks: Int64, period: Double) {
    fit = SamplingPeriod(guess: period)
    (last, expected, misfits) = (ticks, 0, 0)
  }

  private mutating func follow(_ ticks: Int64, beginsLine: Bool) -> Gap? {
    guard var fit else { return nil }
    defer { last = ticks }
    let step = Double(ticks - last)
    /// `expected` is relative to the last sample.
    let periods = (step - expected) / fit.period
    let steps = max(1, periods.rounded())
    let deviation = Self.coverage * deviation(periods, fit)
    let misfit = abs(periods - steps)
    // Between two lines the tag would have measured a number of samples that is not whole.
    let uncertainty = Int(deviation + misfit) + (beginsLine ? 1 : 0)

    if !beginsLine { misfits = misfit > 0.35 && deviation < 0.5 ? misfits + 1 : 0 }
    if misfits == Self.misfitLimit {
      restart()
      bootstrap = [(ticks, false)]
      return nil
    }

    if uncertainty == 0, misfit <= 0.5 {
      fit.add(steps: steps, ticks: step)
      expected = (1 - Self.gain) * (expected + steps * fit.period - step)
    } else {
      fit.beginLine()
      expected = 0
    }
    self.fit = fit
    guard steps > 1 else { return nil }
    return Gap(missing: Int(steps) - 1, uncertainty: uncertainty, ticks: last...ticks)
  }

  private func deviation(_ periods: Double, _ fit: SamplingPeriod) -> Double {
    let slope = periods * fit.relativeDeviation
    let ends = fit.jitter / fit.period
    return (slope * slope + 1.5 * ends * ends).squareRoot()
  }
}
