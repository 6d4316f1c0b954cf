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
