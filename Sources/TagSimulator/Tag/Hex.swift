/// Bytes as lower-case pairs with spaces, the form in which the protocol's examples are written.
func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { byte in
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }.joined(separator: " ")
}

/// Reads pairs of hexadecimal digits, with or without spaces between the pairs.
func bytes(hex text: some StringProtocol) -> [UInt8]? {
  var result: [UInt8] = []
  for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\n" }) {
    let digits = Array(word)
    guard digits.count % 2 == 0 else { return nil }
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index].hexDigitValue, let low = digits[index + 1].hexDigitValue else { return nil }
      result.append(UInt8(high * 16 + low))
    }
  }
  return result
}
