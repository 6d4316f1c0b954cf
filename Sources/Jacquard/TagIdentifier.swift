/// The identifier that callers store and reconnect with: a version 5 UUID (RFC 9562) derived from the tag's Bluetooth
/// address, so that it is the same on every adapter, in every process and after every restart. BlueZ's object paths are
/// not.
public struct TagIdentifier: Hashable, Sendable {
  /// Lower-case text with dashes.
  public let text: String

  /// The project's namespace, a random constant; changing it would invalidate every stored identifier.
  private static let namespace: [UInt8] = [
    0x5b, 0x1c, 0x7e, 0x0d, 0x8a, 0x43, 0x4f, 0x52, 0x9d, 0x6e, 0x2a, 0x91, 0xc4, 0x37, 0xf0, 0x18,
  ]

  /// Derives the identifier from a Bluetooth address, whose case does not matter.
  public init(address: String) {
    var bytes = Array(SHA1.digest(of: Self.namespace + Array(address.uppercased().utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0f | 0x50
    bytes[8] = bytes[8] & 0x3f | 0x80
    text = Self.text(of: bytes)
  }

  /// Reads 8-4-4-4-12 hexadecimal digits in either case; nil for anything else.
  public init?(text: String) {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard groups.map(\.count) == [8, 4, 4, 4, 12], groups.joined().allSatisfy({ $0.isHexDigit }) else { return nil }
    self.text = text.lowercased()
  }

  private static func text(of bytes: [UInt8]) -> String {
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}

/// SHA-1 as in RFC 3174, for `TagIdentifier` alone: name-based UUIDs of version 5 are defined with it.
enum SHA1 {
  static func digest(of message: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
    let padded = padded(message)
    for start in stride(from: 0, to: padded.count, by: 64) {
      absorb(padded[start..<start + 64], into: &state)
    }
    return state.flatMap { word in stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  private static func padded(_ message: [UInt8]) -> [UInt8] {
    var bytes = message + [0x80]
    while bytes.count % 64 != 56 { bytes.append(0) }
    let bits = UInt64(message.count) &* 8
    for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    return bytes
  }

  private static func absorb(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words = [UInt32](repeating: 0, count: 80)
    for (index, byte) in block.enumerated() { words[index / 4] = words[index / 4] << 8 | UInt32(byte) }
    for t in 16..<80 { words[t] = (words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16]).rotated(1) }

    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for t in 0..<80 {
      let (mix, constant): (UInt32, UInt32) =
        switch t {
        case 0..<20: (b & c | ~b & d, 0x5a82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ed9_eba1)
        case 40..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
        default: (b ^ c ^ d, 0xca62_c1d6)
        }
      (a, b, c, d, e) = (a.rotated(5) &+ mix &+ e &+ words[t] &+ constant, a, b.rotated(30), c, d)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
  }
}

extension UInt32 {
  fileprivate func rotated(_ bits: UInt32) -> UInt32 { self << bits | self >> (32 - bits) }
}
