import Glibc

/// The effect of one finger on the lines: line *i* reads *A* exp(-(*i* - *x*)² / 2*w*²) more.
struct Finger: Sendable {
  /// The position *x* in lines: 0 is the first line, 11 the last one.
  var position: Float
  /// The standard deviation *w* in lines.
  var width: Float
  /// The reading *A* of a line at the position, which may exceed what a line can report.
  var strength: Float
  /// The first and the last line that belong to it, up to the valleys between it and other fingers.
  var first: Int
  var last: Int

  /// The lines on which it reads more than a thousandth of its strength.
  var reach: ClosedRange<Int> {
    let distance = 3.75 * width
    return Int(max(0, position - distance + 1))...Int(min(11, position + distance))
  }

  static let none = Finger(position: 0, width: 1, strength: 0, first: 0, last: 0)

  /// The readings of all lines per unit of strength, from three exponentials: the quotient of neighbouring readings
  /// changes by the same factor from line to line. The computation begins at the nearest line, where nothing
  /// underflows.
  func profile() -> TouchLines<Float> {
    var profile = TouchLines<Float>(repeating: 0)
    let nearest = Int(position + 0.5)
    let distance = Float(nearest) - position
    let curvature = 1 / (width * width)
    let change = expf(-curvature)
    let peak = expf(-distance * distance * curvature / 2)
    profile[nearest] = peak
    let after = expf(-(distance + 0.5) * curvature)
    var (value, quotient) = (peak, after)
    let reach = reach
    for line in nearest + 1..<max(nearest, reach.upperBound) + 1 {
      value *= quotient
      quotient *= change
      profile[line] = value
    }
    (value, quotient) = (peak, change / after)
    for line in (min(nearest, reach.lowerBound)..<nearest).reversed() {
      value *= quotient
      quotient *= change
      profile[line] = value
    }
    return profile
  }
}

/// The fingers on the lines, in the order of their positions.
struct Fingers: Sendable {
  /// Two fingers are at least three lines apart, so twelve lines have room for four.
  static let capacity = 4

  private var fingers = InlineArray<4, Finger>(repeating: .none)
  private(set) var count = 0

  subscript(_ index: Int) -> Finger {
    get { fingers[index] }
    set { fingers[index] = newValue }
  }

  mutating func append(_ finger: Finger) {
    guard count < Self.capacity else { return }
    fingers[count] = finger
    count += 1
  }

  /// The lines so near to a finger that it may explain their readings.
  func lines() -> TouchLines<Bool> {
    var lines = TouchLines<Bool>(repeating: false)
    for index in 0..<count {
      let finger = fingers[index]
      let distance = 3 * finger.width + 1
      let (first, last) = (max(0, Int(finger.position - distance)), min(11, Int(finger.position + distance)))
      for line in first..<last + 1 { lines[line] = true }
    }
    return lines
  }

  mutating func remove(at index: Int) {
    count -= 1
    for later in index..<count { fingers[later] = fingers[later + 1] }
  }
}
