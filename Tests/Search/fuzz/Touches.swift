import TouchTracking

extension Target {
  /// Samples with any readings, sequence numbers and times. A touch begins once and ends once, and is on the sleeve.
  static let touches = Target(name: "touches") { input in
    var choices = Choices(input)
    var tracker = TouchTracker()
    var record = TouchRecord()
    var (sequence, time): (UInt32, UInt64) = (0, choices.number())
    while !choices.isEmpty {
      var points: [TouchPoint] = []
      // Usually the next sample, with some lost.
      let (step, pause) = (choices.byte(), choices.byte())
      sequence = step < 240 ? sequence &+ UInt32(step / 60) : choices.number()
      time = pause < 240 ? time &+ UInt64(pause) * 400 : choices.number()
      switch choices.index(below: 32) {
      case 0: tracker.cancel(at: time) { points.append($0) }
      case 1: tracker.wait(until: time) { points.append($0) }
      default:
        let lines = TouchLines<UInt8> { _ in choices.byte() }
        tracker.read(lines, sequence: sequence, time: time) { points.append($0) }
      }
      record.add(points)
    }
    var last: [TouchPoint] = []
    tracker.cancel(at: .max) { last.append($0) }
    record.add(last)
    require(record.active.isEmpty, "touches are left: \(record.active)")
  }
}

private struct TouchRecord {
  var active: Set<UInt32> = []
  private var lastID: UInt32 = 0

  mutating func add(_ points: [TouchPoint]) {
    require(points.count <= TouchTracker.largestCount, "\(points.count) points")
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
