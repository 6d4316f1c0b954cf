/// One value for each touch line of the gear.
public typealias TouchLines<Element> = InlineArray<12, Element>

/// The lines' readings above what each line reads while it is not touched.
///
/// A line's baseline *b* is the median of its untouched readings *v*: it goes a fixed step towards each of them. Its
/// noise *σ* follows the upper quartile of *v* - *b*, which is 0.674 *σ* for normal noise, even if the tag cuts off
/// what is below zero: it goes three steps up from each reading above that, and one down from the others. Both stand
/// still on lines that are touched, and on the two beside them.
///
/// A hand that lies on the sleeve raises lines farther away too. Steps and the greatest noise limit what that can do:
/// a following finger is felt.
struct LineSignals: Sendable {
  /// The strongest reading. A touch may be stronger.
  static let saturation: UInt8 = 128
  /// In counts per sample; 60 samples are a second.
  private static let baselineStep: Float = 1 / 32
  private static let noiseStep: Float = 1 / 64
  private static let upperQuartile: Float = 0.674
  /// Until readings without a touch were received, which the tag may not send.
  private static let presumedNoise: Float = 5
  private static let leastNoise: Float = 2
  /// What reads more is touched. A finger of strength 50 begins a touch even so.
  private static let mostNoise: Float = 8
  /// A touch begins with this many standard deviations of the noise, and ends below half as many.
  private static let onset: Float = 6
  /// Lines this far from a touched line belong to the touch.
  private static let reach = 2

  private(set) var values = TouchLines<Float>(repeating: 0)
  private(set) var areSaturated = TouchLines<Bool>(repeating: false)
  private var baseline = TouchLines<Float>(repeating: 0)
  private var noise = TouchLines<Float>(repeating: presumedNoise)
  private var areTouched = TouchLines<Bool>(repeating: false)
  /// The mean noise of all lines, of which one line alone has an unlikely small estimate now and then.
  private(set) var meanNoise = presumedNoise

  /// What a touch needs to begin on a line. Half of it is enough for it to stay.
  func onset(_ line: Int) -> Float { Self.onset * max(noise[line], meanNoise) }

  mutating func read(_ readings: TouchLines<UInt8>) {
    for line in readings.indices {
      areSaturated[line] = readings[line] >= Self.saturation
      values[line] = Float(min(readings[line], Self.saturation)) - baseline[line]
      areTouched[line] = values[line] >= onset(line) * (areTouched[line] ? 0.5 : 1)
    }
    for line in readings.indices where !isNearTouch(line) { follow(line) }
    var sum: Float = 0
    for line in noise.indices { sum += noise[line] }
    meanNoise = max(Self.leastNoise, sum / Float(noise.count))
  }

  private func isNearTouch(_ line: Int) -> Bool {
    for near in max(0, line - Self.reach)...min(areTouched.count - 1, line + Self.reach) where areTouched[near] {
      return true
    }
    return false
  }

  private mutating func follow(_ line: Int) {
    let value = values[line]
    let step = value > Self.upperQuartile * noise[line] ? 3 * Self.noiseStep : -Self.noiseStep
    noise[line] = min(max(0, noise[line] + step), Self.mostNoise)
    // Readings are whole numbers, so the median is known to half a count.
    if value > 0.5 { baseline[line] += Self.baselineStep }
    if value < -0.5 { baseline[line] = max(0, baseline[line] - Self.baselineStep) }
  }
}
