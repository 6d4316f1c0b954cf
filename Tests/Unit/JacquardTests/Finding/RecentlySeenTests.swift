import Testing

@testable import Jacquard

@Suite("Recently seen elements")
struct RecentlySeenTests {
  @Test("are new once")
  func once() {
    let seen = RecentlySeen<Int>(capacity: 100)
    #expect((1...50).allSatisfy { seen.see($0) })
    #expect(!(1...50).contains { seen.see($0) })
  }

  @Test("are new again after many others, unless they were seen in between")
  func forgotten() {
    let seen = RecentlySeen<Int>(capacity: 10)
    #expect(seen.see(1) && seen.see(2))
    for other in 100..<1000 {
      #expect(seen.see(other))
      #expect(!seen.see(1))
    }
    #expect(seen.see(2))
  }

  @Test("are kept while no more than the capacity of others are seen")
  func kept() {
    let seen = RecentlySeen<Int>(capacity: 10)
    for first in 0..<10 {
      for other in 0..<first { _ = seen.see(1000 * first + other) }
      #expect(seen.see(-1 - first))
      for other in 0..<9 { #expect(seen.see(-1000 * (first + 1) - other)) }
      #expect(!seen.see(-1 - first))
    }
  }
}
