import Glibc
import WireFormat

/// Compares encodings of every kind, generated from a seed.
struct Comparison {
  private(set) var same = 0
  private(set) var refused = 0
  private(set) var repaired = 0
  private(set) var different: [String] = []

  var total: Int { same + refused + repaired + different.count }

  /// Of ten encodings, one is canonical, two are not, five are mutated and two are random bytes.
  mutating func messages(_ count: Int, seed: UInt64) {
    var noise = Noise(seed: seed)
    for index in 0..<count {
      let pair = pairs[noise.below(pairs.count)]
      var bytes: [UInt8]
      switch index % 10 {
      case 0: bytes = noise.message(pair.schema, tidy: true)
      case 1, 2: bytes = noise.message(pair.schema, tidy: false)
      case 3, 4: bytes = noise.bytes(40)
      default:
        bytes = noise.message(pair.schema, tidy: noise.chance(2))
        noise.mutate(&bytes)
      }
      note(pair.compare(bytes), pair.name, bytes)
    }
  }

  /// Cases that random bytes rarely reach: deep nesting, and lengths near the largest numbers.
  mutating func extremes() {
    for depth in [1, 50, 97, 98, 99, 100, 101, 102, 1000, 100_000] {
      let open = encoded(3000 << 3 | 3)
      let close = encoded(3000 << 3 | 4)
      let bytes = [open, close].flatMap { repeatElement($0, count: depth).joined() }
      note(pairs[0].compare(bytes), pairs[0].name, bytes)
    }
    for length in [.max, UInt64(Int64.max), 1 << 63, 1 << 32, 1 << 31, UInt64(UInt32.max), 3] {
      for pair in pairs {
        for number in [1, 2, 3, 4, 7, 99, 917] as [UInt64] {
          let bytes = encoded(number << 3 | 2) + encoded(length) + [0, 0]
          note(pair.compare(bytes), pair.name, bytes)
        }
      }
    }
  }

  mutating func states(_ count: Int, seed: UInt64) {
    var noise = Noise(seed: seed)
    for _ in 0..<count {
      let text = noise.stateText()
      if StateText.isMisreadByTheOracle(text) { continue }
      if let difference = StateText.difference(text) {
        different.append("\(difference): \(String(decoding: text, as: UTF8.self))")
      } else {
        same += 1
      }
    }
  }

  private mutating func note(_ outcome: Pair.Outcome, _ name: String, _ bytes: [UInt8]) {
    switch outcome {
    case .same: same += 1
    case .refused: refused += 1
    case .repaired: repaired += 1
    case .different(let how): different.append("\(name) \(hex(Array(bytes.prefix(200)))): \(how)")
    }
  }

  /// The number in JACQUARD_ORACLE_COUNT.
  static func count(usually usual: Int) -> Int {
    getenv("JACQUARD_ORACLE_COUNT").flatMap { Int(String(cString: $0)) } ?? usual
  }
}
