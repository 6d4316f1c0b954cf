import EventLoop

/// The queue of values to send.
///
/// Without an air time, values are sent immediately. With one, they are sent at that rate, and the notification queue
/// keeps only as many packets as the host has configured: the oldest is dropped first, as for stale touch samples.
final class Outbox {
  private struct Packet {
    var characteristic: TagCharacteristic
    var values: ArraySlice<[UInt8]>
    var started = false
  }

  var airTime: Duration = .zero

  private let clock: SimulationClock
  private let transmit: (TagCharacteristic, [UInt8]) -> Void
  private var queue: [Packet] = []
  private var pace: LoopTimer?

  init(clock: SimulationClock, transmit: @escaping (TagCharacteristic, [UInt8]) -> Void) {
    self.clock = clock
    self.transmit = transmit
  }

  /// Queues a packet and returns the number of older packets dropped to stay within `depth`.
  func add(_ values: [[UInt8]], on characteristic: TagCharacteristic, depth: Int?) -> Int {
    guard airTime > .zero || pace != nil else {
      for value in values { transmit(characteristic, value) }
      return 0
    }
    queue.append(Packet(characteristic: characteristic, values: values[...]))
    var dropped = 0
    if let depth {
      while queue.filter({ $0.characteristic == characteristic && !$0.values.isEmpty }).count > max(depth, 1),
        let oldest = queue.firstIndex(where: { $0.characteristic == characteristic && !$0.started })
      {
        queue.remove(at: oldest)
        dropped += 1
      }
    }
    if pace == nil { sendNext() }
    return dropped
  }

  func clear() {
    queue = []
    pace?.cancel()
    pace = nil
  }

  private func sendNext() {
    while let first = queue.first, first.values.isEmpty { queue.removeFirst() }
    guard !queue.isEmpty, let value = queue[0].values.popFirst() else {
      pace = nil
      return
    }
    queue[0].started = true
    let characteristic = queue[0].characteristic
    pace = clock.schedule(after: airTime) { [weak self] in self?.sendNext() }
    transmit(characteristic, value)
  }
}
