import Testing

@testable import Jacquard

@Suite("Deadlines")
struct DeadlinesTests {
  private let deadlines = Deadlines()

  @Test("pauses between attempts grow, and the last one stays")
  func pauses() {
    let pauses = (1...7).map { deadlines.pause(afterAttempt: $0) }
    #expect(pauses == pauses.sorted())
    #expect(pauses.first == .milliseconds(250))
    #expect(pauses.last == .seconds(15))
    #expect(deadlines.pause(afterAttempt: 8) == .seconds(15))
    #expect(deadlines.pause(afterAttempt: .max) == .seconds(15))
  }

  @Test("an attempt number that makes no sense has the first pause")
  func nonsense() {
    #expect(deadlines.pause(afterAttempt: 0) == .milliseconds(250))
    #expect(deadlines.pause(afterAttempt: -1) == .milliseconds(250))
  }

  @Test("set-up requests have the two seconds of the reference, other requests eight")
  func reference() {
    #expect(deadlines.setUpRequest == .seconds(2))
    #expect(deadlines.request == .seconds(8))
    #expect(deadlines.firstConnection == .seconds(60))
  }

  @Test("one attempt to connect fits into the time for the first connection")
  func order() {
    #expect(deadlines.linkUp + deadlines.servicesResolved < deadlines.firstConnection)
    // BlueZ takes two seconds to drop a healthy link.
    #expect(deadlines.linkDown > .seconds(2))
  }
}
