/// The state of a touch while it lasts.
struct FollowedTouch: Sendable {
  enum Role: Sendable {
    /// It may become any gesture of one finger.
    case finger
    /// It may continue to scrub.
    case scrub
    /// It may become a gesture of two fingers.
    case pair
    /// It may only become a cover, because there were others beside it.
    case crowd
    /// It has made its gesture.
    case done
  }

  private(set) var id: UInt32 = 0
  private(set) var began: Int64 = 0
  var role = Role.finger
  /// The movement. For the older touch of a pair it begins with the next sample.
  private(set) var movement = Movement()
  private(set) var force = Force()
  /// Whether it was wide at its last point, with short interruptions before, and since when.
  private var isWide = false
  private var wideSince: Int64 = 0
  private var lastWide: Int64 = 0

  init() {}

  init(_ point: TouchPoint) {
    (id, began) = (point.id, point.time)
    _ = add(point)
  }

  var isCover: Bool { isWide && lastWide - wideSince >= GestureLimits.hold }

  /// Returns whether the finger has turned.
  mutating func add(_ point: TouchPoint) -> Bool {
    force.add(point)
    isWide = point.width >= GestureLimits.palm
    if isWide {
      if lastWide == 0 || point.time - lastWide > GestureLimits.interruption { wideSince = point.time }
      lastWide = point.time
    }
    return movement.add(point)
  }

  /// Begins again: until now it may have been both fingers of a pair, somewhere between them.
  mutating func joinNewer() {
    role = .pair
    movement = Movement()
  }
}

/// How strong a touch is, compared with how it has landed.
struct Force: Sendable {
  private var highest: Int32 = 0
  private var rose: Int64 = 0
  private var hasLanded = false
  /// The sum of the strengths since the touch rose, until it has landed.
  private var sum = 0
  private var samples = 0
  private var isStrong = false
  private var strongSince: Int64 = 0
  private(set) var isPress = false

  mutating func add(_ point: TouchPoint) {
    if hasLanded {
      let wasStrong = isStrong
      isStrong =
        Int(point.strength) * samples * GestureLimits.press.denominator >= sum * GestureLimits.press.numerator
      if !wasStrong { strongSince = point.time }
      isPress = isStrong && point.time - strongSince >= GestureLimits.pressed
    } else if point.strength * 5 > highest * 6 {
      (highest, rose, sum, samples) = (point.strength, point.time, Int(point.strength), 1)
    } else {
      sum += Int(point.strength)
      samples += 1
      hasLanded = point.time - rose >= GestureLimits.landing
    }
  }
}
