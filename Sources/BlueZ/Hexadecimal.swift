/// Hexadecimal digits, eight at a time: every advertisement contains an address and the identifier of a tag.
public enum Hexadecimal {
  /// The distance from the character after "9" to the first letter.
  static let upper: UInt64 = 7
  public static let lower: UInt64 = 39

  /// The eight digits of a number as characters, the first one in the lowest byte.
  ///
  /// - Parameter letters: `upper` or `lower`.
  public static func digits(of value: UInt32, _ letters: UInt64) -> UInt64 {
    var digits = UInt64(value.byteSwapped)
    digits = (digits | digits << 16) & 0x0000_ffff_0000_ffff
    digits = (digits | digits << 8) & 0x00ff_00ff_00ff_00ff
    digits = (digits >> 4 | digits << 8) & 0x0f0f_0f0f_0f0f_0f0f
    let isLetter = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits &+ 0x3030_3030_3030_3030 &+ isLetter &* letters
  }

  /// The value of a digit in either case.
  public static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
