import EventLoop
import Testing

@testable import Jacquard

@Suite("Time limits")
struct DeadlinesTests {
  private let deadlines = Deadlines()

  @Test("pauses between attempts grow, and the last one repeats")
  func pauses() {
    let pauses = (1...7).map { deadlines.retryPauses.after(attempt: $0) }
    #expect(pauses == pauses.sorted())
    #expect(pauses.first == .milliseconds(250))
    #expect(pauses.last == .seconds(15))
    #expect(deadlines.retryPauses.after(attempt: 8) == .seconds(15))
    #expect(deadlines.retryPauses.after(attempt: .max) == .seconds(15))
  }

  @Test("an invalid attempt number has the first pause")
  func nonsense() {
    #expect(deadlines.retryPauses.after(attempt: 0) == .milliseconds(250))
    #expect(deadlines.retryPauses.after(attempt: -1) == .milliseconds(250))
  }

  @Test("an attempt that took as long as its pause has the shortest pause")
  func longAttempts() {
    #expect(deadlines.retryPauses.after(attempt: 8, ofLength: .seconds(5)) == .seconds(10))
    #expect(deadlines.retryPauses.after(attempt: 8, ofLength: .seconds(41)) == .milliseconds(250))
    #expect(deadlines.retryPauses.after(attempt: 1, ofLength: .seconds(41)) == .milliseconds(250))
  }

  @Test("the longer a tag is absent, the less often it is searched for")
  func away() {
    #expect(deadlines.searchCycle(away: .zero) == nil)
    #expect(deadlines.searchCycle(away: deadlines.continuousDiscovery) == .seconds(22))
    #expect(deadlines.searchCycle(away: .seconds(599)) == .seconds(22))
    #expect(deadlines.searchCycle(away: .seconds(600)) == .seconds(66))
    #expect(deadlines.searchCycle(away: .seconds(86400)) == .seconds(66))
    #expect(deadlines.linkUp(away: .seconds(39)) == .seconds(20))
    #expect(deadlines.linkUp(away: .seconds(40)) == .seconds(60))
  }

  @Test("windows fit into their cycles, which begin when continuous discovery ends and coincide")
  func windows() {
    #expect(deadlines.searchCycles.first?.after == deadlines.continuousDiscovery)
    #expect(deadlines.searchCycles.allSatisfy { $0.value > deadlines.searchWindow })
    #expect(deadlines.forgettingCycle - deadlines.searchWindow > .seconds(37))
    for (sooner, later) in zip(deadlines.searchCycles, deadlines.searchCycles.dropFirst()) {
      #expect(sooner.after < later.after)
      #expect(later.value.saturatingNanoseconds % sooner.value.saturatingNanoseconds == 0)
    }
  }

  @Test("set-up requests have two seconds as in the reference SDK, other requests eight")
  func reference() {
    #expect(deadlines.setUpRequest == .seconds(2))
    #expect(deadlines.request == .seconds(8))
    #expect(deadlines.firstConnection == .seconds(60))
  }

  @Test("one attempt fits into the time limit of the first connection")
  func order() {
    #expect(deadlines.linkUp + deadlines.servicesResolved < deadlines.firstConnection)
    // BlueZ takes two seconds to drop a working link.
    #expect(deadlines.linkDown > .seconds(2))
  }
}
