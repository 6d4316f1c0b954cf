import EventLoop
import JacquardWire
import Testing

@testable import Jacquard

@Suite("Command queue")
struct CommandQueueTests {
  private let bench: CommandQueueBench
  private let outcome = Record<String>()

  init() throws { bench = try CommandQueueBench() }

  @Test("requests go out in order, each only after the answer to the one before")
  func oneInFlight() {
    bench.request("a", .hello, into: outcome)
    bench.request("b", .begin, into: outcome)
    bench.request("c", .deviceInfo, into: outcome)
    #expect(bench.written.map(\.command) == [.hello])
    bench.answer(1)
    #expect(bench.written.map(\.command) == [.hello, .begin])
    bench.answer(2)
    bench.answer(3, status: 7)
    #expect(bench.written.map(\.command) == [.hello, .begin, .deviceInfo])
    #expect(outcome.entries == ["a: id 1 status 0", "b: id 2 status 0", "c: id 3 status 7"])
  }

  @Test("ids run from 1 to 254 and begin again at 1")
  func ids() {
    for number in 0..<600 {
      bench.request("r", into: outcome)
      bench.answer(UInt32(number % 254 + 1))
    }
    #expect(bench.ids == (0..<600).map { UInt32($0 % 254 + 1) })
    #expect(outcome.entries.count == 600)
  }

  @Test(
    "an answer that comes while the request is still being written counts, and the next request waits for the writing")
  func answerDuringWrite() {
    let accepted = Completion<Void>()
    bench.writing = { try await accepted.value() }
    bench.request("a", into: outcome)
    bench.request("b", .begin, into: outcome)
    bench.answer(1)
    #expect(outcome.entries == ["a: id 1 status 0"])
    #expect(bench.ids == [1])
    accepted.succeed(())
    bench.settle()
    #expect(bench.ids == [1, 2])
  }

  @Test("the deadline runs from the moment the request is written")
  func deadlineFromWritten() {
    let accepted = Completion<Void>()
    bench.writing = { try await accepted.value() }
    var written = false
    bench.request("a", deadline: .seconds(2), into: outcome) { written = true }
    bench.time.advance(by: .seconds(5))
    #expect(outcome.entries == [] && !written)
    accepted.succeed(())
    bench.settle()
    #expect(written)
    bench.time.advance(by: .milliseconds(1999))
    #expect(outcome.entries == [])
    bench.time.advance(by: .milliseconds(1))
    #expect(outcome.entries == ["a: timeout"])
  }

  @Test("each request has its own deadline, and a timeout lets the next one go")
  func timeout() {
    bench.request("a", deadline: .seconds(8), into: outcome)
    bench.request("b", deadline: .seconds(2), into: outcome)
    bench.time.advance(by: .seconds(7))
    #expect(outcome.entries == [])
    bench.time.advance(by: .seconds(1))
    #expect(outcome.entries == ["a: timeout"])
    #expect(bench.ids == [1, 2])
    bench.time.advance(by: .seconds(2))
    #expect(outcome.entries == ["a: timeout", "b: timeout"])
  }

  @Test("a late answer is dropped")
  func late() {
    bench.request("a", deadline: .seconds(2), into: outcome)
    bench.request("b", into: outcome)
    bench.time.advance(by: .seconds(2))
    bench.answer(1)
    #expect(outcome.entries == ["a: timeout"])
    bench.answer(2)
    #expect(outcome.entries == ["a: timeout", "b: id 2 status 0"])
    #expect(bench.warnings.entries.count == 1)
  }

  @Test("a repeated answer is dropped, also in the same turn")
  func repeated() {
    bench.request("a", into: outcome)
    bench.request("b", into: outcome)
    var response = WireResponse()
    response.id = 1
    response.status = 0
    let packet = response.packet()
    bench.receive(packet)
    bench.receive(packet)
    bench.settle()
    bench.receive(packet)
    bench.settle()
    #expect(outcome.entries == ["a: id 1 status 0"])
    #expect(bench.warnings.entries.count == 2)
  }

  @Test("an answer with another id, or with nothing asked, is dropped")
  func wrongID() {
    bench.answer(1)
    bench.request("a", into: outcome)
    for id: UInt32 in [0, 2, 255, .max] { bench.answer(id) }
    #expect(outcome.entries == [])
    bench.answer(1)
    #expect(outcome.entries == ["a: id 1 status 0"])
    #expect(bench.warnings.entries.count == 5)
  }

  @Test(
    "an answer that does not decode fails the request in flight, and the next one waits until that is answered",
    arguments: [
      [], [0xff], [0x08], [0x08, 0x01], [0x10, 0x00], [UInt8](repeating: 0xff, count: 1024), [0x08, 0x01, 0x10],
    ] as [[UInt8]])
  func undecodable(_ packet: [UInt8]) {
    bench.receive(packet)
    bench.request("a", into: outcome)
    bench.request("b", into: outcome)
    bench.receive(packet)
    bench.receive(packet)
    bench.settle()
    #expect(outcome.entries == ["a: malformedResponse"])
    #expect(bench.statistics.counts.droppedResponses == 3)
    #expect(bench.ids == [1])
    bench.answer(1)
    #expect(bench.ids == [1, 2])
    bench.answer(2)
    #expect(outcome.entries == ["a: malformedResponse", "b: id 2 status 0"])
  }

  @Test("a request cancelled while it waits its turn is never sent")
  func cancelledBeforeStart() {
    bench.request("a", into: outcome)
    let waiting = bench.request("b", into: outcome)
    bench.request("c", .begin, into: outcome)
    waiting.cancel()
    bench.settle()
    #expect(outcome.entries == ["b: CancellationError()"])
    bench.answer(1)
    bench.answer(2)
    #expect(bench.written.map(\.command) == [.batteryStatus, .begin])
    #expect(outcome.entries == ["b: CancellationError()", "a: id 1 status 0", "c: id 2 status 0"])
  }

  @Test("a request whose caller was cancelled beforehand is never sent")
  func cancelledBeforehand() {
    let task = bench.loop.spawn { [queue = bench.queue, outcome] in
      do {
        _ = try await queue.exchange(WireRequest(.hello), deadline: .seconds(2))
      } catch {
        outcome.note("\(error)")
      }
    }
    task.cancel()
    bench.settle()
    #expect(outcome.entries == ["CancellationError()"])
    #expect(bench.written.isEmpty)
  }

  @Test("a request cancelled after it was sent frees its caller at once, and the tag gets the next one only in time")
  func cancelledAfterStart() {
    let begun = bench.request("a", deadline: .seconds(2), into: outcome)
    bench.request("b", into: outcome)
    begun.cancel()
    bench.settle()
    #expect(outcome.entries == ["a: CancellationError()"])
    #expect(bench.ids == [1])
    bench.answer(1)
    #expect(bench.ids == [1, 2])
  }

  @Test("a cancelled request that is never answered blocks the queue no longer than its deadline")
  func cancelledUnanswered() {
    bench.request("a", deadline: .seconds(2), into: outcome).cancel()
    bench.request("b", into: outcome)
    bench.time.advance(by: .seconds(2))
    #expect(bench.ids == [1, 2])
    #expect(outcome.entries == ["a: CancellationError()"])
  }

  @Test("a write that fails ends its own request alone")
  func writeFails() {
    var failures = [JacquardError(.gatt, "no")]
    bench.writing = { if let failure = failures.popLast() { throw failure } }
    bench.request("a", into: outcome)
    bench.request("b", into: outcome)
    bench.answer(2)
    #expect(outcome.entries == ["a: gatt", "b: id 2 status 0"])
  }

  @Test("a write that the end of the link cuts off fails with the reason of that")
  func writeCutOff() {
    var unlikely = JacquardError(.gatt, "no")
    unlikely.attCode = 0x0e
    bench.writing = { throw unlikely }
    bench.request("a", into: outcome)
    bench.queue.close(JacquardError(.connectionLost, "gone"))
    bench.settle()
    #expect(outcome.entries == ["a: connectionLost"])
  }

  @Test("a write that fails like that while the link stays fails all the same")
  func writeFailsUnlikely() {
    var unlikely = JacquardError(.gatt, "no")
    unlikely.attCode = 0x0e
    bench.writing = { throw unlikely }
    bench.request("a", into: outcome)
    bench.time.advance(by: .seconds(1))
    #expect(outcome.entries == ["a: gatt"])
  }

  @Test("closing fails everything under way and waiting, once each, with its reason")
  func closing() {
    bench.request("a", into: outcome)
    bench.request("b", into: outcome)
    bench.request("c", into: outcome)
    bench.queue.close(JacquardError(.connectionLost, "gone"))
    bench.queue.close(JacquardError(.deviceGone, "gone again"))
    bench.settle()
    #expect(outcome.entries == ["a: connectionLost", "b: connectionLost", "c: connectionLost"])
    bench.answer(1)
    bench.time.advance(by: .seconds(60))
    #expect(outcome.entries.count == 3)
    #expect(bench.ids == [1])
  }

  @Test("an answer that came right before the closing counts")
  func answeredBeforeClosing() throws {
    bench.request("a", into: outcome)
    var response = WireResponse()
    response.id = 1
    response.status = 0
    bench.receive(response.packet())
    bench.queue.close(JacquardError(.connectionLost, "gone"))
    bench.settle()
    #expect(outcome.entries == ["a: id 1 status 0"])
  }

  @Test("closing during a write does not wait for the write")
  func closingDuringWrite() {
    let accepted = Completion<Void>()
    bench.writing = { try await accepted.value() }
    bench.request("a", into: outcome)
    bench.queue.close(JacquardError(.connectionLost, "gone"))
    bench.settle()
    #expect(outcome.entries == ["a: connectionLost"])
    accepted.succeed(())
    bench.settle()
    #expect(outcome.entries == ["a: connectionLost"])
  }

  @Test("an answer that came just before closing counts", arguments: [false, true])
  func closingBehindAnAnswer(whileWriting: Bool) throws {
    let accepted = Completion<Void>()
    if whileWriting { bench.writing = { try await accepted.value() } }
    bench.request("a", into: outcome)
    bench.request("b", into: outcome)
    var response = WireResponse()
    response.id = 1
    response.status = 0
    bench.receive(response.packet())
    bench.queue.close(JacquardError(.connectionLost, "gone"))
    bench.settle()
    #expect(outcome.entries == ["a: id 1 status 0", "b: connectionLost"])
    accepted.succeed(())
    bench.settle()
    #expect(outcome.entries.count == 2)
    #expect(bench.ids == [1])
  }

  @Test("after closing the tag is stale")
  func stale() {
    bench.queue.close(JacquardError(.connectionLost, "gone"))
    bench.request("a", into: outcome)
    #expect(outcome.entries == ["a: staleTag"])
    #expect(bench.written.isEmpty)
  }

  @Test("an idle queue belongs to nobody but its owner")
  func released() throws {
    weak var queue: CommandQueue?
    do {
      let bench = try CommandQueueBench()
      queue = bench.queue
      bench.request("a", into: outcome)
      bench.answer(1)
      #expect(queue != nil)
    }
    #expect(queue == nil)
  }
}
