import Testing

@testable import BlueZ

/// A model of bluetoothd: it numbers its messages, and signals each value once for each session.
final class SignallingModel {
  private enum Message { case value([UInt8], isFirst: Bool), answer }

  var sessions = 1
  private(set) var delivered: [UInt8] = []
  /// The delivered values that are not marked as possible copies.
  private(set) var certain: [UInt8] = []
  private(set) var dropped = 0
  private(set) var doubtful = 0
  private(set) var questions = 0
  private(set) var filter = CopyFilter()
  private var serial: UInt32 = 100
  private var received: UInt32 = 0
  private var elsewhere: UInt32 = 100
  private var queue: [(UInt32, Message)] = []

  /// Sends a value of the tag; handled immediately unless the program is late.
  func send(_ values: [UInt8], late: Bool = false, canRepeat: Bool = true) {
    for value in values {
      for index in 0..<sessions { post(.value([value, canRepeat ? 1 : 0], isFirst: index == 0)) }
      if !late { catchUp() }
    }
    catchUp()
  }

  /// bluetoothd replies to another program.
  func sendElsewhere() { serial += 1 }

  func join() {
    sessions += 1
    sendElsewhere()
  }

  /// bluetoothd replies to StopNotify, or calls the bus because it need no longer watch the program.
  func leave() {
    sessions -= 1
    sendElsewhere()
  }

  /// This program calls StartNotify. The property `Notifying` shows whether any program has a session.
  func request() { filter.begin(isSubscribed: sessions > 0, elsewhere: elsewhere) }

  /// bluetoothd replies to StartNotify: the session of this program begins.
  func reply() {
    sessions += 1
    serial += 1
    received += 1
    filter.joined()
  }

  /// Begins the session of this program, without values between the call and the reply.
  func begin() {
    sessions -= 1
    request()
    reply()
  }

  func take() -> [UInt8] {
    defer { (delivered, certain) = ([], []) }
    return delivered
  }

  private func post(_ message: Message) {
    serial += 1
    queue.append((serial, message))
  }

  private func catchUp() {
    while !queue.isEmpty {
      let (serial, message) = queue.removeFirst()
      received += 1
      elsewhere = serial - received
      switch message {
      case .value(let bytes, let isFirst):
        let verdict = bytes.withUnsafeBytes {
          filter.judge($0, serial: serial, elsewhere: elsewhere, canRepeat: { $0[1] == 1 })
        }
        if verdict != .copy { delivered.append(bytes[0]) }
        if verdict == .value {
          certain.append(bytes[0])
          if !isFirst { Issue.record("a copy of \(bytes[0]) is not marked as a possible copy") }
        }
        if filter.takeProbe() {
          questions += 1
          post(.answer)
        }
      case .answer: filter.answered(byPeer: true)
      }
      let counts = filter.takeCounts()
      dropped += Int(counts.dropped)
      doubtful += Int(counts.doubtful)
    }
  }
}
