/// One value for each touch line of the gear.
public typealias TouchLines<Element> = InlineArray<12, Element>

/// The lines' readings above what each line reads while it is not touched, as if all lines had the same gain.
///
/// A line's noise *σ* follows the upper quartile of its signal, which is 0.674 *σ* for normal noise, even if the tag
/// cuts off negative values: it rises by three steps after each reading above that, and falls by one after the others.
/// Noise and level do not change on lines that are touched, and on the two beside them. A hand that lies on the sleeve
/// raises lines farther away too. Steps and the greatest noise limit that effect: a finger that follows is found.
///
/// A broken line does not change while fingers pass over it, or while the noise changes the others. It is left out, and
/// its reading is interpolated, until it changes.
struct LineSignals: Sendable {
  /// The strongest reading. A touch may be stronger.
  static let saturation: UInt8 = 128
  /// In counts per sample; 60 samples are a second.
  private static let noiseStep: Float = 1 / 64
  private static let upperQuartile: Float = 0.674
  /// The noise until readings without a touch were received; the tag may not send any.
  private static let presumedNoise: Float = 5
  private static let leastNoise: Float = 2
  /// The greatest noise that is learned. With it, a finger of strength 50 still begins a touch.
  private static let mostNoise: Float = 8
  /// A touch begins with this many standard deviations of the noise, and ends below half as many.
  private static let onset: Float = 6
  /// Lines this far from a touched line belong to the touch.
  private static let reach = 2
  static let flankReach: Float = 3
  /// In samples. A line is broken if fingers pass over it and it has not changed for `lively` samples, or for `passed`
  /// if it never has; also if it has not changed for `motionless` samples and most others have within `lively`.
  private static let passed = 4
  private static let unchanged: UInt16 = 3
  private static let motionless = 80
  private static let lively = 16
  /// A line between others reads at most this part of them if it is broken.
  private static let nothing: Float = 0.3
  private static let certainMargin: Float = 1.3
  /// Between two lines that read the same of a finger of the usual width, the line in the middle reads this much more.
  private static let middle: Float = 1.74
  /// A finger reads at least this part of its strength on each of the lines beside it, on average, and usually more.
  private static let flank: Float = 0.18
  private static let likelyFlank: Float = 0.35
  private static let farFlank: Float = 0.08
  /// A touch that exceeds the onset by this factor is not noise.
  private static let certain: Float = 1.2
  private static let certainFlank: Float = 1.5
  /// In samples: a touch begins within this time if it is the reason why the tag sends.
  private static let landing: UInt8 = 12
  /// A line that reads less has no level.
  private static let stuckLevel: UInt8 = 8

  private(set) var values = TouchLines<Float>(repeating: 0)
  private(set) var areSaturated = TouchLines<Bool>(repeating: false)
  /// Lines that do not count.
  private(set) var areLeftOut = TouchLines<Bool>(repeating: false)
  private var areProven = TouchLines<Bool>(repeating: false)
  private var readings = TouchLines<UInt8>(repeating: 0)
  private var spikes = SpikeFilter()
  private var levels = RestingLevels()
  private(set) var gains = LineGains()
  private var noise = TouchLines<Float>(repeating: presumedNoise)
  private var onsets = TouchLines<Float>(repeating: onset * presumedNoise)
  private var areTouched = TouchLines<Bool>(repeating: false)
  private var wereTouched = TouchLines<Bool>(repeating: false)
  /// The number of samples since the tag has begun to send, at most `landing`: it may begin when it is touched.
  private var contact = landing
  /// Whether there was a finger in the last sample.
  private var isTouched = false
  /// The mean noise of all lines, because the estimate for a single line is occasionally too small.
  private(set) var meanNoise = presumedNoise

  /// The reading at which a touch begins on a line. Half of it is enough for the touch to stay.
  func onset(_ line: Int) -> Float { onsets[line] }

  private mutating func findOnsets() {
    let least = spikes.isSpiky ? max(meanNoise, Self.presumedNoise) : meanNoise
    for line in onsets.indices { onsets[line] = Self.onset * max(noise[line], least) }
  }

  func health(_ line: Int) -> LineHealth {
    if areLeftOut[line], readings[line] > Self.stuckLevel { return .stuck }
    if areProven[line] || gains.isDead(line) { return .dead }
    return gains.isWeak(line) ? .weak : .good
  }

  /// Whether a finger can hardly read this on a line, because the lines beside it read too little.
  func isAlone(_ line: Int) -> Bool {
    var (flanks, count, least): (Float, Float, Float) = (0, 0, .infinity)
    for near in stride(from: line - 1, through: line + 1, by: 2) where values.indices.contains(near) {
      if areLeftOut[near] { continue }
      let flank = max(0, values[near])
      flanks += flank
      least = min(least, flank)
      count += 1
    }
    let isUnlikely = spikes.isSpiky || !levels.haveChanged[line] && least < Self.farFlank * values[line]
    return flanks < count * (isUnlikely ? Self.likelyFlank : Self.flank) * values[line]
  }

  /// The lines beside it; at an end, the only one twice.
  private func neighbours(_ line: Int) -> (before: Int, after: Int) {
    (line == 0 ? 1 : line - 1, line == values.count - 1 ? line - 1 : line + 1)
  }

  /// Whether a line reads the same although one beside it has changed: a finger changes both.
  private func isUnmoved(_ line: Int) -> Bool {
    let (before, after) = neighbours(line)
    return levels.still[line] > 0 && min(levels.still[before], levels.still[after]) == 0
  }

  /// Whether a touch that begins on a line may be an error: it is weak or narrow, and was not there in the last sample.
  func isDoubtful(_ line: Int, _ expected: ExpectedPositions) -> Bool {
    let isAlone = isAlone(line)
    if isAlone, spikes.isSpiky { return true }
    if !levels.haveChanged[line], isAlone || isUnmoved(line) { return true }
    let isFlank = expected.nearest(Float(line), within: Self.flankReach) != nil
    let isWeak = levels.areKnown && values[line] < (isFlank ? Self.certainFlank : Self.certain) * onset(line)
    if contact < Self.landing || !isWeak && !isAlone { return false }
    for near in max(0, line - 1)...min(values.count - 1, line + 1) where wereTouched[near] {
      if expected.nearest(Float(near), within: Self.flankReach) == nil { return false }
    }
    return true
  }

  /// Whether a finger beside another one may be noise.
  func isWeak(_ finger: Finger) -> Bool {
    finger.strength < Self.certainFlank * onset(Int(finger.position + 0.5))
  }

  mutating func read(_ received: TouchLines<UInt8>) {
    readings = spikes.filtered(received)
    levels.read(readings, isTouched: isTouched)
    wereTouched = areTouched
    let (resting, still) = (levels.values, levels.still)
    for line in readings.indices {
      areSaturated[line] = readings[line] >= Self.saturation
      values[line] = Float(min(readings[line], Self.saturation)) - resting[line]
      if still[line] == 0 { (areLeftOut[line], areProven[line]) = (false, false) }
    }
    if !gains.areEqual {
      for line in readings.indices { values[line] /= gains.values[line] }
    }
    if levels.isBlock { leaveOutMotionless() }
    leaveOutBroken()
    for line in readings.indices where areLeftOut[line] { values[line] = interpolated(line) }
    if !gains.areEqual { weighWeak() }
    for line in readings.indices { areTouched[line] = values[line] >= onsets[line] * (areTouched[line] ? 0.5 : 1) }
  }

  /// Blends the uncertain reading of a weak line with those of its neighbours.
  private mutating func weighWeak() {
    let unweighted = values
    for line in values.indices where gains.values[line] < 1 {
      let gain = gains.values[line]
      let (before, after) = neighbours(line)
      values[line] = gain * unweighted[line] + (1 - gain) / 2 * (unweighted[before] + unweighted[after])
    }
  }

  private mutating func leaveOutMotionless() {
    let lively = levels.still.indices.count { levels.still[$0] < Self.lively }
    guard 2 * lively > levels.still.count else { return }
    for line in levels.still.indices where levels.still[line] >= Self.motionless { areLeftOut[line] = true }
  }

  private mutating func leaveOutBroken() {
    let still = levels.still
    for line in readings.indices where still[line] > 0 {
      if !levels.haveChanged[line] {
        leaveOutUnchanged(line)
      } else if still[line] >= Self.lively {
        leaveOutPassed(line, margin: 1)
      }
    }
  }

  /// A line that has read the same since the first sample is broken if no finger explains its reading, or if the lines
  /// beside it change. A finger that saturates it also reads much on these.
  private mutating func leaveOutUnchanged(_ line: Int) {
    let still = levels.still[line]
    if values[line] >= onsets[line], isAlone(line) { areLeftOut[line] = true }
    if still >= Self.passed {
      leaveOutPassed(line, margin: 1)
    } else if readings[line] <= Self.stuckLevel, line > 0, line < readings.count - 1 {
      leaveOutPassed(line, margin: Self.certainMargin)
    }
    guard readings[line] > Self.stuckLevel, still >= Self.unchanged else { return }
    let (before, after) = neighbours(line)
    guard max(levels.still[before], levels.still[after]) < Self.unchanged else { return }
    if areSaturated[line], values[before] + values[after] >= 2 * Self.likelyFlank * values[line] { return }
    areLeftOut[line] = true
  }

  /// A line that has not changed is broken if it reads little between lines that read more, by a factor, than those
  /// beyond them.
  private mutating func leaveOutPassed(_ line: Int, margin: Float) {
    let (low, high) = neighbours(line)
    guard !areProven[line], isHalfTouched(low), isHalfTouched(high) else { return }
    let (before, after) = (value(line - 1), value(line + 1))
    let isPassed =
      if line == 0 { after >= onset(line) && after > 1.2 * value(line + 2) } else if line == values.count - 1 {
        before >= onset(line) && before > 1.2 * value(line - 2)
      } else {
        before >= margin * value(line - 2) && after >= margin * value(line + 2)
      }
    let isNothing = value(line) < Self.nothing * max(before, after)
    if isPassed && isNothing { (areLeftOut[line], areProven[line]) = (true, true) }
  }

  private func isHalfTouched(_ line: Int) -> Bool { values[line] * min(gains.values[line], 1) >= onsets[line] / 2 }

  private func value(_ line: Int) -> Float {
    values.indices.contains(line) && !areLeftOut[line] ? values[line] : 0
  }

  private func interpolated(_ line: Int) -> Float {
    let (before, after) = (max(0, value(line - 1)), max(0, value(line + 1)))
    if line == 0 || line == values.count - 1 { return (before + after) / 2 }
    return min(Self.middle * (before * after).squareRoot(), 1.3 * max(before, after))
  }

  mutating func restart() {
    levels.restart()
    contact = 0
  }

  /// The fingers in the sample are known.
  mutating func settle(_ fingers: Fingers) {
    // Each element of an array in another value is read from a copy of the whole array (Swift 6.3).
    let (explained, resting) = (fingers.lines(), levels.values)
    isTouched = fingers.count > 0
    contact = min(contact + 1, Self.landing)
    for line in readings.indices where !areLeftOut[line] {
      let signal = Float(min(readings[line], Self.saturation)) - resting[line]
      if levels.falls(line, signal, noise: meanNoise) { continue }
      if areTouched[line] {
        levels.rises(line, signal, isExplained: explained[line])
      } else if !explained[line] && !isNearTouch(line) {
        levels.follow(line, signal)
        followNoise(line, signal)
      }
    }
    var sum: Float = 0
    for line in noise.indices { sum += noise[line] }
    meanNoise = max(Self.leastNoise, sum / Float(noise.count))
    findOnsets()
  }

  /// Learns from a touch that is alone in this sample, or nil if there is none.
  mutating func learnGains(_ touch: UInt32?, at position: Float) {
    if let touch { gains.follow(touch, at: position, values) } else { gains.end(areLeftOut) }
  }

  private func isNearTouch(_ line: Int) -> Bool {
    for near in max(0, line - Self.reach)...min(areTouched.count - 1, line + Self.reach) where areTouched[near] {
      return true
    }
    return false
  }

  private mutating func followNoise(_ line: Int, _ signal: Float) {
    let step = signal > Self.upperQuartile * noise[line] ? 3 * Self.noiseStep : -Self.noiseStep
    noise[line] = min(max(0, noise[line] + step), Self.mostNoise)
  }
}
