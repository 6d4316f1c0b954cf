import EventLoop
import Testing

@testable import BlueZ

/// bluetoothd as far as the filter can tell: it numbers what it sends, and signals each value once for each session.
private final class Model {
  private enum Message { case value([UInt8]), answer }

  var sessions = 1
  private(set) var delivered: [UInt8] = []
  private(set) var dropped = 0
  private(set) var doubtful = 0
  private(set) var questions = 0
  private(set) var filter = CopyFilter()
  private var now = LoopInstant(nanoseconds: 0)
  private var serial: UInt32 = 100
  private var received: UInt32 = 0
  private var elsewhere: UInt32 = 100
  private var queue: [(UInt32, Message)] = []

  /// What the tag sends; handled at once unless the program is late.
  func send(_ values: [UInt8], apart: Duration = .seconds(1), late: Bool = false, canRepeat: Bool = true) {
    for value in values {
      now = now.advanced(by: apart)
      for _ in 0..<sessions { post(.value([value, canRepeat ? 1 : 0])) }
      if !late { catchUp() }
    }
    catchUp()
  }

  /// bluetoothd answers somebody else.
  func sendElsewhere() { serial += 1 }

  func join() {
    sessions += 1
    sendElsewhere()
  }

  func begin() { filter.begin(isSubscribed: sessions > 1, elsewhere: elsewhere) }

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
          filter.admits($0, serial: serial, elsewhere: elsewhere, canRepeat: { $0[1] == 1 }, now: { now })
        }
        if isNew { delivered.append(bytes[0]) }
        if filter.takeQuestion() {
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

  @Test("without another program every signal is a value, nothing is asked, however late the program is")
  func alone() {
    model.begin()
    for late in [false, true] {
      model.send(Self.pairs, late: late)
      model.send(Array(repeating: 7, count: 100), apart: .milliseconds(16), late: late)
      #expect(model.take() == Self.pairs + Array(repeating: 7, count: 100))
    }
    #expect((model.questions, model.dropped, model.doubtful) == (0, 0, 0))
  }

  @Test("with a subscriber that was there before, each value is delivered once, also when the program is late")
  func before() {
    model.sessions = 2
    model.begin()
    for late in [false, true, false] {
      model.send(Self.pairs, late: late)
      model.send(Array(repeating: 7, count: 50), apart: .milliseconds(16), late: late)
      #expect(model.take() == Self.pairs + Array(repeating: 7, count: 50))
    }
    #expect((model.dropped, model.doubtful) == (168, 0))
  }

  @Test("with more that were there before, the first value may come twice", arguments: [3, 5])
  func severalBefore(_ sessions: Int) {
    model.sessions = sessions
    model.begin()
    model.send([9])
    #expect(Set(model.take()) == [9])
    model.send(Self.pairs)
    #expect(model.take() == Self.pairs)
    #expect(model.doubtful > 0)
  }

  @Test("one that comes later is noticed after two values that stand alone, which come twice and count as doubtful")
  func joins() {
    model.begin()
    model.send([5, 5, 6])
    model.join()
    model.send([1, 2, 3, 3, 4, 4])
    #expect(model.take() == [5, 5, 6, 1, 1, 2, 2, 3, 3, 4, 4])
    #expect(model.doubtful == 2)
    #expect(model.filter.sessions == 2)
    model.join()
    model.send([1])
    _ = model.take()
    model.send(Self.pairs)
    #expect(model.take() == Self.pairs)
    #expect(model.filter.sessions == 3)
  }

  @Test("in a stream it is noticed after eight values")
  func joinsStream() {
    model.begin()
    model.send([0])
    model.join()
    model.send(Array(1...20), apart: .milliseconds(16))
    #expect(model.take() == [0] + (1...8).flatMap { [$0, $0] as [UInt8] } + Array(9...20))
    #expect(model.doubtful == 8)
  }

  @Test("values that cannot repeat show it at once: none comes twice")
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

  @Test("one that goes, with or without a word, costs no value")
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

  @Test("the answers that other programs get cost a question each at most, and no value")
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

  @Test("two equal values at a time are not taken for copies while they stay the same, and soon not asked about")
  func stillFinger() {
    model.begin()
    model.sendElsewhere()
    for _ in 0..<100 { model.send([7, 7], apart: .milliseconds(16), late: true) }
    #expect(model.take() == Array(repeating: 7, count: 200))
    #expect(model.questions == 16)
    #expect(model.dropped == 0)
  }

  @Test("equal values that a late program finds in a heap are delivered, though another one may have subscribed")
  func lateAndDoubtful() {
    model.begin()
    model.sendElsewhere()
    model.send(Self.pairs, late: true)
    #expect(model.take() == Self.pairs)
    #expect(model.doubtful > 0)
  }

  @Test("when the other one goes while the program is late, what may have been lost is counted")
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

  @Test("serial numbers may begin again")
  func wrap() {
    var filter = CopyFilter()
    filter.begin(isSubscribed: true, elsewhere: 0)
    let bytes: [UInt8] = [1]
    func admits(_ serial: UInt32) -> Bool {
      bytes.withUnsafeBytes {
        filter.admits($0, serial: serial, elsewhere: 0, canRepeat: { _ in true }, now: { LoopInstant(nanoseconds: 0) })
      }
    }
    #expect([admits(.max), admits(0), admits(5)] == [true, false, true])
  }
}
