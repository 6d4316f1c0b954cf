@testable import WireFormat

/// Encodings to compare. They are generated from a seed, which reproduces failures.
struct Noise {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  mutating func below(_ count: Int) -> Int { Int(next() >> 1) % count }
  mutating func chance(_ one: Int) -> Bool { below(one) == 0 }
  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 8) }
  mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }

  mutating func number() -> UInt64 {
    switch below(6) {
    case 0: 0
    case 1: UInt64(below(8))
    case 2: UInt64(below(300))
    case 3: next() & 0xffff_ffff
    case 4: UInt64(bitPattern: -Int64(below(1000)))
    default: next()
    }
  }

  mutating func bytes(_ most: Int) -> [UInt8] { (0..<below(most)).map { _ in byte() } }

  private static let texts = [
    "", "a", "Jacquard", "äöü€", "😀 a text that does not fit into fifteen bytes", "\0", "e\u{301}",
  ]

  mutating func text() -> [UInt8] {
    var text = Array(pick(Self.texts).utf8)
    if chance(50), !text.isEmpty { text.removeLast() }
    if chance(100) { text.insert(byte(), at: below(text.count + 1)) }
    return text
  }

  /// A message with some of the schema's fields. If not canonical, they may be in any order, repeated, with wrong wire
  /// types, and mixed with unknown ones.
  mutating func message(_ schema: Schema, tidy: Bool) -> [UInt8] {
    var output: [UInt8] = []
    var fields = Self.fields(schema)
    let share = fields.count > 12 ? 6 : 2
    if !tidy, chance(4) { fields.sort { _, _ in chance(2) } }
    for field in fields where chance(share) {
      let isList = field.kind == .uint32s || field.kind == .messages
      let times = isList ? 1 + below(4) : !tidy && chance(10) ? 2 : 1
      for _ in 0..<times {
        let kind = !tidy && chance(40) ? pick(Schema.Kind.allCases) : field.kind
        output += value(field, kind, schema, tidy: tidy)
      }
    }
    if !tidy, chance(4) { output += unknown() }
    return output
  }

  private static func fields(_ schema: Schema) -> [Schema.Field] {
    schema.table.withUnsafeBufferPointer { table in
      let view = SchemaView(table.baseAddress!, at: schema.start)
      return (0..<view.count).map { view[$0] }
    }
  }

  private mutating func value(_ field: Schema.Field, _ kind: Schema.Kind, _ schema: Schema, tidy: Bool) -> [UInt8] {
    func key(_ type: UInt64) -> [UInt8] { encoded(UInt64(field.number) << 3 | type) }
    func block(_ content: [UInt8]) -> [UInt8] { key(2) + encoded(UInt64(content.count)) + content }
    switch kind {
    case .float: return key(5) + (0..<4).map { _ in byte() }
    case .double: return key(1) + (0..<8).map { _ in byte() }
    case .string: return block(text())
    case .bytes: return block(bytes(30))
    case .message where field.kind == .message, .messages where field.kind == .messages:
      return block(message(Schema(schema.table, at: Int(field.detail)), tidy: tidy))
    case .message, .messages: return block(bytes(8))
    case .enumeration, .sparseEnumeration:
      return key(0) + encoded(tidy ? UInt64(below(2)) : chance(2) ? UInt64(below(10)) : number())
    case .bool: return key(0) + encoded(tidy ? UInt64(below(2)) : number())
    case .uint32s where chance(3): return block((0..<below(4)).flatMap { _ in encoded(number()) })
    default: return key(0) + encoded(number())
    }
  }

  private mutating func unknown() -> [UInt8] {
    func key(_ type: UInt64) -> [UInt8] { encoded(UInt64(2000 + below(100)) << 3 | type) }
    switch below(4) {
    case 0: return key(0) + encoded(number())
    case 1: return key(2) + [2, byte(), byte()]
    case 2:
      let number = UInt64(2000 + below(100)) << 3
      return encoded(number | 3) + [8, 5] + encoded(number | 4)
    default: return key(5) + (0..<4).map { _ in byte() }
    }
  }

  mutating func mutate(_ bytes: inout [UInt8]) {
    for _ in 0...below(3) {
      switch below(5) {
      case 0 where !bytes.isEmpty: bytes[below(bytes.count)] = byte()
      case 1 where !bytes.isEmpty: bytes[below(bytes.count)] ^= 1 << UInt8(below(8))
      case 2 where !bytes.isEmpty: bytes.removeLast(1 + below(bytes.count))
      case 3: bytes.insert(byte(), at: below(bytes.count + 1))
      default: bytes += [0xff, 0xff, 0xff, 0xff, 0x0f]
      }
    }
  }
}
