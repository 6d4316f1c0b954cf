/// The time between two samples in ticks, from a regression of the ticks of samples against their numbers.
///
/// Older samples count less, because the sensor's oscillator drifts with its temperature: by 0.01 % within seconds in
/// recordings of real tags. If the number of a sample is uncertain, a new line with the same slope begins.
struct SamplingPeriod {
  /// The memory in samples: 8 s at 200 Hz.
  private static let memory = 1600.0

  private(set) var period: Double
  private var weight = 0.0
  private var meanNumber = 0.0
  private var meanTicks = 0.0
  private var numberSquares = 0.0
  private var products = 0.0
  private var tickSquares = 0.0
  private var freedom = 0.0
  /// The last sample, relative to the beginning of the line.
  private var number = 0.0
  private var ticks = 0.0

  init(guess: Double) { period = guess }

  /// Adds a sample `steps` periods and `ticks` ticks after the previous one.
  mutating func add(steps: Double, ticks step: Double) {
    if weight == 0 { record() }
    number += steps
    ticks += step
    record()
  }

  mutating func beginLine() {
    weight = 0
    number = 0
    ticks = 0
  }

  private mutating func record() {
    let decay = 1 - 1 / Self.memory
    if weight == 0 {
      (weight, meanNumber, meanTicks) = (1, number, ticks)
      return
    }
    weight = weight * decay + 1
    let (fromNumber, fromTicks) = (number - meanNumber, ticks - meanTicks)
    meanNumber += fromNumber / weight
    meanTicks += fromTicks / weight
    numberSquares = numberSquares * decay + fromNumber * (number - meanNumber)
    products = products * decay + fromNumber * (ticks - meanTicks)
    tickSquares = tickSquares * decay + fromTicks * (ticks - meanTicks)
    freedom = freedom * decay + 1
    if numberSquares > 0, products > 0 { period = products / numberSquares }
  }

  /// The irregularity of the ticks of single samples. It is at least half a tick, the error of reading a counter.
  var jitter: Double {
    guard freedom > 2 else { return max(1, period * 0.03) }
    let residual = max(0, tickSquares - period * products)
    return max(0.5, (residual / (freedom - 2)).squareRoot())
  }

  /// The standard deviation of the period, relative to it.
  var relativeDeviation: Double {
    guard numberSquares > 0, freedom > 2 else { return 0.03 }
    let drift = 5e-5
    return jitter / (numberSquares.squareRoot() * period) + drift
  }
}
