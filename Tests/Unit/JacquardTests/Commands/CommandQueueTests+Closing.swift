import EventLoop
import JacquardWire
import Testing
import TestWorld

@testable import Jacquard

extension CommandQueueTests {
  @Test("closing fails all pending requests once, with its reason")
  func closing() {
    fixture.request("a", into: outcome)
    fixture.request("b", into: outcome)
    fixture.request("c", into: outcome)
    fixture.life.end(JacquardError(.connectionLost, "gone"))
    fixture.life.end(JacquardError(.deviceGone, "gone again"))
    fixture.settle()
    #expect(outcome.entries == ["a: connectionLost", "b: connectionLost", "c: connectionLost"])
    fixture.answer(1)
    fixture.time.advance(by: .seconds(60))
    #expect(outcome.entries.count == 3)
    #expect(fixture.ids == [1])
  }

  @Test("a response received immediately before closing is accepted")
  func answeredBeforeClosing() throws {
    fixture.request("a", into: outcome)
    var response = WireResponse()
    response.id = 1
    response.status = 0
    fixture.receive(response.packet())
    fixture.life.end(JacquardError(.connectionLost, "gone"))
    fixture.settle()
    #expect(outcome.entries == ["a: id 1 status 0"])
  }

  @Test("closing during a write does not wait for the write")
  func closingDuringWrite() {
    let accepted = Completion<Void, CancellationError>()
    fixture.writing = { try await accepted.value() }
    fixture.request("a", into: outcome)
    fixture.life.end(JacquardError(.connectionLost, "gone"))
    fixture.settle()
    #expect(outcome.entries == ["a: connectionLost"])
    accepted.succeed(())
    fixture.settle()
    #expect(outcome.entries == ["a: connectionLost"])
  }

  @Test("a response received just before closing is accepted", arguments: [false, true])
  func closingBehindAnAnswer(whileWriting: Bool) throws {
    let accepted = Completion<Void, CancellationError>()
    if whileWriting { fixture.writing = { try await accepted.value() } }
    fixture.request("a", into: outcome)
    fixture.request("b", into: outcome)
    var response = WireResponse()
    response.id = 1
    response.status = 0
    fixture.receive(response.packet())
    fixture.life.end(JacquardError(.connectionLost, "gone"))
    fixture.settle()
    #expect(outcome.entries == ["a: id 1 status 0", "b: connectionLost"])
    accepted.succeed(())
    fixture.settle()
    #expect(outcome.entries.count == 2)
    #expect(fixture.ids == [1])
  }

  @Test("a command added after closing completes after the commands that closing failed")
  func givenBehindClosing() {
    fixture.request("a", into: outcome)
    fixture.request("b", into: outcome)
    fixture.loop.postHere { [fixture] in fixture.life.end(JacquardError(.connectionLost, "gone")) }
    fixture.request("c", into: outcome)
    #expect(outcome.entries == ["a: connectionLost", "b: connectionLost", "c: staleTag"])
  }

  @Test("after closing the tag is stale")
  func stale() {
    fixture.life.end(JacquardError(.connectionLost, "gone"))
    fixture.request("a", into: outcome)
    #expect(outcome.entries == ["a: staleTag"])
    #expect(fixture.written.isEmpty)
  }

  @Test("an idle queue is only retained by its owner")
  func released() throws {
    weak var queue: CommandQueue?
    do {
      let fixture = try CommandQueueFixture()
      queue = fixture.queue
      fixture.request("a", into: outcome)
      fixture.answer(1)
      #expect(queue != nil)
    }
    #expect(queue == nil)
  }
}
