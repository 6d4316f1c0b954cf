import CJacquard
import EventLoop
import TagSimulator

/// The gestures of the tags, each with its number, and the subscriptions that must receive them: those of a connection
/// that had reported CONNECTED before and is still connected some time later.
final class GestureLedger {
  private struct Expectation {
    let gesture: UInt32
    let promise: Promise
    let connection: ConnectionUse
    let link: Int
    let time: LoopInstant
  }

  /// Strokes of a person may be reported as gestures with smaller numbers, several of which are equal.
  static let lastOfStrokes: UInt32 = 1000
  /// The longest permitted delay of a forwarded value.
  private static let delay: Duration = .seconds(2)

  private var expected: [Expectation] = []
  private var latest = lastOfStrokes
  private var valuesSent = 0

  func valueWasSent() { valuesSent += 1 }

  /// The tag with this index sends a gesture.
  func gesture(_ tag: Int, on stage: Stage) {
    latest += 1
    let (before, droppedBefore) = (valuesSent, stage.daemon.valuesDropped)
    stage.happen("tag \(tag + 1) gesture \(latest)")
    // A bluetoothd that hangs loses values without a report to programs that only wait.
    guard valuesSent > before, stage.daemon.valuesDropped == droppedBefore else { return }
    for connection in stage.programs.flatMap(\.connections) where connection.tag == tag && connection.isConnected {
      for promise in connection.program.promises
      where promise.kind == .gesture && promise.connection === connection && !promise.isEnded {
        expected.append(
          Expectation(
            gesture: latest, promise: promise, connection: connection, link: connection.links, time: stage.time.now))
      }
    }
  }

  /// Whether the program may receive values late.
  private func isDelayed(_ program: Program, _ stage: Stage) -> Bool {
    program.isStalled || stage.service?.isStalled ?? false
  }

  /// Checks the gestures whose time limit has passed.
  func check(_ stage: Stage) {
    guard !stage.daemon.isHanging else { return }
    expected.removeAll { expectation in
      let (promise, connection) = (expectation.promise, expectation.connection)
      if promise.isEnded || promise.heard.contains(expectation.gesture) { return true }
      let isDue = expectation.time.advanced(by: Self.delay) < stage.time.now
      guard isDue, !isDelayed(promise.program, stage) else { return false }
      guard connection.isConnected, !connection.isDisconnecting, connection.links == expectation.link else {
        return true
      }
      var counters = jacquard_counters()
      counters.struct_size = UInt32(MemoryLayout.size(ofValue: counters))
      jacquard_connection_get_counters(connection.handle, &counters)
      if counters.dropped_fragments + counters.dropped_notifications == 0 {
        stage.fail("gesture \(expectation.gesture) did not reach #\(promise.number), and is not counted as dropped")
      }
      return true
    }
  }
}

/// The samples of one stream: each once, in the order of the tag's clock, or reported as missing.
struct StreamLedger {
  /// The ticks of a period, at 25 samples a second.
  private static let period = 1250.0
  /// Gaps among the first samples are reported when their median is known.
  private static let bootstrapCount = 9

  private var first: Int64 = 0
  private var last: Int64 = 0
  private var count = 0
  private var missing = 0.0
  /// By how much `missing` may be wrong: after a gap the tag may have begun again, between two samples.
  private var tolerance = 0.0

  mutating func take(_ event: jacquard_motion_event, _ promise: Promise) {
    func fail(_ what: String) { promise.program.stage.fail("stream #\(promise.number) \(what)") }
    switch event.type {
    case JACQUARD_MOTION_EVENT_RESTART.rawValue: self = StreamLedger()
    case JACQUARD_MOTION_EVENT_GAP.rawValue:
      missing += Double(event.missing)
      tolerance += Double(event.missing_uncertainty) + 1
    default:
      for sample in UnsafeBufferPointer(start: event.samples, count: event.count) {
        if count == 0 {
          first = sample.ticks
        } else if sample.ticks <= last {
          fail("delivered \(sample.ticks) after \(last)")
        }
        last = sample.ticks
        count += 1
      }
      let taken = (Double(last - first) / Self.period).rounded() + 1
      if count >= Self.bootstrapCount, abs(Double(count) + missing - taken) > tolerance {
        fail("delivered \(count) samples and reported \(missing) missing, but the tag took \(taken)")
      }
    }
  }
}

/// The touch samples that a tag has sent, in order.
final class SentSamples {
  /// The end of each packet: field 4 is the sequence number, and field 7 the proximity and the lines.
  private var packets: [[UInt8]] = []
  /// A packet was sent in fragments, so the list is incomplete.
  private(set) var areIncomplete = false

  private static let length = 13

  func valueWasSent(_ value: [UInt8]) {
    if value.first.map({ $0 & 0xc0 != 0xc0 }) ?? true { areIncomplete = true }
    guard value.count > Self.length + 2, value[value.count - Self.length - 2] == 0x3a else { return }
    packets.append(Array(value.suffix(Self.length + 8)))
  }

  /// The number of the first packet with this sample, from that number on.
  func firstIndex(of touch: jacquard_touch, from first: Int) -> Int? {
    var end: [UInt8] = [0x20]
    var rest = touch.sequence
    while rest >= 0x80 {
      end.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    end += [UInt8(rest), 0x3a, UInt8(Self.length), touch.proximity]
    withUnsafeBytes(of: touch.lines) { end += $0 }
    return packets[first...].firstIndex { $0.suffix(end.count).elementsEqual(end) }
  }
}

/// The samples that one subscription has received, and the touches and gestures that a tracker makes of them: a touch
/// begins once, with a new ID, and ends once.
final class TouchLedger {
  /// The nanoseconds without a sample after which each touch has ended.
  private static let silence: Int64 = 250_000_000

  private unowned let promise: Promise
  private unowned let sent: SentSamples
  private var tracker: OpaquePointer?
  private var active: Set<UInt32> = []
  private var lastID: UInt32 = 0
  /// The touches that have made a gesture, and those that may only make strokes of a scrub.
  private var done: Set<UInt32> = []
  private var scrubbing: Set<UInt32> = []
  /// The last sample: its number among those that were sent, its sequence number, and its time.
  private var latest = 0
  private var sequence: UInt32 = 0
  private var time: Int64 = 0

  init(_ promise: Promise, _ sent: SentSamples) {
    self.promise = promise
    self.sent = sent
    if jacquard_touch_tracker_new(nil, &tracker) != 0 { promise.program.stage.fail("no tracker") }
  }

  deinit { jacquard_touch_tracker_unref(tracker) }

  private var now: Int64 { promise.program.stage.time.now.nanoseconds }

  func take(_ touch: jacquard_touch) {
    if promise.connection?.isConnected != true { fail("received a sample without a link") }
    if !sent.areIncomplete {
      guard let number = sent.firstIndex(of: touch, from: latest) else {
        return fail("received sample \(touch.sequence), which was not sent after the one before")
      }
      latest = number
    }
    let before = active
    time = now
    withUnsafeBytes(of: touch.lines) { lines in
      let lines = lines.bindMemory(to: UInt8.self)
      report {
        jacquard_touch_tracker_process(
          tracker, touch.sequence, lines.baseAddress, lines.count, time, $0, Int(JACQUARD_TOUCH_POINTS_MAX))
      }
    }
    if touch.sequence < sequence, !active.isDisjoint(with: before) { fail("was lifted, and a touch goes on") }
    sequence = touch.sequence
  }

  /// The link is lost, or the gear detached.
  func cancel() {
    report { jacquard_touch_tracker_cancel(tracker, now, $0, Int(JACQUARD_TOUCH_POINTS_MAX)) }
    if !active.isEmpty { fail("has touches without gear: \(active)") }
    sequence = 0
  }

  /// In gesture mode, and while the sleeve is not touched, no samples arrive.
  func check() {
    let now = now
    guard now > time + Self.silence else { return }
    report { jacquard_touch_tracker_process(tracker, 0, nil, 0, now, $0, Int(JACQUARD_TOUCH_POINTS_MAX)) }
    if !active.isEmpty { fail("has touches \(now - time) ns after the last sample: \(active)") }
  }

  private func report(_ process: (UnsafeMutablePointer<jacquard_touch_point>?) -> CInt) {
    var points = [jacquard_touch_point](repeating: jacquard_touch_point(), count: Int(JACQUARD_TOUCH_POINTS_MAX))
    let count = points.withUnsafeMutableBufferPointer { process($0.baseAddress) }
    guard count >= 0 else { return fail("could not be tracked: \(count)") }
    for point in points.prefix(Int(count)) { take(point) }
    takeGestures(Set(points.prefix(Int(count)).map(\.id)))
  }

  private func take(_ point: jacquard_touch_point) {
    promise.program.stage.note("  touch \(point.id) \(point.phase) \(point.position) \(point.strength)")
    switch jacquard_touch_phase(rawValue: point.phase) {
    case JACQUARD_TOUCH_PHASE_BEGAN:
      if point.id <= lastID { fail("began touch \(point.id) after \(lastID)") }
      lastID = point.id
      active.insert(point.id)
    case JACQUARD_TOUCH_PHASE_MOVED:
      if !active.contains(point.id) { fail("moved touch \(point.id), which is not there") }
    default: if active.remove(point.id) == nil { fail("ended touch \(point.id), which is not there") }
    }
    if !(0...11 * 256).contains(point.position) { fail("has a touch at \(point.position)") }
  }

  /// - Parameter decided: the touches that the last call has reported, one of which makes each gesture.
  private func takeGestures(_ decided: Set<UInt32>) {
    var gestures = [jacquard_touch_gesture](
      repeating: jacquard_touch_gesture(), count: Int(JACQUARD_TOUCH_GESTURES_MAX))
    let count = jacquard_touch_tracker_gestures(tracker, &gestures, gestures.count)
    guard count >= 0 else { return fail("has no gestures: \(count)") }
    for gesture in gestures.prefix(Int(count)) {
      promise.program.stage.note("  gesture \(gesture.type) of \(gesture.id) \(gesture.other_id)")
      let isScrub = gesture.type == JACQUARD_TOUCH_GESTURE_SCRUB.rawValue
      let ids = [gesture.id, gesture.other_id].filter { $0 > 0 }
      if decided.isDisjoint(with: ids) { fail("has a gesture of touch \(gesture.id), which did not change") }
      for id in ids where done.contains(id) || scrubbing.contains(id) && !isScrub {
        fail("has a second gesture of touch \(id)")
      }
      if isScrub { scrubbing.formUnion(ids) } else { done.formUnion(ids) }
    }
  }

  private func fail(_ what: String) { promise.program.stage.fail("#\(promise.number) \(what)") }
}
