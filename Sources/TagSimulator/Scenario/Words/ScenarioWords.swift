/// The words of one line, read one after the other.
struct ScenarioWords {
  let line: Int
  private var words: ArraySlice<Substring>

  init(_ text: Substring, line: Int) {
    self.line = line
    let code = text.prefix { $0 != "#" }
    words = code.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" })[...]
  }

  var isEmpty: Bool { words.isEmpty }

  func peek() -> Substring? { words.first }

  func fail(_ message: String) -> ScenarioError { ScenarioError(line: line, message: message) }

  /// Takes the next word if it is `word`.
  mutating func take(_ word: String) -> Bool {
    guard words.first == word[...] else { return false }
    words.removeFirst()
    return true
  }

  mutating func next(_ what: String) throws -> Substring {
    guard let word = words.popFirst() else { throw fail("\(what) is missing at the end of the line") }
    return word
  }

  mutating func rest() -> String {
    defer { words = [] }
    return words.joined(separator: " ")
  }

  mutating func end() throws {
    if let word = words.first { throw fail("‘\(word)’ is not expected here") }
  }

  mutating func number<T: FixedWidthInteger>(_ what: String, in range: ClosedRange<T>) throws -> T {
    let word = try next(what)
    guard let value = Self.integer(word, as: T.self), range.contains(value) else {
      throw fail("‘\(word)’ is not \(what) (\(range.lowerBound) to \(range.upperBound))")
    }
    return value
  }

  mutating func duration(_ what: String) throws -> Duration {
    let word = try next(what)
    guard let duration = Self.duration(word) else {
      throw fail("‘\(word)’ is not \(what), such as 300ms, 2.5s or 1min")
    }
    return duration
  }

  mutating func version() throws -> Version {
    let word = try next("a version")
    guard let version = Version(word) else { throw fail("‘\(word)’ is not a version such as 1.96.0") }
    return version
  }

  /// A release of BlueZ: the number after the 5.
  mutating func release() throws -> UInt8 {
    let word = try next("a release of BlueZ")
    guard word.hasPrefix("5."), let release = UInt8(word.dropFirst(2)) else {
      throw fail("‘\(word)’ is not a release of BlueZ such as 5.87")
    }
    return release
  }

  mutating func onOff() throws -> Bool {
    let word = try next("on or off")
    switch word {
    case "on": return true
    case "off": return false
    default: throw fail("‘\(word)’ is neither on nor off")
    }
  }

  /// One of an enumeration's raw values.
  mutating func choice<T: RawRepresentable & CaseIterable>(_ what: String) throws -> T where T.RawValue == String {
    let word = try next(what)
    guard let value = T(rawValue: String(word)) else {
      throw fail("‘\(word)’ is not \(what); known: \(T.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return value
  }

  /// `once` or `3 times`, or nothing; after a request's name a colon ends it.
  mutating func times(colon: Bool = false) throws -> Int? {
    let tail = colon ? ":" : ""
    if take("once" + tail) { return 1 }
    guard let word = peek(), let count = Int(word) else {
      if colon { throw fail("a colon is missing after the request") }
      return nil
    }
    _ = try next("a number")
    guard (1...1_000_000).contains(count), take("times" + tail) else {
      throw fail("‘\(word)’ must be followed by ‘times\(tail)’")
    }
    return count
  }

  /// One of two words after another word: whether it is the first.
  mutating func either(_ yes: String, _ no: String, after word: String) throws -> Bool {
    if take(yes) { return true }
    guard take(no) else { throw fail("‘\(word)’ must be followed by \(yes) or \(no)") }
    return false
  }

  /// The next word if it reads as a duration.
  mutating func optionalDuration() -> Duration? {
    guard let word = words.first, let duration = Self.duration(word) else { return nil }
    words.removeFirst()
    return duration
  }

  /// The next word if it reads as `1st`, `2nd`, `3rd`, `4th` and so on.
  mutating func optionalOrdinal() -> Int? {
    guard let word = words.first, ["st", "nd", "rd", "th"].contains(word.suffix(2)),
      let count = Int(word.dropLast(2)), (1...1_000_000).contains(count)
    else { return nil }
    words.removeFirst()
    return count
  }

  private static func integer<T: FixedWidthInteger>(_ word: Substring, as: T.Type) -> T? {
    word.hasPrefix("0x") ? T(word.dropFirst(2), radix: 16) : T(word)
  }

  /// Up to nine digits before the point and nine after, then us, ms, s or min.
  static func duration(_ word: Substring) -> Duration? {
    let digits = word.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = Int64(parts[0]), parts[0].count <= 9 else { return nil }
    var nanoseconds = whole * 1_000_000_000
    if parts.count == 2 {
      let fraction = parts[1]
      guard (1...9).contains(fraction.count), var value = Int64(fraction) else { return nil }
      for _ in fraction.count..<9 { value *= 10 }
      nanoseconds += value
    }
    switch word[digits.endIndex...] {
    case "us": return .nanoseconds(nanoseconds / 1_000_000)
    case "ms": return .nanoseconds(nanoseconds / 1000)
    case "s": return .nanoseconds(nanoseconds)
    case "min": return .nanoseconds(nanoseconds) * 60
    default: return nil
    }
  }
}
