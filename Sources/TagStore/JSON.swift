/// A value of a JSON text (RFC 8259). A number is kept as text.
public enum JSON {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSON])
  case object([(key: String, value: JSON)])

  /// A text that is not JSON, or a value of the wrong type.
  public struct FormatError: Error {
    public init() {}
  }

  /// Parses a complete text. Throws if it is malformed, or nested more than 100 levels deep.
  public init(utf8 bytes: [UInt8]) throws(FormatError) {
    var parser = JSONParser(bytes: bytes)
    self = try parser.text()
  }
}

/// Every read is checked against the end of the text.
private struct JSONParser {
  /// The maximum depth of nested arrays and objects; a state has four levels.
  private static let deepest = 100

  private let bytes: [UInt8]
  private var offset = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func text() throws(JSON.FormatError) -> JSON {
    let value = try value(depth: 0)
    skipSpace()
    guard offset == bytes.count else { throw JSON.FormatError() }
    return value
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { offset += 1 }
  }

  /// Skips the next byte if it is this one.
  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    offset += 1
    return true
  }

  private mutating func takeAfterSpace(_ byte: UInt8) -> Bool {
    skipSpace()
    return take(byte)
  }

  private mutating func require(_ word: StaticString) throws(JSON.FormatError) {
    for index in 0..<word.utf8CodeUnitCount {
      guard take(word.utf8Start[index]) else { throw JSON.FormatError() }
    }
  }

  private mutating func value(depth: Int) throws(JSON.FormatError) -> JSON {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return .object(try object(depth))
    case UInt8(ascii: "["): return .array(try array(depth))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"):
      try require("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try require("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try require("null")
      return .null
    default: return .number(try number())
    }
  }

  private mutating func object(_ depth: Int) throws(JSON.FormatError) -> [(key: String, value: JSON)] {
    guard depth < Self.deepest else { throw JSON.FormatError() }
    offset += 1
    var members: [(key: String, value: JSON)] = []
    if takeAfterSpace(UInt8(ascii: "}")) { return members }
    repeat {
      skipSpace()
      let key = try string()
      guard takeAfterSpace(UInt8(ascii: ":")) else { throw JSON.FormatError() }
      members.append((key, try value(depth: depth + 1)))
    } while takeAfterSpace(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw JSON.FormatError() }
    return members
  }

  private mutating func array(_ depth: Int) throws(JSON.FormatError) -> [JSON] {
    guard depth < Self.deepest else { throw JSON.FormatError() }
    offset += 1
    var values: [JSON] = []
    if takeAfterSpace(UInt8(ascii: "]")) { return values }
    repeat { values.append(try value(depth: depth + 1)) } while takeAfterSpace(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw JSON.FormatError() }
    return values
  }

  /// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
  private mutating func number() throws(JSON.FormatError) -> String {
    let start = offset
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func digits() throws(JSON.FormatError) {
    let start = offset
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    guard offset > start else { throw JSON.FormatError() }
  }

  private mutating func string() throws(JSON.FormatError) -> String {
    guard take(UInt8(ascii: "\"")) else { throw JSON.FormatError() }
    var text: [UInt8] = []
    while true {
      let plain = bytes[offset...].prefix { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
      text += plain
      offset = plain.endIndex
      guard let byte = next else { break }
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: text, as: UTF8.self) else { throw JSON.FormatError() }
        return text
      case UInt8(ascii: "\\"): try escape(into: &text)
      default: throw JSON.FormatError()
      }
    }
    throw JSON.FormatError()
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSON.FormatError) {
    guard let byte = next else { throw JSON.FormatError() }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      guard let scalar = Unicode.Scalar(try codePoint()), let utf8 = UTF8.encode(scalar) else {
        throw JSON.FormatError()
      }
      text += utf8
    default: throw JSON.FormatError()
    }
  }

  /// Four digits, or a pair of surrogates of four digits each.
  private mutating func codePoint() throws(JSON.FormatError) -> UInt32 {
    let first = try hex()
    guard (0xd800..<0xdc00).contains(first) else { return first }
    try require("\\u")
    let second = try hex()
    guard (0xdc00..<0xe000).contains(second) else { throw JSON.FormatError() }
    return 0x10000 + (first - 0xd800) << 10 + (second - 0xdc00)
  }

  private mutating func hex() throws(JSON.FormatError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Self.hexDigit(byte) else { throw JSON.FormatError() }
      code = code << 4 | UInt32(digit)
      offset += 1
    }
    return code
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
