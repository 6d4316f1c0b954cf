/// How much each line reads of the same finger, compared with the others. It is learned from strokes: when a single
/// finger passes over lines, the largest reading of each one is its gain times the finger's strength.
struct LineGains: Sendable {
  /// A gain that differs less from 1 is 1: its estimate is not better.
  private static let tolerance: Float = 0.15
  private static let range: ClosedRange<Float> = 0.05...2.5
  /// In lines: a stroke is at least this long, and the lines at its ends do not count, where the finger lands and
  /// lifts, except for the first and the last one, over which no finger passes.
  private static let leastLength = 3
  private static let margin: Float = 0.5
  /// The weight of one stroke once several were seen. A gain is known after `fewest` strokes.
  private static let weight: Float = 0.2
  private static let fewest: Float = 4
  private static let weak: Float = 0.5
  private static let dead: Float = 0.12

  private var gains = TouchLines<Float>(repeating: 1)
  private var strokes = TouchLines<Float>(repeating: 0)
  /// The divisors of readings: the gains, or 1 where the gain is close to it.
  private(set) var values = TouchLines<Float>(repeating: 1)
  private(set) var areEqual = true
  /// The largest signal of each line during the current stroke.
  private var largest = TouchLines<Float>(repeating: 0)
  private var touch: UInt32 = 0
  private var low: Float = 0
  private var high: Float = 0

  func isWeak(_ line: Int) -> Bool { strokes[line] >= Self.fewest && gains[line] < Self.weak }
  func isDead(_ line: Int) -> Bool { strokes[line] >= Self.fewest && gains[line] < Self.dead }

  /// A touch is alone in this sample.
  mutating func follow(_ touch: UInt32, at position: Float, _ signals: TouchLines<Float>) {
    if touch != self.touch {
      (self.touch, low, high) = (touch, position, position)
      largest = TouchLines(repeating: 0)
    }
    low = min(low, position)
    high = max(high, position)
    let line = Int(position + 0.5)
    for near in max(0, line - 1)...min(largest.count - 1, line + 1) {
      largest[near] = max(largest[near], signals[near] * values[near])
    }
  }

  /// The single touch has ended, or another one is there too.
  mutating func end(_ isLeftOut: TouchLines<Bool>) {
    guard touch != 0 else { return }
    touch = 0
    let most = Float(gains.count - 1)
    let first = low < Self.margin ? 0 : Int((low + Self.margin).rounded(.up))
    let last = Int(high > most - Self.margin ? most : high - Self.margin)
    guard last - first + 1 >= Self.leastLength else { return }
    var (product, square): (Float, Float) = (0, 0)
    for line in first...last where !isLeftOut[line] {
      product += largest[line] * gains[line]
      square += gains[line] * gains[line]
    }
    guard product > 0 else { return }
    let strength = product / square
    for line in first...last where !isLeftOut[line] {
      strokes[line] += 1
      let gain = min(max(largest[line] / strength, Self.range.lowerBound), Self.range.upperBound)
      gains[line] += max(1 / strokes[line], Self.weight) * (gain - gains[line])
      values[line] = abs(gains[line] - 1) < Self.tolerance ? 1 : max(gains[line], Self.dead)
      if values[line] != 1 { areEqual = false }
    }
  }
}
