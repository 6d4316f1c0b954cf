import EventLoop
import JacquardWire
import Testing
import TestWorld

@testable import Jacquard

@Suite("Command queue")
struct CommandQueueTests {
  private let bench: CommandQueueFixture
  private let outcome = Recorder<String>()

  init() throws { bench = try CommandQueueFixture() }

  @Test("requests are sent in order, each only after the response to the previous one")
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

  @Test("IDs run from 1 to 254 and start again at 1")
  func ids() {
    for number in 0..<600 {
      bench.request("r", into: outcome)
      bench.answer(UInt32(number % 254 + 1))
    }
    #expect(bench.ids == (0..<600).map { UInt32($0 % 254 + 1) })
    #expect(outcome.entries.count == 600)
  }

  @Test(
    "a response that arrives while the request is being written is accepted, and the next request waits for the write")
  func answerDuringWrite() {
    let accepted = Completion<Void, CancellationError>()
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

  @Test("the time limit starts when the request has been written")
  func deadlineFromWritten() {
    let accepted = Completion<Void, CancellationError>()
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

  @Test("each request has its own time limit, and after it the next one is sent")
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

  @Test("a late response is dropped")
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

  @Test("a repeated response is dropped, even in the same iteration")
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

  @Test("a response with another ID, or without a request, is dropped")
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
    "a response that cannot be decoded fails the request in flight, and the next one waits for its response",
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

  @Test("a request cancelled while it waits for its turn is never sent")
  func cancelledBeforeStart() {
    bench.request("a", into: outcome)
    let waiting = bench.request("b", into: outcome)
    bench.request("c", .begin, into: outcome)
    waiting.cancel()
    bench.settle()
    #expect(outcome.entries == ["b: cancelled"])
    bench.answer(1)
    bench.answer(2)
    #expect(bench.written.map(\.command) == [.batteryStatus, .begin])
    #expect(outcome.entries == ["b: cancelled", "a: id 1 status 0", "c: id 2 status 0"])
  }

  @Test("a request whose caller was cancelled beforehand is never sent")
  func cancelledBeforehand() {
    let task = bench.loop.spawn { [queue = bench.queue, outcome] in
      do throws(JacquardError) {
        _ = try await queue.exchange(WireRequest(.hello), deadline: .seconds(2))
      } catch {
        outcome.note(error.isCancellation ? "cancelled" : "\(error.code)")
      }
    }
    task.cancel()
    bench.settle()
    #expect(outcome.entries == ["cancelled"])
    #expect(bench.written.isEmpty)
  }

  @Test(
    "a request cancelled after it was sent ends the caller's wait immediately, but the next one is sent in its turn")
  func cancelledAfterStart() {
    let begun = bench.request("a", deadline: .seconds(2), into: outcome)
    bench.request("b", into: outcome)
    begun.cancel()
    bench.settle()
    #expect(outcome.entries == ["a: cancelled"])
    #expect(bench.ids == [1])
    bench.answer(1)
    #expect(bench.ids == [1, 2])
  }

  @Test("a cancelled request without a response blocks the queue no longer than its time limit")
  func cancelledUnanswered() {
    bench.request("a", deadline: .seconds(2), into: outcome).cancel()
    bench.request("b", into: outcome)
    bench.time.advance(by: .seconds(2))
    #expect(bench.ids == [1, 2])
    #expect(outcome.entries == ["a: cancelled"])
  }

  @Test("a failed write ends only its own request")
  func writeFails() {
    var failures = [JacquardError(.gatt, "no")]
    bench.writing = { if let failure = failures.popLast() { throw failure } }
    bench.request("a", into: outcome)
    bench.request("b", into: outcome)
    bench.answer(2)
    #expect(outcome.entries == ["a: gatt", "b: id 2 status 0"])
  }

  @Test("a request whose write is late fails, and the next one waits until it has been written and answered")
  func writeIsLate() {
    var writes: [Completion<Void, CancellationError>] = []
    bench.writing = {
      writes.append(Completion())
      try await writes[writes.count - 1].value()
    }
    bench.request("a", into: outcome)
    bench.overdue()
    bench.request("b", into: outcome)
    bench.settle()
    #expect(outcome.entries == ["a: timeout"])
    #expect(bench.ids == [1])
    writes[0].succeed(())
    bench.settle()
    #expect(bench.ids == [1])
    bench.answer(1)
    #expect(bench.ids == [1, 2])
    writes[1].succeed(())
    bench.answer(2)
    #expect(outcome.entries == ["a: timeout", "b: id 2 status 0"])
  }

  @Test("while a write is late, each later request fails after its time limit, without being sent")
  func writeStaysLate() {
    bench.writing = { try await Completion<Void, CancellationError>().value() }
    bench.request("a", into: outcome)
    bench.overdue()
    bench.request("b", into: outcome)
    bench.request("c", into: outcome)
    bench.time.advance(by: .seconds(8))
    #expect(outcome.entries == ["a: timeout", "b: timeout"])
    bench.time.advance(by: .seconds(8))
    #expect(outcome.entries == ["a: timeout", "b: timeout", "c: timeout"])
    #expect(bench.ids == [1])
    bench.life.end(JacquardError(.connectionLost, "gone"))
    bench.settle()
  }

  @Test("a write interrupted by the end of the link fails with the reason for that end")
  func writeCutOff() {
    var unlikely = JacquardError(.gatt, "no")
    unlikely.attCode = 0x0e
    bench.writing = { throw unlikely }
    bench.request("a", into: outcome)
    bench.life.end(JacquardError(.connectionLost, "gone"))
    bench.settle()
    #expect(outcome.entries == ["a: connectionLost"])
  }

  @Test("a write after the end of the link, which BlueZ has not reported yet, fails with the reason for that end")
  func writeTooLate() {
    bench.writing = { throw JacquardError(.connectionLost, "not connected") }
    bench.request("a", into: outcome)
    bench.settle()
    #expect(outcome.entries == [])
    bench.life.end(JacquardError(.deviceGone, "gone"))
    bench.settle()
    #expect(outcome.entries == ["a: deviceGone"])
  }

  @Test("a write that fails in the same way while the link stays up fails as well")
  func writeFailsUnlikely() {
    var unlikely = JacquardError(.gatt, "no")
    unlikely.attCode = 0x0e
    bench.writing = { throw unlikely }
    bench.request("a", into: outcome)
    bench.time.advance(by: .seconds(1))
    #expect(outcome.entries == ["a: gatt"])
  }

  @Test("closing fails all pending requests once, with its reason")
  func closing() {
    bench.request("a", into: outcome)
    bench.request("b", into: outcome)
    bench.request("c", into: outcome)
    bench.life.end(JacquardError(.connectionLost, "gone"))
    bench.life.end(JacquardError(.deviceGone, "gone again"))
    bench.settle()
    #expect(outcome.entries == ["a: connectionLost", "b: connectionLost", "c: connectionLost"])
    bench.answer(1)
    bench.time.advance(by: .seconds(60))
    #expect(outcome.entries.count == 3)
    #expect(bench.ids == [1])
  }

  @Test("a response received immediately before closing is accepted")
  func answeredBeforeClosing() throws {
    bench.request("a", into: outcome)
    var response = WireResponse()
    response.id = 1
    response.status = 0
    bench.receive(response.packet())
    bench.life.end(JacquardError(.connectionLost, "gone"))
    bench.settle()
    #expect(outcome.entries == ["a: id 1 status 0"])
  }

  @Test("closing during a write does not wait for the write")
  func closingDuringWrite() {
    let accepted = Completion<Void, CancellationError>()
    bench.writing = { try await accepted.value() }
    bench.request("a", into: outcome)
    bench.life.end(JacquardError(.connectionLost, "gone"))
    bench.settle()
    #expect(outcome.entries == ["a: connectionLost"])
    accepted.succeed(())
    bench.settle()
    #expect(outcome.entries == ["a: connectionLost"])
  }

  @Test("a response received just before closing is accepted", arguments: [false, true])
  func closingBehindAnAnswer(whileWriting: Bool) throws {
    let accepted = Completion<Void, CancellationError>()
    if whileWriting { bench.writing = { try await accepted.value() } }
    bench.request("a", into: outcome)
    bench.request("b", into: outcome)
    var response = WireResponse()
    response.id = 1
    response.status = 0
    bench.receive(response.packet())
    bench.life.end(JacquardError(.connectionLost, "gone"))
    bench.settle()
    #expect(outcome.entries == ["a: id 1 status 0", "b: connectionLost"])
    accepted.succeed(())
    bench.settle()
    #expect(outcome.entries.count == 2)
    #expect(bench.ids == [1])
  }

  @Test("a command added after closing completes after the commands that closing failed")
  func givenBehindClosing() {
    bench.request("a", into: outcome)
    bench.request("b", into: outcome)
    bench.loop.postHere { [bench] in bench.life.end(JacquardError(.connectionLost, "gone")) }
    bench.request("c", into: outcome)
    #expect(outcome.entries == ["a: connectionLost", "b: connectionLost", "c: staleTag"])
  }

  @Test("after closing the tag is stale")
  func stale() {
    bench.life.end(JacquardError(.connectionLost, "gone"))
    bench.request("a", into: outcome)
    #expect(outcome.entries == ["a: staleTag"])
    #expect(bench.written.isEmpty)
  }

  @Test("an idle queue is only retained by its owner")
  func released() throws {
    weak var queue: CommandQueue?
    do {
      let bench = try CommandQueueFixture()
      queue = bench.queue
      bench.request("a", into: outcome)
      bench.answer(1)
      #expect(queue != nil)
    }
    #expect(queue == nil)
  }
}
