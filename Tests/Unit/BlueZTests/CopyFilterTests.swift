import TestWorld
import Testing

@testable import BlueZ

@Suite("Copies of a value")
struct CopyFilterTests {
  private let model = SignallingModel()
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
    #expect(model.certain == [5, 5, 6, 1, 2, 3, 3, 4, 4])
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
    #expect(model.certain == [0] + Array(repeating: 1, count: 10))
    #expect(model.take() == [0] + Array(repeating: 1, count: 15))
    #expect(model.doubtful == 5)
  }

  @Test("values that cannot repeat reveal another subscriber immediately, so none is duplicated")
  func unrepeatable() {
    model.begin()
    model.send([1, 2, 3], canRepeat: false)
    model.join()
    model.send([4, 5], canRepeat: false)
    model.leave()
    model.send([6, 7], canRepeat: false)
    #expect(model.take() == [1, 2, 3, 4, 5, 6, 7])
    #expect((model.questions, model.doubtful) == (0, 0))
  }

  @Test("no value is lost when a subscriber leaves, even if the program is late", arguments: [false, true])
  func leaves(_ late: Bool) {
    model.sessions = 2
    model.begin()
    model.send(Self.pairs)
    model.leave()
    model.send(Self.pairs, late: late)
    #expect(model.take() == Self.pairs + Self.pairs)
    #expect(model.doubtful == (late ? 3 : 0))
    model.send(Self.pairs)
    #expect(model.take() == Self.pairs)
    #expect(model.doubtful == (late ? 3 : 0))
  }

  @Test("values between StartNotify and its reply do not show how many sessions there are afterwards")
  func whileJoining() {
    model.request()
    model.send([1, 2, 3])
    model.send([4, 4], late: true)
    model.reply()
    #expect(model.certain == [1, 2, 3, 4])
    #expect(model.take() == [1, 2, 3, 4, 4])
    model.send(Self.pairs)
    #expect(model.take() == Self.pairs)
    #expect(model.doubtful == 1)
  }

  @Test("after a message to another program, only one value may be duplicated, and marked, beside a subscriber")
  func doubt() {
    model.sessions = 2
    model.begin()
    model.send(Self.pairs)
    _ = model.take()
    model.sendElsewhere()
    model.send(Self.pairs)
    #expect(model.certain == Self.pairs)
    #expect(model.take() == [1] + Self.pairs)
    #expect(model.doubtful == 1)
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
    #expect(model.certain == Self.pairs + Self.pairs)
    #expect(model.filter.sessions == 2)
    for _ in 0..<16 {
      model.sendElsewhere()
      model.send([8])
    }
    // A scan does not duplicate values for ever.
    _ = model.take()
    model.sendElsewhere()
    model.send([9])
    #expect(model.take() == [9])
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
    #expect(model.filter.sessions == 2)
    model.send(Self.pairs)
    #expect(Array(model.certain.suffix(6)) == Self.pairs)
  }

  @Test("serial numbers may wrap")
  func wrap() {
    var filter = CopyFilter()
    filter.begin(isSubscribed: true, elsewhere: 0)
    filter.joined()
    let bytes: [UInt8] = [1]
    func judge(_ serial: UInt32) -> CopyFilter.Verdict {
      bytes.withUnsafeBytes {
        filter.judge($0, serial: serial, elsewhere: 0, canRepeat: { _ in true })
      }
    }
    #expect([judge(.max), judge(0), judge(5)] == [.value, .copy, .value])
  }

  private enum Burst: CaseIterable { case never, once, often }

  /// The model reports each copy that is not marked.
  @Test("in random lives, unmarked values are never copies, and none is lost", arguments: Burst.allCases)
  private func random(_ burst: Burst) {
    for seed in 0..<2000 as Range<UInt64> {
      var generator = SeededRandom(seed: seed)
      let model = SignallingModel()
      var (sent, mayBurst, doubts): ([UInt8], Bool, Int) = ([], burst != .never, 0)
      func someValues(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...1, using: &generator) } }
      func step(canLeave: Bool) {
        let kind = Int.random(in: 0..<8, using: &generator)
        if kind < 3, burst == .once {
          // The number of doubts in succession is limited.
          guard doubts < 15 else { return }
          doubts += 1
        }
        switch kind {
        case 0: model.join()
        case 1: if canLeave, model.sessions > 1 { model.leave() }
        case 2: model.sendElsewhere()
        case 3 where mayBurst:
          mayBurst = burst == .often
          let values = someValues(4)
          model.send(values, late: true)
          sent += values
        default:
          let values = someValues(1)
          model.send(values)
          sent += values
        }
      }
      model.sessions = Int.random(in: 0...3, using: &generator)
      for _ in 0..<4 where model.sessions > 0 { step(canLeave: false) }
      model.request()
      for _ in 0..<4 where model.sessions > 0 { step(canLeave: true) }
      model.reply()
      for _ in 0..<60 { step(canLeave: true) }
      if burst != .often, !isComplete(model.delivered, sent) {
        Issue.record("seed \(seed): of \(sent) came \(model.delivered)")
        return
      }
      if !isComplete(sent, model.certain) {
        Issue.record("seed \(seed): of \(sent) came too many: \(model.certain)")
        return
      }
    }
  }

  /// Whether the first consists of the second and of repetitions.
  private func isComplete(_ all: [UInt8], _ some: [UInt8]) -> Bool {
    func runs(_ values: [UInt8]) -> [(UInt8, Int)] {
      values.reduce(into: []) { runs, value in
        if runs.last?.0 == value { runs[runs.count - 1].1 += 1 } else { runs.append((value, 1)) }
      }
    }
    let (all, some) = (runs(all), runs(some))
    return all.count == some.count && zip(all, some).allSatisfy { $0.0 == $1.0 && $0.1 >= $1.1 }
  }
}
