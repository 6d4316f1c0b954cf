/// The number of a vendor, a product or a module, written as four pairs of lower-case hexadecimal digits:
/// `11-78-30-c8`.
public struct PartID: RawRepresentable, Hashable, Sendable {
  /// The number as the tag sends it: 0x117830c8 for `11-78-30-c8`.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension PartID: LosslessStringConvertible {
  /// Parses four pairs of hexadecimal digits separated by dashes, in either case; nil for any other text.
  public init?(_ text: String) {
    let pairs = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard pairs.count == 4 else { return nil }
    var value: UInt32 = 0
    for pair in pairs {
      // UInt8(_:radix:) alone would accept a sign.
      guard pair.count == 2, pair.first != UInt8(ascii: "+"), let byte = UInt8(Substring(pair), radix: 16) else {
        return nil
      }
      value = value << 8 | UInt32(byte)
    }
    self.init(rawValue: value)
  }

  /// Four pairs of lower-case hexadecimal digits: `11-78-30-c8`.
  public var description: String {
    let digits = Array(String(rawValue, radix: 16).utf8)
    var text = Array(repeating: UInt8(ascii: "0"), count: 8 - digits.count) + digits
    for dash in [6, 4, 2] { text.insert(UInt8(ascii: "-"), at: dash) }
    return String(decoding: text, as: UTF8.self)
  }
}
