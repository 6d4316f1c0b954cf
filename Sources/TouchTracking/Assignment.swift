/// Pairs of a finger and the touch that it continues, in the order along the sleeve because fingers do not pass each
/// other, with the smallest sum of distances. It is found by dynamic programming, like the alignment of two texts.
struct Assignment: Sendable {
  /// A touch and a finger this close match without a cost: if two fingers become one, it is between them.
  private static let free: Float = 1.25
  /// The largest distance of a finger from where its touch is expected, in lines, and per second since the last sample.
  private static let reach: Float = 2
  private static let fastest: Float = 120
  /// It costs more to end an older touch.
  private static let ageCost: Float = 0.01

  private var touchOfFinger = InlineArray<4, Int>(repeating: -1)
  private var fingerOfTouch = InlineArray<4, Int>(repeating: -1)

  func touch(of finger: Int) -> Int? { touchOfFinger[finger] < 0 ? nil : touchOfFinger[finger] }

  func isContinued(_ touch: Int) -> Bool { fingerOfTouch[touch] >= 0 }

  /// - Parameter ages: the touches' IDs; an older touch has a smaller one.
  static func of(
    _ fingers: Fingers, to expected: ExpectedPositions, ages: InlineArray<4, UInt32>, after elapsed: Float
  ) -> Assignment {
    let unmatched = (reach + fastest * elapsed - free) / 2
    /// The least cost of the first touches and the first fingers.
    var costs = InlineArray<5, InlineArray<5, Float>>(repeating: InlineArray(repeating: 0))
    for finger in 0..<fingers.count { costs[0][finger + 1] = costs[0][finger] + unmatched }
    /// The costs of ending a touch, and of letting a finger continue it.
    var ending = InlineArray<4, Float>(repeating: 0)
    var pairs = InlineArray<4, InlineArray<4, Float>>(repeating: InlineArray(repeating: 0))
    for touch in 0..<expected.count {
      var newer = 0
      for other in 0..<expected.count where ages[other] > ages[touch] { newer += 1 }
      ending[touch] = unmatched + ageCost * Float(newer)
      costs[touch + 1][0] = costs[touch][0] + ending[touch]
      for finger in 0..<fingers.count {
        let distance = expected.distance(fingers[finger].position, to: touch)
        pairs[touch][finger] = max(0, distance - free)
        costs[touch + 1][finger + 1] = min(
          costs[touch][finger] + pairs[touch][finger], costs[touch][finger + 1] + ending[touch],
          costs[touch + 1][finger] + unmatched)
      }
    }
    var assignment = Assignment()
    var (touch, finger) = (expected.count, fingers.count)
    while touch > 0, finger > 0 {
      let least = costs[touch][finger]
      if least == costs[touch - 1][finger - 1] + pairs[touch - 1][finger - 1] {
        touch -= 1
        finger -= 1
        assignment.touchOfFinger[finger] = touch
        assignment.fingerOfTouch[touch] = finger
      } else if least == costs[touch - 1][finger] + ending[touch - 1] {
        touch -= 1
      } else {
        finger -= 1
      }
    }
    return assignment
  }
}

/// Where the current touches may be in the next sample: each between its last position and the one that its speed
/// predicts, because it may also stop.
struct ExpectedPositions: Sendable {
  private var positions = InlineArray<4, ClosedRange<Float>>(repeating: 0...0)
  private(set) var count = 0

  /// Adds a touch after `elapsed` seconds.
  mutating func append(_ position: Float, speed: Float, after elapsed: Float) {
    let next = min(max(position + speed * elapsed, 0), 11)
    positions[count] = min(position, next)...max(position, next)
    count += 1
  }

  func distance(_ position: Float, to touch: Int) -> Float {
    max(0, positions[touch].lowerBound - position, position - positions[touch].upperBound)
  }

  func nearest(_ position: Float, within reach: Float) -> Int? {
    var (nearest, least): (Int?, Float) = (nil, reach)
    for touch in 0..<count where distance(position, to: touch) <= least {
      (nearest, least) = (touch, distance(position, to: touch))
    }
    return nearest
  }
}
