/// Where the current touches may be in the next sample: each between its last position and the one that it has if its
/// speed does not change, because it may as well stop.
struct ExpectedPositions: Sendable {
  private var positions = InlineArray<4, ClosedRange<Float>>(repeating: 0...0)
  private(set) var count = 0

  /// After this many seconds.
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
