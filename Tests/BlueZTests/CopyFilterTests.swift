import Testing

@testable import BlueZ

/// A model of bluetoothd: it numbers its messages, and signals each value once for each session.
private final class Model {
  private enum Message { case value([UInt8]), answer }

  var sessions = 1
  private(set) var delivered: [UInt8] = []
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
      for _ in 0..<sessions { post(.value([value, canRepeat ? 1 : 0])) }
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

  func begin() { filter.begin(isSubscribed: sessions > 1, elsewhere: elsewhere) }

  /// The end of another program's session has not been signalled yet.
  func beginAfterAnother() { filter.begin(isSubscribed: true, isOld: true, elsewhere: elsewhere) }

  func take() -> [UInt8] {
    defer { delivered = [] }
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
      case .value(let bytes):
        let isNew = bytes.withUnsafeBytes {
          filter.admits($0, serial: serial, elsewhere: elsewhere, canRepeat: { $0[1] == 1 })
        }
        if isNew { delivered.append(bytes[0]) }
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

@Suite("Copies of a value")
struct CopyFilterTests {
  private let model = Model()
  private static let pairs: [UInt8] = [1, 1, 2, 2, 3, 3]

  @Test("every signal is a value if there is no other program, without probes, even if this program is late")
  func alone() {
    model.begin()
    for late in [false, true] {
      model.send(Self.pairs, late: late)
      model.send(Array(repeating: 7, count: 100), late: late)
      #expect(model.take() == Self.pairs + Array(repeating: 7, count: 100))
    }
    #expect((model.questions, model.dropped, model.doubtful) == (0, 0, 0))
  }

  @Test("with an earlier subscriber, each value is delivered once, even if the program is late")
  func before() {
    model.sessions = 2
    model.begin()
    for late in [false, true, false] {
      model.send(Self.pairs, late: late)
      model.send(Array(repeating: 7, count: 50), late: late)
      #expect(model.take() == Self.pairs + Array(repeating: 7, count: 50))
    }
    #expect((model.dropped, model.doubtful) == (168, 0))
  }

  @Test("with several earlier subscribers, the first value may be duplicated", arguments: [3, 5])
  func severalBefore(_ sessions: Int) {
    model.sessions = sessions
    model.begin()
    model.send([9])
    #expect(Set(model.take()) == [9])
    model.send(Self.pairs)
    #expect(model.take() == Self.pairs)
    #expect(model.doubtful > 0)
  }

  @Test("a later subscriber is detected after three different values, which are duplicated and count as doubtful")
  func joins() {
    model.begin()
    model.send([5, 5, 6])
    model.join()
    model.send([1, 2, 3, 3, 4, 4])
    #expect(model.take() == [5, 5, 6, 1, 1, 2, 2, 3, 3, 3, 4, 4])
    #expect(model.doubtful == 3)
    #expect(model.filter.sessions == 2)
    model.join()
    model.send([1])
    _ = model.take()
    model.send(Self.pairs)
    #expect(model.take() == Self.pairs)
    #expect(model.filter.sessions == 3)
  }

  @Test("a later subscriber is detected after five equal values")
  func joinsEqual() {
    model.begin()
    model.send([0])
    model.join()
    model.send(Array(repeating: 1, count: 10))
    #expect(model.take() == [0] + Array(repeating: 1, count: 15))
    #expect(model.doubtful == 5)
  }

  @Test("values that cannot repeat reveal another subscriber immediately, so none is duplicated")
  func unrepeatable() {
    model.begin()
    model.send([1, 2, 3], canRepeat: false)
    model.join()
    model.send([4, 5], canRepeat: false)
    model.sessions = 1
    model.send([6, 7], canRepeat: false)
    #expect(model.take() == [1, 2, 3, 4, 5, 6, 7])
    #expect((model.questions, model.doubtful) == (0, 0))
  }

  @Test("no value is lost when a subscriber leaves, with or without StopNotify")
  func leaves() {
    for hasWord in [true, false] {
      model.sessions = 2
      model.begin()
      model.send(Self.pairs)
      model.sessions = 1
      if hasWord { model.sendElsewhere() }
      model.send(Self.pairs)
      #expect(model.take() == Self.pairs + Self.pairs)
      #expect(model.doubtful == 0)
    }
  }

  @Test("replies to other programs cost at most one probe each, and lose no value")
  func traffic() {
    model.begin()
    for value in Self.pairs {
      model.sendElsewhere()
      model.send([value])
    }
    #expect(model.take() == Self.pairs)
    #expect(model.questions == 6)
    model.send(Self.pairs)
    #expect(model.questions == 6)
    #expect((model.dropped, model.doubtful) == (0, 0))
  }

  @Test("while another program scans, few probes are sent, and a later subscriber is detected")
  func scan() {
    func streamBesideScan() {
      for number in 0..<200 {
        model.sendElsewhere()
        model.send([UInt8(number)])
      }
      #expect(model.take() == Array(0..<200))
    }
    model.begin()
    streamBesideScan()
    streamBesideScan()
    #expect(model.questions == 16)
    model.send([5, 5, 6, 6])
    #expect(model.take() == [5, 5, 6, 6])
    #expect((model.dropped, model.doubtful) == (0, 0))
    model.sendElsewhere()
    model.send([7, 7, 8, 8])
    #expect(model.take() == [7, 7, 8, 8])
    #expect((model.dropped, model.doubtful, model.questions) == (0, 1, 18))
    streamBesideScan()
    model.join()
    for value in Self.pairs + Self.pairs {
      model.sendElsewhere()
      model.send([value])
    }
    #expect(model.take() == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3] + [3, 1, 1, 2, 2, 3, 3])
    #expect((model.doubtful, model.filter.sessions) == (6, 2))
  }

  @Test("equal values that occasionally arrive together are not treated as copies")
  func together() {
    model.begin()
    for _ in 0..<20 {
      model.sendElsewhere()
      model.send([7, 7], late: true)
      model.send([8, 8], late: true)
      model.send([7])
    }
    #expect(model.take() == (0..<20).flatMap { _ in [7, 7, 8, 8, 7] as [UInt8] })
    #expect(model.dropped == 0)
  }

  @Test("equal queued values of a late program are delivered, although another one may have subscribed")
  func lateAndDoubtful() {
    model.begin()
    model.sendElsewhere()
    model.send(Self.pairs, late: true)
    #expect(model.take() == Self.pairs)
    #expect(model.doubtful > 0)
  }

  @Test("if the other subscriber leaves while the program is late, possibly lost values are counted")
  func lateAndGone() {
    model.sessions = 2
    model.begin()
    model.send([1, 2])
    model.sessions = 1
    model.send(Self.pairs, late: true)
    model.send([4])
    #expect(model.take() == [1, 2, 1, 2, 3, 4])
    #expect(model.doubtful == 2)
  }

  @Test("equal values that arrive together do not count as copies for a third subscriber")
  func multiples() {
    model.sessions = 2
    model.begin()
    for _ in 0..<3 {
      model.sendElsewhere()
      model.send([1, 1], late: true)
      model.send([2, 2], late: true)
      model.send([3])
    }
    #expect(model.take() == [1, 1, 2, 2, 3, 1, 1, 2, 2, 3, 1, 1, 2, 2, 3])
  }

  @Test("after a session that has ended, equal values that arrive together are not copies")
  func succession() {
    model.beginAfterAnother()
    model.send([1, 1, 2, 2], late: true)
    #expect(model.take() == [1, 1, 2, 2])
    #expect(model.dropped == 0)
  }

  @Test("serial numbers may wrap")
  func wrap() {
    var filter = CopyFilter()
    filter.begin(isSubscribed: true, elsewhere: 0)
    let bytes: [UInt8] = [1]
    func admits(_ serial: UInt32) -> Bool {
      bytes.withUnsafeBytes {
        filter.admits($0, serial: serial, elsewhere: 0, canRepeat: { _ in true })
      }
    }
    #expect([admits(.max), admits(0), admits(5)] == [true, false, true])
  }
}
