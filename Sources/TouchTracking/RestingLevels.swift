/// The resting level of each line: its reading while nothing touches it.
///
/// A tag may send its first sample when a finger is already there. A line that does not move in the first second has
/// its reading as its level, or a little later if it looks like a finger. Later a level follows the readings while
/// nothing touches the line. It falls at once to readings that are clearly lower, so that a finger that was there at
/// first leaves nothing behind. A reading becomes the level if it is not a finger's for a while, or has not changed at
/// all for a minute: noise is a change.
struct RestingLevels: Sendable {
  /// In counts per sample: a level is the median of the readings, because it moves one step towards each. Steps are
  /// longer while most readings are on one side.
  private static let step: Float = 1 / 32
  private static let longStep: Float = 1 / 8
  private static let most: Float = 0.5
  private static let memory: Float = 1 / 16
  /// Readings that are lower by this number of standard deviations, and by `leastFall` counts, in `confirmation`
  /// samples in a row are a new level.
  private static let clearly: Float = 4
  private static let leastFall: Float = 8
  private static let confirmation: UInt8 = 2
  private static let confirmed: UInt8 = 4
  /// The length of a block in samples; 60 samples are a second.
  private static let block = 16
  private static let firstSecond: UInt8 = 4
  /// In blocks: longer than a tap, a hold and a cover, because a reading that looks like a finger may be one.
  private static let withFinger: UInt8 = 6
  private static let withoutFinger: UInt8 = 30
  private static let minute: UInt16 = 3600
  /// Means of a quarter of a second differ by no more than this and the mean change from sample to sample while a line
  /// rests.
  private static let leastRest: Float = 2.5
  /// A lower first reading is followed like any change.
  private static let high: Float = 12
  /// How far the lowest reading of a resting line may be below the others: a greater distance shows a finger that comes
  /// and goes.
  private static let scatter: Float = 12

  private(set) var values = TouchLines<Float>(repeating: 0)
  /// For how many samples each line has read the same.
  private(set) var still = TouchLines<UInt16>(repeating: 0)
  /// Lines that read at least two values so far.
  private(set) var haveChanged = TouchLines<Bool>(repeating: false)
  private var last = TouchLines<UInt8>(repeating: 0)
  private var isFirst = true
  /// The mean side of the latest readings, from -1 to 1.
  private var sides = TouchLines<Float>(repeating: 0)
  private var below = TouchLines<UInt8>(repeating: 0)
  private var unexplained = TouchLines<UInt8>(repeating: 0)
  private var sums = TouchLines<Int32>(repeating: 0)
  private var samples = 0
  /// The lowest and the highest mean of the blocks since a line has rested.
  private var lowest = TouchLines<Float>(repeating: 0)
  private var highest = TouchLines<Float>(repeating: 0)
  /// The part of a level that stood on a line for a while. It may be a hand, which is lifted before the next touch.
  private var taken = TouchLines<Float>(repeating: 0)
  /// Sums of the changes from sample to sample: 1.1 standard deviations of the noise each.
  private var jitters = TouchLines<Int32>(repeating: 0)
  private var least = TouchLines<UInt8>(repeating: .max)
  /// The number of blocks for which a line has rested; the maximum: its level is known.
  private var rested = TouchLines<UInt8>(repeating: 0)
  /// The number of samples without a touch of a line whose level is not known yet.
  private var untouched = TouchLines<UInt8>(repeating: 0)
  /// Whether the levels of all lines are known.
  private(set) var areKnown = false

  /// Whether a block of samples has ended.
  var isBlock: Bool { samples == 0 }

  /// - Parameter isTouched: whether the previous readings look like a finger.
  mutating func read(_ readings: TouchLines<UInt8>, isTouched: Bool) {
    for line in readings.indices {
      still[line] = readings[line] == last[line] ? min(still[line] &+ 1, Self.minute) : 0
      if still[line] == 0, !isFirst { haveChanged[line] = true }
    }
    isFirst = false
    if !areKnown { measure(readings) }
    last = readings
    samples += 1
    if samples == Self.block {
      samples = 0
      if !areKnown { learn(after: isTouched ? Self.withFinger : Self.firstSecond) }
      for line in still.indices where still[line] == Self.minute { take(line, Float(readings[line]) - values[line]) }
    }
  }

  private mutating func measure(_ readings: TouchLines<UInt8>) {
    for line in readings.indices {
      sums[line] += Int32(readings[line])
      least[line] = min(least[line], readings[line])
      jitters[line] += Int32(abs(Int16(readings[line]) - Int16(last[line])))
    }
  }

  private mutating func learn(after blocks: UInt8) {
    areKnown = true
    for line in rested.indices where rested[line] < .max {
      let mean = Float(sums[line]) / Float(Self.block)
      if rested[line] == 0 { (lowest[line], highest[line]) = (mean, mean) }
      lowest[line] = min(lowest[line], mean)
      highest[line] = max(highest[line], mean)
      rested[line] += 1
      let jitter = Float(jitters[line]) / Float(Self.block)
      if highest[line] - lowest[line] > Self.leastRest + jitter {
        (lowest[line], highest[line], rested[line]) = (mean, mean, 1)
      }
      // In the first block a finger may be landing.
      if rested[line] == 1 { least[line] = .max }
      if rested[line] < blocks { areKnown = false }
    }
    (sums, jitters) = (TouchLines(repeating: 0), TouchLines(repeating: 0))
    guard areKnown else { return }
    for line in rested.indices where rested[line] < .max {
      rested[line] = .max
      let level = min(lowest[line], Float(least[line]) + Self.scatter)
      if level > Self.high { (values[line], taken[line]) = (level, level) }
    }
  }

  /// The tag was not touched in between, so the part of a level that stood on a line was a hand.
  mutating func restart() {
    samples = 0
    (sums, jitters) = (TouchLines(repeating: 0), TouchLines(repeating: 0))
    for line in values.indices {
      if rested[line] < .max || taken[line] > Self.high {
        (rested[line], untouched[line], least[line]) = (0, 0, .max)
        areKnown = false
      }
      values[line] = max(0, values[line] - max(0, taken[line]))
      taken[line] = 0
    }
  }

  /// Whether the readings are clearly below the level, which falls at once then.
  mutating func falls(_ line: Int, _ signal: Float, noise: Float) -> Bool {
    guard signal < -max(Self.clearly * noise, Self.leastFall) else {
      below[line] = 0
      return false
    }
    below[line] += 1
    guard below[line] >= Self.confirmation else { return true }
    below[line] = 0
    values[line] = max(0, values[line] + signal)
    taken[line] = max(0, taken[line] + signal)
    return true
  }

  mutating func follow(_ line: Int, _ signal: Float) {
    if rested[line] < .max { untouched[line] += 1 }
    if untouched[line] == Self.confirmed { rested[line] = .max }
    // Readings are whole numbers, so the median is known to half a count.
    let side: Float = signal > 0.5 ? 1 : signal < -0.5 ? -1 : 0
    sides[line] += Self.memory * (side - sides[line])
    let isLong = abs(sides[line]) > Self.most
    values[line] = max(0, values[line] + side * (isLong ? Self.longStep : Self.step))
    if isLong { taken[line] += side * (Self.longStep - Self.step) }
  }

  /// A line reads more than its level. `isExplained`: because of a finger.
  mutating func rises(_ line: Int, _ signal: Float, isExplained: Bool) {
    unexplained[line] = isExplained ? 0 : unexplained[line] + 1
    guard unexplained[line] >= Self.withoutFinger else { return }
    unexplained[line] = 0
    take(line, signal)
  }

  private mutating func take(_ line: Int, _ signal: Float) {
    values[line] += signal
    taken[line] += signal
  }
}
