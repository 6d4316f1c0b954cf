import TouchTracking

extension Target {
  /// Samples with any readings, sequence numbers and times. A touch begins once and ends once, and is on the sleeve. It
  /// makes one gesture at most, but several strokes.
  static let touches = Target(name: "touches") { input in
    var choices = Choices(input)
    var tracker = TouchTracker()
    var record = TouchRecord()
    var (sequence, time): (UInt32, Int64) = (0, choices.number())
    while !choices.isEmpty {
      var points: [TouchPoint] = []
      // Usually the next sample, with some lost.
      let (step, pause) = (choices.byte(), choices.byte())
      sequence = step < 240 ? sequence &+ UInt32(step / 60) : choices.number()
      time = pause < 240 ? time &+ Int64(pause) * 400_000 : choices.number()
      switch choices.index(below: 32) {
      case 0: tracker.cancel(at: time) { points.append($0) }
      case 1: tracker.wait(until: time) { points.append($0) }
      default:
        let lines = TouchLines<UInt8> { _ in choices.byte() }
        tracker.read(lines, sequence: sequence, time: time) { points.append($0) }
      }
      record.add(points)
      record.add(tracker.gestures)
    }
    var last: [TouchPoint] = []
    tracker.cancel(at: .max) { last.append($0) }
    record.add(last)
    record.add(tracker.gestures)
    require(record.active.isEmpty, "touches are left: \(record.active)")
  }
}

private struct TouchRecord {
  var active: Set<UInt32> = []
  private var lastID: UInt32 = 0
  /// The points of the last call.
  private var points: [UInt32: TouchPoint] = [:]
  private var scrubbing: Set<UInt32> = []
  private var done: Set<UInt32> = []
  private var wasTap = false

  mutating func add(_ gestures: TouchGestures) {
    require(gestures.count <= TouchGestures.capacity, "\(gestures.count) gestures")
    for gesture in (0..<gestures.count).map({ gestures[$0] }) {
      let isPair = [.twoFingerTap, .spread, .pinch].contains(gesture.kind)
      let ids = isPair ? [gesture.id, gesture.otherID] : [gesture.id]
      require(isPair == (gesture.otherID != 0) && gesture.id != gesture.otherID, "\(gesture)")
      require(ids.contains { points[$0]?.time == gesture.time }, "no point decided it: \(gesture)")
      for id in ids {
        require(id > 0 && id <= lastID, "a touch that never was: \(gesture)")
        require(points[id]?.phase != .cancelled, "of a cancelled touch: \(gesture)")
        require(!done.contains(id), "a second gesture of a touch: \(gesture)")
        if gesture.kind == .scrub { scrubbing.insert(id) } else { done.insert(id) }
        require(!scrubbing.contains(id) || gesture.kind == .scrub, "after a scrub: \(gesture)")
      }
      require((0...11 * 256).contains(gesture.position), "\(gesture)")
      require(abs(gesture.distance) <= 11 * 256 && abs(gesture.speed) <= 10_000 * 256, "\(gesture)")
      require(gesture.distance.signum() == gesture.speed.signum(), "\(gesture)")
      require(gesture.kind != .doubleTap || wasTap, "no tap before: \(gesture)")
      wasTap = gesture.kind == .tap
    }
  }

  mutating func add(_ points: [TouchPoint]) {
    require(points.count <= TouchTracker.largestCount, "\(points.count) points")
    self.points = Dictionary(uniqueKeysWithValues: points.map { ($0.id, $0) })
    var position: Int32 = -1
    for point in points {
      require((0...11 * 256).contains(point.position), "\(point)")
      require((128...6 * 256).contains(point.width) && (0...255).contains(point.strength), "\(point)")
      switch point.phase {
      case .began:
        require(point.id > lastID, "an ID is used again: \(point)")
        lastID = point.id
        active.insert(point.id)
      case .moved: require(active.contains(point.id), "moved without a beginning: \(point)")
      case .ended, .cancelled: require(active.remove(point.id) != nil, "ended twice: \(point)")
      }
      if point.phase == .began || point.phase == .moved {
        require(point.position >= position, "not in the order of positions: \(points)")
        position = point.position
      }
    }
    require(active.count <= TouchTracker.largestCount / 2, "\(active.count) touches")
  }
}
