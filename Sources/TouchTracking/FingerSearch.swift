/// Finds the fingers in the signals of one sample.
///
/// 1. Sharpening, 2*s* - (*s* of the line before + *s* of the line after) / 2, makes valleys between fingers deeper.
/// 2. Each maximum of it that is also strong enough in the signals is a candidate. Of two candidates without a deep
///    valley between them, the higher one is left.
/// 3. The centroid and the deviation of the lines up to the valleys are the first guess for `FingerFit`.
/// 4. Two fingers whose sum has no clear valley are one, which is fitted again.
///
/// Half the strength is enough where a touch is expected, and a shallower valley between two expected touches, so noise
/// does not end a touch that it could not have begun.
struct FingerSearch {
  /// Two fingers that are closer are one.
  private static let leastDistance: Float = 2.3
  /// Two equal fingers have a valley between them if their distance is at least the sum of their widths.
  private static let leastSeparation: Float = 1.25
  /// A wider contact is a palm, whose noise must not look like two fingers.
  private static let widestFinger: Float = 1.75
  private static let leastPalmSeparation: Float = 2
  private static let deepestValley: Float = 0.5
  /// The relief and the valley that are enough for expected touches.
  private static let expectedRelief: Float = 0.85
  private static let expectedValley: Float = 0.8
  /// How far from its expected position a touch may be, in lines.
  private static let expectedReach: Float = 1.5

  private struct Candidate {
    var line: Int
    /// The number of the expected touch near it.
    var expected: Int?
    /// The valley between it and the candidate before.
    var valley = 0
  }

  private let signals: LineSignals
  private let expected: ExpectedPositions
  private let sharp: TouchLines<Float>
  private var candidates = InlineArray<6, Candidate>(repeating: Candidate(line: 0))
  private var count = 0

  static func fingers(in signals: LineSignals, expected: ExpectedPositions) -> Fingers {
    var search = FingerSearch(signals, expected)
    search.findCandidates()
    var fingers = search.guesses()
    FingerFit.improve(&fingers, signals)
    search.joinClose(&fingers)
    search.dropWeak(&fingers)
    return fingers
  }

  private init(_ signals: LineSignals, _ expected: ExpectedPositions) {
    self.signals = signals
    self.expected = expected
    let values = signals.values
    sharp = TouchLines { line in
      2 * values[line] - (values[max(line - 1, 0)] + values[min(line + 1, values.count - 1)]) / 2
    }
  }

  private mutating func findCandidates() {
    for line in sharp.indices {
      let isMaximum =
        (line == 0 || sharp[line] > sharp[line - 1]) && (line == sharp.count - 1 || sharp[line] >= sharp[line + 1])
      guard isMaximum else { continue }
      // The finger may be half a line away.
      let near = expected.nearest(Float(line), within: Self.expectedReach + 0.5)
      let least = signals.onset(line) * (near == nil ? 1 : 0.5)
      guard min(signals.values[line], sharp[line]) >= least else { continue }
      if near == nil, signals.isDoubtful(line, expected) { continue }
      add(Candidate(line: line, expected: near))
    }
  }

  private mutating func add(_ candidate: Candidate) {
    var candidate = candidate
    guard count > 0 else {
      candidates[0] = candidate
      count = 1
      return
    }
    let last = candidates[count - 1]
    candidate.valley = valley(last.line, candidate.line)
    let areExpected = last.expected != nil && candidate.expected != nil && last.expected != candidate.expected
    let deepest = areExpected ? Self.expectedValley : Self.deepestValley
    if sharp[candidate.valley] <= deepest * min(sharp[last.line], sharp[candidate.line]) {
      guard count < candidates.count else { return }
      candidates[count] = candidate
      count += 1
    } else if sharp[candidate.line] > sharp[last.line] {
      candidate.valley = last.valley
      candidates[count - 1] = candidate
    }
  }

  private func valley(_ first: Int, _ last: Int) -> Int {
    var lowest = first
    for line in first...last where sharp[line] < sharp[lowest] { lowest = line }
    return lowest
  }

  private func guesses() -> Fingers {
    var fingers = Fingers()
    for index in 0..<count {
      let first = index == 0 ? 0 : candidates[index].valley
      let last = index == count - 1 ? sharp.count - 1 : candidates[index + 1].valley
      fingers.append(guess(candidates[index].line, first...last))
    }
    return fingers
  }

  /// The first guess, from the lines around a maximum that are more than noise.
  private func guess(_ line: Int, _ limits: ClosedRange<Int>) -> Finger {
    let values = signals.values
    let least = max(2 * signals.meanNoise, values[line] / 8)
    var (first, last) = (line, line)
    while first > limits.lowerBound, values[first - 1] > least { first -= 1 }
    while last < limits.upperBound, values[last + 1] > least { last += 1 }
    var (sum, moment): (Float, Float) = (0, 0)
    for near in first...last {
      sum += values[near]
      moment += values[near] * Float(near)
    }
    let centre = moment / sum
    var spread: Float = 0
    for near in first...last { spread += values[near] * (Float(near) - centre) * (Float(near) - centre) }
    let width = min(max((spread / sum).squareRoot(), 0.7), FingerFit.widths.upperBound)
    return Finger(
      position: centre, width: width, strength: values[line], first: limits.lowerBound, last: limits.upperBound)
  }

  private func joinClose(_ fingers: inout Fingers) {
    var index = 1
    while index < fingers.count {
      let (first, second) = (fingers[index - 1], fingers[index])
      let nearFirst = expected.nearest(first.position, within: Self.expectedReach)
      let nearSecond = expected.nearest(second.position, within: Self.expectedReach)
      let areExpected = nearFirst != nil && nearSecond != nil && nearFirst != nearSecond
      let isPalm = max(first.width, second.width) > Self.widestFinger
      let separation = isPalm ? Self.leastPalmSeparation : Self.leastSeparation
      let least = max(Self.leastDistance, separation * (first.width + second.width))
      let distance = second.position - first.position
      let isFlank =
        !areExpected && (nearFirst != nil || nearSecond != nil) && distance < LineSignals.flankReach
        && signals.isWeak(first.strength < second.strength ? first : second)
      if !isFlank, distance >= least * (areExpected ? Self.expectedRelief : 1) {
        index += 1
        continue
      }
      fingers[index - 1] = joined(first, second)
      fingers.remove(at: index)
      FingerFit.improve(&fingers, signals)
      index = 1
    }
  }

  private func joined(_ first: Finger, _ second: Finger) -> Finger {
    let sum = max(first.strength + second.strength, 1)
    let position = (first.strength * first.position + second.strength * second.position) / sum
    let width = (first.width + second.width + abs(second.position - first.position)) / 2
    return Finger(
      position: position, width: min(width, FingerFit.widths.upperBound),
      strength: max(first.strength, second.strength), first: first.first, last: second.last)
  }

  /// Only the strongest of the fingers near an expected touch may continue it.
  private func dropWeak(_ fingers: inout Fingers) {
    for index in (0..<fingers.count).reversed() {
      let finger = fingers[index]
      let onset = signals.onset(Int(finger.position + 0.5))
      if finger.strength >= onset { continue }
      let touch = expected.nearest(finger.position, within: Self.expectedReach)
      var continues = touch != nil
      for other in 0..<fingers.count
      where fingers[other].strength > finger.strength
        && expected.nearest(fingers[other].position, within: Self.expectedReach) == touch
      {
        continues = false
      }
      if !continues || finger.strength < onset / 2 { fingers.remove(at: index) }
    }
  }
}
