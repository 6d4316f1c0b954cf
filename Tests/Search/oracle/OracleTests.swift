import Testing

@testable import oracle

@Suite("The codec and SwiftProtobuf agree")
struct OracleTests {
  @Test("on every message of the schema") func everyMessage() {
    #expect(pairs.count == 94)
    var noise = Noise(seed: 1)
    for pair in pairs {
      for tidy in [true, false] {
        for _ in 0..<20 {
          let bytes = noise.message(pair.schema, tidy: tidy)
          if case .different(let how) = pair.compare(bytes) { Issue.record("\(pair.name) \(hex(bytes)): \(how)") }
        }
      }
    }
  }

  @Test("on random and mutated encodings", arguments: 1...4 as ClosedRange<UInt64>) func random(seed: UInt64) {
    var comparison = Comparison()
    comparison.messages(Comparison.count(usually: 25_000), seed: seed)
    #expect(comparison.different.prefix(5) == [])
    #expect(comparison.same > 0 && comparison.refused > 0 && comparison.repaired > 0)
  }

  @Test("on nested groups, and on lengths beyond the end") func extremes() {
    var comparison = Comparison()
    comparison.extremes()
    #expect(comparison.different.prefix(5) == [])
  }

  @Test("on the text of a state file", arguments: 1...4 as ClosedRange<UInt64>) func states(seed: UInt64) {
    var comparison = Comparison()
    comparison.states(Comparison.count(usually: 2_500), seed: seed)
    #expect(comparison.different.prefix(5) == [])
  }
}
