import TagSimulator

/// Random decisions from a seed, the same on every machine.
struct Dice {
  private var numbers: RandomNumbers

  init(seed: UInt64) { numbers = RandomNumbers(seed: seed) }

  /// Separate random numbers for each decision that depends on the same seed.
  init(seed: UInt64, _ index: Int) {
    self.init(seed: seed)
    self.init(seed: next() ^ UInt64(truncatingIfNeeded: index) &* 0xd134_2543_de82_ef95)
    _ = next()
  }

  mutating func next() -> UInt64 { numbers.next() }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(limit, 1))) }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  mutating func number(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

  /// One of the elements, chosen by weight.
  mutating func weighed<Element>(_ elements: [(Element, Int)]) -> Element {
    var rest = below(elements.reduce(0) { $0 + $1.1 })
    for (element, weight) in elements {
      if rest < weight { return element }
      rest -= weight
    }
    return elements[0].0
  }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
