/// Derives gestures from touches by the rules of `GestureLimits`. It has no timers: it decides when a point arrives.
///
/// A touch or a pair of touches makes one gesture at most, except that each stroke of a scrub is one. A touch that
/// begins beside a single touch without a gesture is a pair with it. After any other touch that begins beside touches,
/// all of them can only become a cover.
struct GestureRecognizer: Sendable {
  private var touches = InlineArray<4, FollowedTouch>(repeating: FollowedTouch())
  private var count = 0
  private var pair: FingerPair?
  /// From a cover until nothing touches the sleeve: touches that begin meanwhile are the same hand.
  private var isCovered = false
  /// Where and when the last tap ended, if nothing has happened since.
  private var lastTap: Movement.Place?

  mutating func read(_ point: TouchPoint, _ gestures: inout TouchGestures) {
    switch point.phase {
    case .began: begin(point)
    case .moved:
      if let index = index(of: point.id) { move(index, point, &gestures) }
    case .ended:
      guard let index = index(of: point.id) else { return }
      end(touches[index], at: point.time, &gestures)
      count -= 1
      for later in index..<count { touches[later] = touches[later + 1] }
      if count == 0 { isCovered = false }
    // The tracker begins with another recogniser.
    case .cancelled: break
    }
  }

  private func index(of id: UInt32) -> Int? {
    for index in 0..<count where touches[index].id == id { return index }
    return nil
  }

  private mutating func begin(_ point: TouchPoint) {
    guard count < touches.count else { return }
    touches[count] = FollowedTouch(point)
    count += 1
    guard count > 1 else { return }
    lastTap = nil
    if count == 2, touches[0].role == .finger {
      pair = FingerPair(touches[0], point)
      touches[0].joinNewer()
      touches[1].role = .pair
    } else {
      spoil(isCovered ? .done : .crowd)
    }
  }

  private mutating func spoil(_ role: FollowedTouch.Role) {
    for index in 0..<count where touches[index].role != .done {
      touches[index].role = touches[index].role == .scrub ? .done : role
    }
    pair = nil
  }

  private mutating func move(_ index: Int, _ point: TouchPoint, _ gestures: inout TouchGestures) {
    let hasTurned = touches[index].add(point)
    let (role, movement) = (touches[index].role, touches[index].movement)
    guard role != .done else { return }
    if touches[index].isCover, role != .scrub {
      spoil(.done)
      isCovered = true
      return finish(index, .cover, point, &gestures)
    }
    guard movement.isFinger else { return }
    switch role {
    case .finger where movement.isRest && touches[index].force.isPress: finish(index, .press, point, &gestures)
    case .finger where movement.isRest && movement.duration >= GestureLimits.hold:
      finish(index, .hold, point, &gestures)
    case .finger where hasTurned && movement.turns >= 2, .scrub where hasTurned && movement.turns >= 2:
      touches[index].role = .scrub
      let (start, end) = movement.stroke
      gestures.append(
        TouchGesture(
          .scrub, point.id, end.position, distance: end.position - start.position, during: end.time - start.time,
          time: point.time))
    case .pair where count == 2: pair?.measure(touches[0].movement, touches[1].movement)
    default: break
    }
  }

  private mutating func finish(
    _ index: Int, _ kind: TouchGesture.Kind, _ point: TouchPoint, _ gestures: inout TouchGestures
  ) {
    touches[index].role = .done
    gestures.append(TouchGesture(kind: kind, id: point.id, position: point.position, time: point.time))
  }

  private mutating func end(_ touch: FollowedTouch, at time: Int64, _ gestures: inout TouchGestures) {
    let tap = lastTap
    lastTap = nil
    let movement = touch.movement
    guard movement.isFinger else { return spoil(.crowd) }
    if touch.role == .pair { return endPair(movement, at: time, &gestures) }
    guard touch.role == .finger else { return }
    if movement.isRest, time - touch.began <= GestureLimits.tap {
      let last = movement.last.position
      let isSecond =
        tap.map {
          touch.began - $0.time <= GestureLimits.betweenTaps && abs(last - $0.position) <= GestureLimits.sameSpot
        } ?? false
      if !isSecond { lastTap = Movement.Place(position: last, time: time) }
      gestures.append(
        TouchGesture(kind: isSecond ? .doubleTap : .tap, id: touch.id, position: last, time: time))
    } else if movement.turns == 0, abs(movement.distance) >= GestureLimits.swipe,
      movement.duration <= GestureLimits.swipeTime
    {
      gestures.append(
        TouchGesture(
          movement.distance < 0 ? .swipeIn : .swipeOut, touch.id, movement.last.position, distance: movement.distance,
          during: movement.duration, time: time))
    }
  }

  /// One touch of a pair ends: their gesture is decided now, unless both tap.
  private mutating func endPair(_ movement: Movement, at time: Int64, _ gestures: inout TouchGestures) {
    guard let pair else { return }
    let isTap = movement.isRest && time - pair.began <= GestureLimits.tap
    if count == 1 {
      self.pair = nil
      guard isTap else { return }
      gestures.append(
        TouchGesture(kind: .twoFingerTap, id: pair.older, otherID: pair.newer, position: pair.middle, time: time))
    } else if abs(pair.change) >= GestureLimits.spread {
      spoil(.done)
      guard pair.duration <= GestureLimits.spreadTime else { return }
      gestures.append(
        TouchGesture(
          pair.change < 0 ? .pinch : .spread, pair.older, and: pair.newer, pair.middle, distance: pair.change,
          during: pair.duration, time: time))
    } else if !isTap {
      spoil(.crowd)
    }
  }
}
