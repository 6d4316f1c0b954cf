/// The lower convex hull of points that are added in the order of x, and the nearest line below all points.
struct LowerHull {
  struct Point: Sendable {
    var x, y: Double
  }

  private(set) var corners: [Point] = []

  init(_ points: some Sequence<Point>) {
    for point in points { add(point) }
  }

  private mutating func add(_ point: Point) {
    if let last = corners.last, last.x >= point.x {
      guard point.y < last.y else { return }
      corners.removeLast()
    }
    while corners.count >= 2, !isBelow(corners[corners.count - 1], corners[corners.count - 2], point) {
      corners.removeLast()
    }
    corners.append(point)
  }

  private func isBelow(_ middle: Point, _ left: Point, _ right: Point) -> Bool {
    (middle.y - left.y) * (right.x - left.x) < (right.y - left.y) * (middle.x - left.x)
  }

  /// The slope of the edge at `x`: of all lines below the points, its edge has the smallest sum of distances if `x` is
  /// the mean of theirs (Moon, Skelly and Towsley, INFOCOM 1999).
  func slope(at x: Double) -> Double? {
    guard let index = corners.firstIndex(where: { $0.x >= x }), corners.count >= 2 else { return nil }
    let (left, right) = (corners[max(index, 1) - 1], corners[max(index, 1)])
    return (right.y - left.y) / (right.x - left.x)
  }

  /// The offset by which the line of that slope through the origin touches the points from below.
  func offset(slope: Double) -> Double { corners.lazy.map { $0.y - slope * $0.x }.min() ?? 0 }
}
