/// Follows touches along the sleeve: samples of the touch lines in, touches and their gestures out.
///
/// Every sample is searched for fingers, whatever was found before (`FingerSearch`). Fingers are then assigned to the
/// touches that are expected near them (`Assignment`). Gestures are derived from the reported touches
/// (`GestureRecognizer`). It never allocates memory.
///
/// Two fingers that are closer than about 2.3 lines are one: the older touch continues, and the newer one ends.
/// When they part, the touch continues with the finger that is nearer to where it is expected, and the other finger
/// begins a touch.
public struct TouchTracker: Sendable {
  /// The most points of one sample: four touches end and four begin.
  public static let largestCount = 2 * Fingers.capacity
  /// In nanoseconds: a touch without a sample for this time has ended. A tag sends nothing while it is not touched.
  public static let silence: Int64 = 250_000_000

  private struct Touch {
    var id: UInt32 = 0
    var finger = Finger.none
    var line = SpeedLine()
  }

  private var signals = LineSignals()
  private var skew = FingerSkew()
  /// In the order of their positions.
  private var touches = InlineArray<4, Touch>(repeating: Touch())
  private var count = 0
  private var lastID: UInt32 = 0
  /// The sequence number of the last sample; nil before the first one of a link.
  private var sequence: UInt32?
  private var time: Int64 = 0
  private var recognizer = GestureRecognizer()
  /// The gestures that the last call has recognised, in the order of its points.
  public private(set) var gestures = TouchGestures()

  public init() {}

  /// Reads a sample and reports the touches in it: first those that ended, then the others in the order of their
  /// positions. A sample with the sequence number of the one before is a copy. If a time is earlier than the last one,
  /// the last one is used.
  public mutating func read(
    _ lines: TouchLines<UInt8>, sequence: UInt32, time: Int64, _ report: (TouchPoint) -> Void
  ) {
    wait(until: time, report)
    if let last = self.sequence {
      if sequence == last, count > 0 { return }
      // The finger was lifted in between.
      if sequence < last {
        finish(.ended, at: self.time, report)
        signals.restart()
      }
    }
    let time = max(time, self.time)
    let elapsed = Float(min(time - self.time, Self.silence)) * 1e-9
    self.sequence = sequence
    self.time = time
    signals.read(lines)
    let expected = expectedPositions(after: elapsed)
    var fingers = FingerSearch.fingers(in: signals, expected: expected)
    signals.settle(fingers)
    skew.correct(&fingers, signals)
    follow(fingers, Assignment.of(fingers, to: expected, ages: ages(), after: elapsed), report)
  }

  /// The health of each line, judged by the samples so far.
  public var health: TouchLines<LineHealth> { TouchLines { signals.health($0) } }

  /// Time passes without a sample: touches that have had none for `silence` end.
  public mutating func wait(until time: Int64, _ report: (TouchPoint) -> Void) {
    gestures.removeAll()
    guard count > 0, time > self.time, time - self.time > Self.silence else { return }
    finish(.ended, at: self.time, report)
  }

  /// The link was lost, or another tag or gear follows: all touches are cancelled. Baselines are forgotten too.
  public mutating func cancel(at time: Int64, _ report: (TouchPoint) -> Void) {
    gestures.removeAll()
    self.time = max(time, self.time)
    finish(.cancelled, at: self.time, report)
    sequence = nil
    (signals, skew) = (LineSignals(), FingerSkew())
    recognizer = GestureRecognizer()
  }

  private mutating func finish(_ phase: TouchPoint.Phase, at time: Int64, _ report: (TouchPoint) -> Void) {
    for index in 0..<count { tell(touches[index], phase, at: time, report) }
    count = 0
    signals.learnGains(nil, at: 0)
  }

  private mutating func tell(
    _ touch: Touch, _ phase: TouchPoint.Phase, at time: Int64, _ report: (TouchPoint) -> Void
  ) {
    let point = TouchPoint(touch.id, phase, touch.finger, speed: touch.line.speed, time: time)
    report(point)
    recognizer.read(point, &gestures)
  }

  private func expectedPositions(after elapsed: Float) -> ExpectedPositions {
    var expected = ExpectedPositions()
    for index in 0..<count {
      let touch = touches[index]
      expected.append(touch.finger.position, speed: touch.line.speed, after: elapsed)
    }
    return expected
  }

  private func ages() -> InlineArray<4, UInt32> { InlineArray { touches[$0].id } }

  private mutating func follow(_ fingers: Fingers, _ assignment: Assignment, _ report: (TouchPoint) -> Void) {
    for index in 0..<count where !assignment.isContinued(index) { tell(touches[index], .ended, at: time, report) }
    var followed = InlineArray<4, Touch>(repeating: Touch())
    for index in 0..<fingers.count {
      let earlier = assignment.touch(of: index)
      var touch = earlier.map { touches[$0] } ?? Touch()
      if earlier == nil {
        lastID = lastID == .max ? 1 : lastID + 1
        touch.id = lastID
      }
      touch.finger = fingers[index]
      touch.line.add(touch.finger.position, at: time)
      followed[index] = touch
      tell(touch, earlier == nil ? .began : .moved, at: time, report)
    }
    touches = followed
    count = fingers.count
    signals.learnGains(count == 1 ? touches[0].id : nil, at: touches[0].finger.position)
  }
}
