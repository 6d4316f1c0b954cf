import SwiftProtobuf

@testable import TagStore

/// The text of a state file, read and written by the library and by SwiftProtobuf.
enum StateText {
  /// The difference, or nil.
  static func difference(_ text: [UInt8]) -> String? {
    let own = try? TagStore.StoredState(jsonUTF8Bytes: text)
    let oracle = try? StoredState(jsonUTF8Bytes: text)
    guard let own, let oracle else {
      return (own == nil) == (oracle == nil) ? nil : "refused by \(own == nil ? "the library" : "SwiftProtobuf") alone"
    }
    let written = own.jsonUTF8Bytes()
    guard let expected: [UInt8] = try? oracle.jsonUTF8Bytes() else { return "SwiftProtobuf cannot write it" }
    return written == expected ? nil : "written as \(String(decoding: written, as: UTF8.self))"
  }

  /// SwiftProtobuf 1.39 joins surrogates beyond the first supplementary plane wrongly.
  static func isMisreadByTheOracle(_ text: [UInt8]) -> Bool {
    text.indices.dropLast(5).contains { index in
      let word = text[index..<index + 5].map { $0 | 0x20 }
      guard word.starts(with: Array("\u{5c}ud".utf8).map { $0 | 0x20 }) else { return false }
      if word[3] == UInt8(ascii: "8") { return !"0123".utf8.contains(word[4]) }
      return "9ab".utf8.contains(word[3])
    }
  }
}

extension Noise {
  /// A state that is well-formed or nearly well-formed.
  mutating func stateText() -> [UInt8] {
    var text = Array(object(Self.state, depth: 0).utf8)
    if chance(3) {
      for _ in 0...below(3) {
        switch below(4) {
        case 0 where !text.isEmpty: text[below(text.count)] = byte()
        case 1 where !text.isEmpty: text.remove(at: below(text.count))
        case 2 where !text.isEmpty: text.insert(text[below(text.count)], at: below(text.count + 1))
        default: text.insert(pick(Array("{}[]\",:\\u0019-.eE+ntf \n".utf8)), at: below(text.count + 1))
        }
      }
    }
    return text
  }

  private indirect enum Shape: Sendable {
    case text, texts, small, large
    case objects([(String, Shape)])
  }

  private static let state: [(String, Shape)] = [
    ("version", .small),
    (
      "tags",
      .objects([
        ("identifier", .text), ("address", .text), ("serial", .text), ("name", .text), ("owner", .text),
        ("profile", .objects([("key", .text), ("value", .text)])), ("boundAt", .large), ("bound_at", .large),
        ("lastConnected", .large), ("last_connected", .large), ("replacedName", .text), ("replaced_name", .text),
      ])
    ),
    ("restorations", .objects([("restoreId", .text), ("restore_id", .text), ("identifiers", .texts)])),
  ]

  private mutating func space() -> String { chance(8) ? pick([" ", "\n", "\t", "\r\n", "  "]) : "" }

  private mutating func object(_ members: [(String, Shape)], depth: Int) -> String {
    var written: [String] = []
    for (name, shape) in members where chance(2) {
      let name = chance(60) ? "unknown" : name
      written.append(space() + quoted(name) + space() + ":" + space() + value(shape, depth) + space())
    }
    if chance(6), let again = written.randomElement(using: &self) { written.append(again) }
    return "{" + written.joined(separator: ",") + space() + "}"
  }

  private mutating func value(_ shape: Shape, _ depth: Int) -> String {
    if chance(40) { return pick(["null", "true", "false", "0", "\"\"", "[]", "{}", "[null]", "1.5", "nul"]) }
    switch shape {
    case .text: return words()
    case .texts: return "[" + (0..<below(3)).map { _ in words() }.joined(separator: ",") + "]"
    case .small: return chance(4) ? quoted(integer()) : integer()
    case .large: return chance(2) ? quoted(integer()) : integer()
    case .objects(let members):
      return "[" + (0..<below(4)).map { _ in object(members, depth: depth + 1) }.joined(separator: ",") + "]"
    }
  }

  private static let oddNumbers = [
    "-0", "01", "+1", "1.0", "1e3", "1E+2", "10e-1", "1.", ".5", "-", "1e", "", " 1", "0x1", "1.5", "1e400",
  ]
  private static let largeNumbers = [
    "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
  ]

  private mutating func integer() -> String {
    switch below(12) {
    case 0: pick(Self.oddNumbers)
    case 1: pick(Self.largeNumbers)
    case 2: String(Int64(bitPattern: number()))
    default: String(below(2_000_000_000))
    }
  }

  private mutating func quoted(_ text: String) -> String {
    guard chance(20), let byte = text.utf8.first, byte < 0x80, byte != UInt8(ascii: "\\") else { return "\"\(text)\"" }
    let digits = String(byte, radix: 16, uppercase: chance(2))
    let escape = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    return "\"" + escape + String(decoding: text.utf8.dropFirst(), as: UTF8.self) + "\""
  }

  private mutating func words() -> String {
    let pieces = [
      "a", "tag", "ä", "€", "😀", "e\u{301}", "\\n", "\\t", "\\b", "\\f", "\\r", "\\/", "\\\\", "\\\"", "\\u0041",
      "\\u00e4", "\\u0000", "\\u007f", "\u{7f}", "\\ud83d\\ude00", "\\u20AC", " ", "\u{2028}", "\u{85}", "\\u009f",
    ]
    let wrong = ["\\ud83d", "\\ude00", "\\x", "\\u12", "\n", "\\ud83d\\u0041"]
    return "\"" + (0..<below(6)).map { _ in chance(80) ? pick(wrong) : pick(pieces) }.joined() + "\""
  }
}

extension Noise: RandomNumberGenerator {}
