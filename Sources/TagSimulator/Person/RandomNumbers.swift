import Glibc

/// Random numbers from a seed, the same in every run: SplitMix64 (Steele, Lea, Flood, 2014).
public struct RandomNumbers: RandomNumberGenerator {
  private var state: UInt64
  private var spare: Double?

  public init(seed: UInt64) { state = seed }

  /// Equal parts yield equal numbers; each part counts.
  init(_ parts: UInt64...) {
    self.init(seed: 0)
    for part in parts {
      state ^= part
      state = next()
    }
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }

  /// A number from 0 up to 1.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func number(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * fraction()
  }

  mutating func count(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  mutating func happens(_ probability: Double) -> Bool { fraction() < probability }

  /// A number of the standard normal distribution: Marsaglia's polar method.
  mutating func normal() -> Double {
    if let spare {
      self.spare = nil
      return spare
    }
    while true {
      let (x, y) = (2 * fraction() - 1, 2 * fraction() - 1)
      let square = x * x + y * y
      guard square > 0, square < 1 else { continue }
      let factor = (-2 * log(square) / square).squareRoot()
      spare = y * factor
      return x * factor
    }
  }

  /// Normal, cut off at the limits.
  mutating func normal(_ mean: Double, _ deviation: Double, _ limits: ClosedRange<Double>) -> Double {
    min(max(mean + deviation * normal(), limits.lowerBound), limits.upperBound)
  }

  /// A number of the exponential distribution with the mean 1.
  mutating func exponential() -> Double { -log(1 - fraction()) }

  /// A positive factor around 1, whose logarithm is normal.
  mutating func factor(_ deviation: Double) -> Double { exp(deviation * min(max(normal(), -3), 3)) }
}
