/// One value for each touch line of the gear.
public typealias TouchLines<Element> = InlineArray<12, Element>

/// The lines' readings above what each line reads while it is not touched.
///
/// A line's baseline *b* is the median of its untouched readings *v*: it goes a fixed step towards each of them. Its
/// noise *σ* follows 2.5 max(0, *v* - *b*), whose mean is the standard deviation of normal noise, even if the tag cuts
/// off what is below zero. Both stand still on lines that are touched, and on the two beside them.
struct LineSignals: Sendable {
  /// The strongest reading. A touch may be stronger.
  static let saturation: UInt8 = 128
  /// In counts per sample; 60 samples are a second.
  private static let baselineStep: Float = 1 / 32
  private static let noiseGain: Float = 1 / 128
  /// Until readings without a touch were received, which the tag may not send.
  private static let presumedNoise: Float = 5
  private static let leastNoise: Float = 2
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
    noise[line] += (2.5 * max(0, value) - noise[line]) * Self.noiseGain
    // Readings are whole numbers, so the median is known to half a count.
    if value > 0.5 { baseline[line] += Self.baselineStep }
    if value < -0.5 { baseline[line] = max(0, baseline[line] - Self.baselineStep) }
  }
}
