/// How a touch has moved: how far, and in which strokes. A stroke ends where the finger turns.
struct Movement: Sendable {
  struct Place: Sendable {
    var position: Int32 = 0
    var time: Int64 = 0
  }

  private(set) var first = Place()
  private(set) var last = Place()
  private var lowest = Place()
  private var highest = Place()
  private var widths = 0
  private var samples = 0
  /// 1, -1, or 0 while it rests.
  private var direction: Int32 = 0
  /// Where the current stroke began, and its farthest place.
  private var start = Place()
  private var end = Place()
  /// The last stroke that has ended.
  private(set) var stroke = (start: Place(), end: Place())
  /// How often the finger has turned, since the last slow stroke.
  private(set) var turns = 0

  var isEmpty: Bool { samples == 0 }
  var isRest: Bool { direction == 0 }
  /// Whether the touch is narrow enough for a finger, on average.
  var isFinger: Bool { widths <= Int(GestureLimits.finger) * samples }
  var distance: Int32 { last.position - first.position }
  var duration: Int64 { last.time - first.time }

  /// Returns whether the finger has turned: a stroke has ended.
  mutating func add(_ point: TouchPoint) -> Bool {
    last = Place(position: point.position, time: point.time)
    if isEmpty { (first, lowest, highest) = (last, last, last) }
    widths += Int(point.width)
    samples += 1
    if direction == 0 {
      if last.position < lowest.position { lowest = last }
      if last.position > highest.position { highest = last }
      guard highest.position - lowest.position >= GestureLimits.slop else { return false }
      direction = last.position == highest.position ? 1 : -1
      (start, end) = (direction > 0 ? lowest : highest, last)
      return false
    }
    let progress = (last.position - end.position) * direction
    if progress >= 0 { end = last }
    guard progress <= -GestureLimits.slop else { return false }
    // The finger may have rested before the first stroke.
    turns = turns == 0 || end.time - start.time <= GestureLimits.stroke ? turns + 1 : 1
    stroke = (start, end)
    (start, end) = (end, last)
    direction = -direction
    return true
  }
}
