/// How much wider fingers are on one side. This is a habit of the hand, so it is learned from all single fingers.
///
/// A finger with the widths *w* e^*k* towards the last line, and *w* e^-*k* towards the first one, leaves readings that
/// a symmetric one does not explain. Least squares over the last seconds yield *k*, and its standard deviation. The fit
/// is beside the place where such a finger presses most, always on its wider side.
struct FingerSkew: Sendable {
  /// How far the fit is off, in widths and per *k*.
  private static let shift: Float = 1.15
  /// A skew below `least` may be due to the lines; one above `sure` is corrected completely.
  private static let least: Float = 0.1
  private static let sure: Float = 0.2
  private static let most: Float = 0.6
  private static let deviations: Float = 3
  /// The weight of a sample decreases by this part with each later one: in four seconds, to a third.
  private static let oblivion: Float = 1 / 80
  /// It learns from one of this number of samples.
  private static let period = 3
  /// In lines: at this distance from the ends, both sides of a finger are on lines.
  private static let margin: Float = 2
  private static let widest: Float = 1.75

  /// Sums for least squares, weighted by the noise: the residuals times the pattern that skew leaves, and that pattern
  /// times itself.
  private var product: Float = 0
  private var square: Float = 0
  private var samples = 0
  /// The correction of positions, in widths.
  private var offset: Float = 0

  /// Learns from fingers that are fitted, and corrects them.
  mutating func correct(_ fingers: inout Fingers, _ signals: LineSignals) {
    samples = (samples + 1) % Self.period
    if samples == 0, fingers.count == 1 { learn(fingers[0], signals) }
    guard offset != 0 else { return }
    for index in 0..<fingers.count where fingers[index].width <= Self.widest {
      fingers[index].position = min(max(fingers[index].position - offset * fingers[index].width, 0), 11)
    }
  }

  private mutating func learn(_ finger: Finger, _ signals: LineSignals) {
    guard finger.width <= Self.widest, Self.margin...11 - Self.margin ~= finger.position else { return }
    let (profile, values) = (finger.profile(), signals.values)
    var (left, odd): (Float, Float) = (0, 0)
    var (xx, xs, ss): (Float, Float, Float) = (0, 0, 0)
    for line in finger.reach {
      if signals.areSaturated[line] || signals.areLeftOut[line] { return }
      let distance = (Float(line) - finger.position) / finger.width
      let x = profile[line] * distance
      let skew = x * abs(distance)
      let residual = values[line] - finger.strength * profile[line]
      xx += x * x
      xs += x * skew
      ss += skew * skew
      left += skew * residual
      odd += x * residual
    }
    // Another position explains some of it.
    guard xx > 0.01, ss * xx > xs * xs else { return }
    let weight = finger.strength / (signals.meanNoise * signals.meanNoise)
    product += weight * (left - odd * xs / xx) - Self.oblivion * product
    square += weight * finger.strength * (ss - xs * xs / xx) - Self.oblivion * square
    let skew = product / square
    let certain = abs(skew) - Self.deviations / square.squareRoot()
    let part = min(max((certain - Self.least) / (Self.sure - Self.least), 0), 1)
    offset = Self.shift * part * min(max(skew, -Self.most), Self.most)
  }
}
