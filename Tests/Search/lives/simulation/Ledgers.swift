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

  /// The longest permitted delay of a forwarded value.
  private static let delay: Duration = .seconds(2)

  private var expected: [Expectation] = []
  private var latest: UInt32 = 1000
  private var valuesSent = 0

  func watch(_ tags: [SoftwareTag]) {
    for tag in tags {
      tag.overheard = { [unowned self] fromHost, characteristic, _ in
        if !fromHost, characteristic == .notification { valuesSent += 1 }
      }
    }
  }

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

  /// Whether it may receive values late.
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
  /// In ticks, at 25 samples a second.
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
    case JACQUARD_MOTION_EVENT_RESTART: self = StreamLedger()
    case JACQUARD_MOTION_EVENT_GAP:
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
