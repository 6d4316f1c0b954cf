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
