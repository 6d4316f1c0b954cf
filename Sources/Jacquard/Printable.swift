extension String {
  /// For a message that goes to a terminal or a log. Tags, bluetoothd and other programs on the bus choose some of what
  /// stands in messages: what would not be seen, or would change how the rest is seen, is written as `\u{1B}`.
  var printable: String {
    guard unicodeScalars.contains(where: \.isUnseen) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isUnseen {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Control characters, ends of lines, and what changes the direction of text. ASCII first: the tables are slow.
  fileprivate var isUnseen: Bool {
    if isASCII { return value < 0x20 || value == 0x7f }
    if properties.isBidiControl { return true }
    return switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
