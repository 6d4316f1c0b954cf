import BlueZ

/// The identifier that callers store and reconnect with: a version 5 UUID (RFC 9562) derived from the tag's Bluetooth
/// address, so that it is the same on every adapter, in every process and after every restart. BlueZ's object paths are
/// not the same.
public struct TagIdentifier: Hashable, Sendable {
  /// Its first and its last eight bytes; numbers, because there is one for each of thousands of devices.
  private let high: UInt64
  private let low: UInt64
  private static let length = 36
  private static let dash = UInt8(ascii: "-")

  /// The project's namespace, a random constant; changing it would invalidate every stored identifier.
  private static let namespace: [UInt8] = [
    0x5b, 0x1c, 0x7e, 0x0d, 0x8a, 0x43, 0x4f, 0x52, 0x9d, 0x6e, 0x2a, 0x91, 0xc4, 0x37, 0xf0, 0x18,
  ]

  /// Derives the identifier from a Bluetooth address, whose case does not matter.
  public init(address: String) {
    let words = SHA1.digest(of: Self.namespace + Array(address.uppercased().utf8)).map(UInt64.init)
    high = (words[0] << 32 | words[1]) & ~0xf000 | 0x5000
    low = (words[2] << 32 | words[3]) & ~(0b11 << 62) | 0b10 << 62
  }

  /// Reads 8-4-4-4-12 hexadecimal digits in either case; nil for anything else.
  public init?(text: String) {
    var digits: [UInt64] = []
    for (index, character) in text.utf8.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard character == Self.dash else { return nil }
      } else {
        guard index < Self.length, let digit = Hexadecimal.value(of: character) else { return nil }
        digits.append(UInt64(digit))
      }
    }
    guard digits.count == 32 else { return nil }
    high = digits.prefix(16).reduce(0) { $0 << 4 | $1 }
    low = digits.suffix(16).reduce(0) { $0 << 4 | $1 }
  }

  /// Lower-case text with dashes.
  public var text: String {
    String(unsafeUninitializedCapacity: Self.length) {
      write(to: UnsafeMutableRawBufferPointer($0))
      return Self.length
    }
  }

  /// Calls `body` with the text, without allocating memory.
  public func withCString(_ body: (UnsafePointer<CChar>) -> Void) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.length + 1) { buffer in
      write(to: UnsafeMutableRawBufferPointer(buffer))
      buffer[Self.length] = 0
      body(UnsafePointer(buffer.baseAddress!))
    }
  }

  private func write(to text: UnsafeMutableRawBufferPointer) {
    let (second, third) = (Self.digits(high), Self.digits(low >> 32))
    text.storeBytes(of: Self.digits(high >> 32), as: UInt64.self)
    text.storeBytes(of: UInt32(truncatingIfNeeded: second), toByteOffset: 9, as: UInt32.self)
    text.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32), toByteOffset: 14, as: UInt32.self)
    text.storeBytes(of: UInt32(truncatingIfNeeded: third), toByteOffset: 19, as: UInt32.self)
    text.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32), toByteOffset: 24, as: UInt32.self)
    text.storeBytes(of: Self.digits(low), toByteOffset: 28, as: UInt64.self)
    (text[8], text[13], text[18], text[23]) = (Self.dash, Self.dash, Self.dash, Self.dash)
  }

  private static func digits(_ half: UInt64) -> UInt64 {
    Hexadecimal.digits(of: UInt32(truncatingIfNeeded: half), Hexadecimal.lower)
  }
}

/// SHA-1 as in RFC 3174, for `TagIdentifier` alone: name-based UUIDs of version 5 are defined with it.
enum SHA1 {
  static func digest(of message: [UInt8]) -> [UInt32] {
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
    let padded = padded(message)
    for start in stride(from: 0, to: padded.count, by: 64) {
      absorb(padded[start..<start + 64], into: &state)
    }
    return state
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
