extension String {
  /// Makes text safe for terminals and logs. Tags, bluetoothd and other programs on the bus control parts of messages:
  /// characters that are invisible or affect how the rest is displayed are written as `\u{1B}`.
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
  /// Control characters, line separators, and characters that change the text direction. ASCII first: the tables are
  /// slow.
  fileprivate var isUnseen: Bool {
    if isASCII { return value < 0x20 || value == 0x7f }
    if properties.isBidiControl { return true }
    return switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

extension String {
  /// Whether these bytes occur in it. `contains` of the standard library is part of its regular expressions, which the
  /// library is linked without: see Package.swift.
  func includes(_ part: String) -> Bool {
    let bytes = Array(utf8)
    let part = Array(part.utf8)
    guard bytes.count >= part.count else { return false }
    return (0...bytes.count - part.count).contains { bytes[$0...].starts(with: part) }
  }
}
