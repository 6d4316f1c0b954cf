/// Bytes from hexadecimal digits, which may be separated by blanks.
func hex(_ text: some StringProtocol) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
