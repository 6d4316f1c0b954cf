import EventLoop
import JacquardWire
import Testing
import TestWorld

@testable import Jacquard

@Suite("Command queue")
struct CommandQueueTests {
  let fixture: CommandQueueFixture
  let outcome = Recorder<String>()

  init() throws { fixture = try CommandQueueFixture() }

  @Test("requests are sent in order, each only after the response to the previous one")
  func oneInFlight() {
    fixture.request("a", .hello, into: outcome)
    fixture.request("b", .begin, into: outcome)
    fixture.request("c", .deviceInfo, into: outcome)
    #expect(fixture.written.map(\.command) == [.hello])
    fixture.answer(1)
    #expect(fixture.written.map(\.command) == [.hello, .begin])
    fixture.answer(2)
    fixture.answer(3, status: 7)
    #expect(fixture.written.map(\.command) == [.hello, .begin, .deviceInfo])
    #expect(outcome.entries == ["a: id 1 status 0", "b: id 2 status 0", "c: id 3 status 7"])
  }

  @Test("IDs run from 1 to 254 and start again at 1")
  func ids() {
    for number in 0..<600 {
      fixture.request("r", into: outcome)
      fixture.answer(UInt32(number % 254 + 1))
    }
    #expect(fixture.ids == (0..<600).map { UInt32($0 % 254 + 1) })
    #expect(outcome.entries.count == 600)
  }

  @Test(
    "a response that arrives while the request is being written is accepted, and the next request waits for the write")
  func answerDuringWrite() {
    let accepted = Completion<Void, CancellationError>()
    fixture.writing = { try await accepted.value() }
    fixture.request("a", into: outcome)
    fixture.request("b", .begin, into: outcome)
    fixture.answer(1)
    #expect(outcome.entries == ["a: id 1 status 0"])
    #expect(fixture.ids == [1])
    accepted.succeed(())
    fixture.settle()
    #expect(fixture.ids == [1, 2])
  }

  @Test("the time limit starts when the request has been written")
  func deadlineFromWritten() {
    let accepted = Completion<Void, CancellationError>()
    fixture.writing = { try await accepted.value() }
    var written = false
    fixture.request("a", deadline: .seconds(2), into: outcome) { written = true }
    fixture.time.advance(by: .seconds(5))
    #expect(outcome.entries == [] && !written)
    accepted.succeed(())
    fixture.settle()
    #expect(written)
    fixture.time.advance(by: .milliseconds(1999))
    #expect(outcome.entries == [])
    fixture.time.advance(by: .milliseconds(1))
    #expect(outcome.entries == ["a: timeout"])
  }

  @Test("each request has its own time limit, and after it the next one is sent")
  func timeout() {
    fixture.request("a", deadline: .seconds(8), into: outcome)
    fixture.request("b", deadline: .seconds(2), into: outcome)
    fixture.time.advance(by: .seconds(7))
    #expect(outcome.entries == [])
    fixture.time.advance(by: .seconds(1))
    #expect(outcome.entries == ["a: timeout"])
    #expect(fixture.ids == [1, 2])
    fixture.time.advance(by: .seconds(2))
    #expect(outcome.entries == ["a: timeout", "b: timeout"])
  }

  @Test("a late response is dropped")
  func late() {
    fixture.request("a", deadline: .seconds(2), into: outcome)
    fixture.request("b", into: outcome)
    fixture.time.advance(by: .seconds(2))
    fixture.answer(1)
    #expect(outcome.entries == ["a: timeout"])
    fixture.answer(2)
    #expect(outcome.entries == ["a: timeout", "b: id 2 status 0"])
    #expect(fixture.warnings.entries.count == 1)
  }

  @Test("a repeated response is dropped, even in the same iteration")
  func repeated() {
    fixture.request("a", into: outcome)
    fixture.request("b", into: outcome)
    var response = WireResponse()
    response.id = 1
    response.status = 0
    let packet = response.packet()
    fixture.receive(packet)
    fixture.receive(packet)
    fixture.settle()
    fixture.receive(packet)
    fixture.settle()
    #expect(outcome.entries == ["a: id 1 status 0"])
    #expect(fixture.warnings.entries.count == 2)
  }

  @Test("a response with another ID, or without a request, is dropped")
  func wrongID() {
    fixture.answer(1)
    fixture.request("a", into: outcome)
    for id: UInt32 in [0, 2, 255, .max] { fixture.answer(id) }
    #expect(outcome.entries == [])
    fixture.answer(1)
    #expect(outcome.entries == ["a: id 1 status 0"])
    #expect(fixture.warnings.entries.count == 5)
  }

  @Test(
    "a response that cannot be decoded fails the request in flight, and the next one waits for its response",
    arguments: [
      [], [0xff], [0x08], [0x08, 0x01], [0x10, 0x00], [UInt8](repeating: 0xff, count: 1024), [0x08, 0x01, 0x10],
    ] as [[UInt8]])
  func undecodable(_ packet: [UInt8]) {
    fixture.receive(packet)
    fixture.request("a", into: outcome)
    fixture.request("b", into: outcome)
    fixture.receive(packet)
    fixture.receive(packet)
    fixture.settle()
    #expect(outcome.entries == ["a: malformedResponse"])
    #expect(fixture.statistics.counts.droppedResponses == 3)
    #expect(fixture.ids == [1])
    fixture.answer(1)
    #expect(fixture.ids == [1, 2])
    fixture.answer(2)
    #expect(outcome.entries == ["a: malformedResponse", "b: id 2 status 0"])
  }

  @Test("a request cancelled while it waits for its turn is never sent")
  func cancelledBeforeStart() {
    fixture.request("a", into: outcome)
    let waiting = fixture.request("b", into: outcome)
    fixture.request("c", .begin, into: outcome)
    waiting.cancel()
    fixture.settle()
    #expect(outcome.entries == ["b: cancelled"])
    fixture.answer(1)
    fixture.answer(2)
    #expect(fixture.written.map(\.command) == [.batteryStatus, .begin])
    #expect(outcome.entries == ["b: cancelled", "a: id 1 status 0", "c: id 2 status 0"])
  }

  @Test("a request whose caller was cancelled beforehand is never sent")
  func cancelledBeforehand() {
    let task = fixture.loop.spawn { [queue = fixture.queue, outcome] in
      do throws(JacquardError) {
        _ = try await queue.exchange(WireRequest(.hello), deadline: .seconds(2))
      } catch {
        outcome.note(error.isCancellation ? "cancelled" : "\(error.code)")
      }
    }
    task.cancel()
    fixture.settle()
    #expect(outcome.entries == ["cancelled"])
    #expect(fixture.written.isEmpty)
  }

  @Test(
    "a request cancelled after it was sent ends the caller's wait immediately, but the next one is sent in its turn")
  func cancelledAfterStart() {
    let begun = fixture.request("a", deadline: .seconds(2), into: outcome)
    fixture.request("b", into: outcome)
    begun.cancel()
    fixture.settle()
    #expect(outcome.entries == ["a: cancelled"])
    #expect(fixture.ids == [1])
    fixture.answer(1)
    #expect(fixture.ids == [1, 2])
  }

  @Test("a cancelled request without a response blocks the queue no longer than its time limit")
  func cancelledUnanswered() {
    fixture.request("a", deadline: .seconds(2), into: outcome).cancel()
    fixture.request("b", into: outcome)
    fixture.time.advance(by: .seconds(2))
    #expect(fixture.ids == [1, 2])
    #expect(outcome.entries == ["a: cancelled"])
  }

  @Test("a failed write ends only its own request")
  func writeFails() {
    var failures = [JacquardError(.gatt, "no")]
    fixture.writing = { if let failure = failures.popLast() { throw failure } }
    fixture.request("a", into: outcome)
    fixture.request("b", into: outcome)
    fixture.answer(2)
    #expect(outcome.entries == ["a: gatt", "b: id 2 status 0"])
  }

  @Test("a request whose write is late fails, and the next one waits until it has been written and answered")
  func writeIsLate() {
    var writes: [Completion<Void, CancellationError>] = []
    fixture.writing = {
      writes.append(Completion())
      try await writes[writes.count - 1].value()
    }
    fixture.request("a", into: outcome)
    fixture.overdue()
    fixture.request("b", into: outcome)
    fixture.settle()
    #expect(outcome.entries == ["a: timeout"])
    #expect(fixture.ids == [1])
    writes[0].succeed(())
    fixture.settle()
    #expect(fixture.ids == [1])
    fixture.answer(1)
    #expect(fixture.ids == [1, 2])
    writes[1].succeed(())
    fixture.answer(2)
    #expect(outcome.entries == ["a: timeout", "b: id 2 status 0"])
  }

  @Test("while a write is late, each later request fails after its time limit, without being sent")
  func writeStaysLate() {
    fixture.writing = { try await Completion<Void, CancellationError>().value() }
    fixture.request("a", into: outcome)
    fixture.overdue()
    fixture.request("b", into: outcome)
    fixture.request("c", into: outcome)
    fixture.time.advance(by: .seconds(8))
    #expect(outcome.entries == ["a: timeout", "b: timeout"])
    fixture.time.advance(by: .seconds(8))
    #expect(outcome.entries == ["a: timeout", "b: timeout", "c: timeout"])
    #expect(fixture.ids == [1])
    fixture.life.end(JacquardError(.connectionLost, "gone"))
    fixture.settle()
  }

  @Test("a write interrupted by the end of the link fails with the reason for that end")
  func writeCutOff() {
    var unlikely = JacquardError(.gatt, "no")
    unlikely.attCode = 0x0e
    fixture.writing = { throw unlikely }
    fixture.request("a", into: outcome)
    fixture.life.end(JacquardError(.connectionLost, "gone"))
    fixture.settle()
    #expect(outcome.entries == ["a: connectionLost"])
  }

  @Test("a write after the end of the link, which BlueZ has not reported yet, fails with the reason for that end")
  func writeTooLate() {
    fixture.writing = { throw JacquardError(.connectionLost, "not connected") }
    fixture.request("a", into: outcome)
    fixture.settle()
    #expect(outcome.entries == [])
    fixture.life.end(JacquardError(.deviceGone, "gone"))
    fixture.settle()
    #expect(outcome.entries == ["a: deviceGone"])
  }

  @Test("a write that fails in the same way while the link stays up fails as well")
  func writeFailsUnlikely() {
    var unlikely = JacquardError(.gatt, "no")
    unlikely.attCode = 0x0e
    fixture.writing = { throw unlikely }
    fixture.request("a", into: outcome)
    fixture.time.advance(by: .seconds(1))
    #expect(outcome.entries == ["a: gatt"])
  }
}
