/// The speed of a touch: the slope of a straight line through its last positions, by least squares over their times.
/// Lost samples do not matter, and the delays with which samples arrive cancel out.
struct SpeedLine: Sendable {
  private static let capacity = 8
  /// Older positions are forgotten, in nanoseconds: they belong to an earlier movement.
  private static let memory: Int64 = 200_000_000
  /// Positions within this time, in seconds, have no slope: they arrived at once.
  private static let leastSpan: Float = 0.005
  /// In lines per second.
  static let fastest: Float = 10_000

  private var times = InlineArray<8, Int64>(repeating: 0)
  private var positions = InlineArray<8, Float>(repeating: 0)
  private var next = 0
  private var count = 0
  /// In lines per second.
  private(set) var speed: Float = 0

  mutating func add(_ position: Float, at time: Int64) {
    times[next] = time
    positions[next] = position
    next = (next + 1) % Self.capacity
    count = min(count + 1, Self.capacity)
    speed = slope(at: time) ?? speed
  }

  private func slope(at time: Int64) -> Float? {
    var (number, earliest): (Float, Float) = (0, 0)
    var (sumTime, sumPosition, square, product): (Float, Float, Float, Float) = (0, 0, 0, 0)
    for index in 0..<count {
      let age = time - times[index]
      if age > Self.memory { continue }
      let before = -Float(age) * 1e-9
      number += 1
      earliest = min(earliest, before)
      sumTime += before
      sumPosition += positions[index]
      square += before * before
      product += before * positions[index]
    }
    if number == 1 { return 0 }
    guard earliest <= -Self.leastSpan else { return nil }
    return (number * product - sumTime * sumPosition) / (number * square - sumTime * sumTime)
  }
}
