/// The short serial number that a tag advertises, the last characters of the one printed on it.
///
/// Advertised as manufacturer data with six bits per character, least significant bits first, ended by the code 63.
public struct SerialNumber: Hashable, CustomStringConvertible, Sendable {
  /// Google's number. The advertisement carries it as `e0 00`, little-endian.
  public static let companyID: UInt16 = 0x00e0

  /// One or more digits, letters or dashes, such as `01ZK`.
  public let text: String

  public var description: String { text }

  /// Nil if a character cannot be encoded.
  public init?(_ text: String) {
    guard !text.isEmpty, text.utf8.allSatisfy({ Self.alphabet.contains($0) }) else { return nil }
    self.text = text
  }

  /// Decodes the bytes after the company ID; nil if they contain no character.
  public init?(manufacturerData bytes: [UInt8]) {
    text = String(unsafeUninitializedCapacity: bytes.count * 8 / 6) { text in
      var count = 0
      var bits: UInt16 = 0
      var bitCount = 0
      for byte in bytes {
        bits |= UInt16(byte) << bitCount
        bitCount += 8
        while bitCount >= 6 {
          let code = Int(bits & 0x3f)
          guard code != Self.endCode else { return count }
          text[count] = Self.alphabet[code]
          count += 1
          bits >>= 6
          bitCount -= 6
        }
      }
      return count
    }
    guard !text.isEmpty else { return nil }
  }

  /// The bytes after the company ID in an advertisement.
  public var manufacturerData: [UInt8] {
    var bytes: [UInt8] = []
    var bits: UInt16 = 0
    var bitCount = 0
    func append(_ code: Int) {
      bits |= UInt16(truncatingIfNeeded: code) << bitCount
      bitCount += 6
      if bitCount >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: bits))
        bits >>= 8
        bitCount -= 8
      }
    }
    for character in text.utf8 { append(Self.alphabet.firstIndex(of: character) ?? Self.endCode) }
    append(Self.endCode)
    if bitCount > 0 { bytes.append(UInt8(truncatingIfNeeded: bits)) }
    return bytes
  }

  private static let endCode = 63
  private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-".utf8)
}
