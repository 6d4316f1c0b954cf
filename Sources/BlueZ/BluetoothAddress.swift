/// The 48 bits of a Bluetooth address; a number, because BlueZ can know thousands of devices.
public struct BluetoothAddress: Equatable, Sendable {
  private let bits: UInt64
  private static let length = 17

  /// A placeholder until BlueZ has reported the address.
  static let unknown = BluetoothAddress(bits: .max)

  private init(bits: UInt64) { self.bits = bits }

  /// Reads six pairs of hexadecimal digits with colons between them, in either case; nil for anything else.
  public init?(_ text: String) {
    var bits: UInt64 = 0
    var count = 0
    for byte in text.utf8 {
      if count % 3 == 2 {
        guard byte == UInt8(ascii: ":") else { return nil }
      } else {
        guard let digit = Hexadecimal.value(of: byte) else { return nil }
        bits = bits << 4 | UInt64(digit)
      }
      count += 1
      guard count <= Self.length else { return nil }
    }
    guard count == Self.length else { return nil }
    self.bits = bits
  }

  /// Whether it may be a private address that BlueZ resolves with a bond, by its first two bits; a public address may
  /// have the same ones.
  public var mayBeResolved: Bool { bits >> 46 == 0b01 }

  public var isKnown: Bool { self != .unknown }

  /// The address in capitals, such as `C0:FF:EE:00:00:01`, as BlueZ writes it; empty if it is not known.
  public var text: String {
    guard isKnown else { return "" }
    return String(unsafeUninitializedCapacity: Self.length) {
      write(to: UnsafeMutableRawBufferPointer($0))
      return Self.length
    }
  }

  /// Calls `body` with the text, without allocating memory.
  public func withCString(_ body: (UnsafePointer<CChar>) -> Void) {
    guard isKnown else { return "".withCString(body) }
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.length + 1) { buffer in
      write(to: UnsafeMutableRawBufferPointer(buffer))
      buffer[Self.length] = 0
      body(UnsafePointer(buffer.baseAddress!))
    }
  }

  private func write(to text: UnsafeMutableRawBufferPointer) {
    let first = Hexadecimal.digits(of: UInt32(truncatingIfNeeded: bits >> 16), Hexadecimal.upper)
    let last = Hexadecimal.digits(of: UInt32(truncatingIfNeeded: bits << 16), Hexadecimal.upper)
    for pair in 0..<6 {
      let digits = pair < 4 ? first >> (16 * pair) : last >> (16 * (pair - 4))
      if pair > 0 { text[3 * pair - 1] = UInt8(ascii: ":") }
      text.storeBytes(of: UInt16(truncatingIfNeeded: digits), toByteOffset: 3 * pair, as: UInt16.self)
    }
  }
}
