/// Someone who wears and strokes the sleeve: the habits of one person, drawn from a number.
///
/// All distributions are invented: no real sleeve has been measured. They are wider than a laboratory's, so that a
/// recogniser that works here does not depend on one way to stroke.
public struct Person: Sendable {
  public let number: UInt64

  /// Factor of all durations.
  var pace: Double
  /// The strength of a normal touch, in counts of the line that is touched most.
  var strength: Double
  /// The width of a finger: the distance from its middle, in lines, at which its strength is 61 %.
  var width: Double
  /// A finger is this part wider towards the last line than towards the first one.
  var skew: Double
  /// How steep a finger's edges are: 2 is a bell curve, more is flatter in the middle.
  var roundness: Double
  /// The line around which the person strokes.
  var place: Double
  /// Factor of all distances.
  var reach: Double
  /// Seconds between two taps.
  var gap: Double
  /// The tremor in lines, and in cycles per second: 6 to 12 in a healthy hand (Lakie and others, Journal of Physiology
  /// 593, 2015).
  var tremor: Double
  var tremorRate: Double
  /// The standard deviation of the logarithms of all quantities, from one repetition to the next.
  var unsteadiness: Double

  let garment: Garment

  public init(_ number: UInt64) {
    self.number = number
    var random = RandomNumbers(0x7065_7273_6f6e, number)
    pace = min(max(random.factor(0.2), 0.6), 1.7)
    strength = random.normal(85, 18, 50...125)
    width = random.normal(0.85, 0.13, 0.62...1.2)
    skew = random.normal(0, 0.2, -0.45...0.45)
    roundness = random.number(1.7...2.6)
    place = random.normal(5.5, 0.8, 3.5...7.5)
    reach = random.normal(1, 0.12, 0.7...1.3)
    gap = random.normal(0.15, 0.03, 0.09...0.24)
    tremor = random.number(0.01...0.05)
    tremorRate = random.number(6...12)
    unsteadiness = random.number(0.05...0.13)
    garment = Garment(&random)
  }
}
