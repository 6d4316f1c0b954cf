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
