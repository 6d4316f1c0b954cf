/// An object of `state.json`. `Sources/WireFormat/generator` writes the types.
///
/// The encoding is the JSON form of protocol buffers, for the types that the schema has: absent members, null and the
/// empty value are the same; numbers of 64 bits are written in quotes; both spellings of a member's name are read.
protocol StoredObject {
  init()
  /// False for a member that this version does not know.
  mutating func read(_ key: String, _ value: JSON, ignoringUnknown: Bool) throws(JSON.FormatError) -> Bool
  func write(to output: inout JSONWriter)
}

extension StoredState {
  /// - Parameter ignoringUnknown: whether members that this version does not know are ignored or refused.
  init(jsonUTF8Bytes bytes: [UInt8], ignoringUnknown: Bool = false) throws(JSON.FormatError) {
    self = try JSON(utf8: bytes).object(ignoringUnknown)
  }

  func jsonUTF8Bytes() -> [UInt8] {
    var writer = JSONWriter()
    writer.object(self)
    return writer.output
  }
}

// Called by the generated types. Null is the empty value, except inside a list.
extension JSON {
  func read(into text: inout String) throws(FormatError) {
    switch self {
    case .string(let value): text = value
    case .null: text = ""
    default: throw FormatError()
    }
  }

  func read(into number: inout Int64) throws(FormatError) { number = try integer() }

  func read(into number: inout UInt32) throws(FormatError) {
    guard let value = UInt32(exactly: try integer()), !isNegative else { throw FormatError() }
    number = value
  }

  func read(into texts: inout [String]) throws(FormatError) {
    for value in try list() {
      guard case .string(let text) = value else { throw FormatError() }
      texts.append(text)
    }
  }

  func read<Object: StoredObject>(into objects: inout [Object], _ ignoringUnknown: Bool) throws(FormatError) {
    for value in try list() { objects.append(try value.object(ignoringUnknown)) }
  }

  func object<Object: StoredObject>(_ ignoringUnknown: Bool) throws(FormatError) -> Object {
    guard case .object(let members) = self else { throw FormatError() }
    var object = Object()
    for (key, value) in members {
      guard try object.read(key, value, ignoringUnknown: ignoringUnknown) || ignoringUnknown else {
        throw FormatError()
      }
    }
    return object
  }

  private func list() throws(FormatError) -> [JSON] {
    switch self {
    case .null: return []
    case .array(let values): return values
    default: throw FormatError()
    }
  }

  private var isNegative: Bool {
    switch self {
    case .number(let text), .string(let text): text.utf8.first == UInt8(ascii: "-")
    default: false
    }
  }

  /// A whole number, possibly in quotes.
  private func integer() throws(FormatError) -> Int64 {
    switch self {
    case .null: return 0
    case .number(let text): return try Self.integer(text)
    case .string(let text):
      // The text in quotes must be a JSON number, which "+1" and "01" are not.
      guard case .number(let number) = try JSON(utf8: Array(text.utf8)), number == text else { throw FormatError() }
      return try Self.integer(number)
    default: throw FormatError()
    }
  }

  private static func integer(_ text: String) throws(FormatError) -> Int64 {
    if let value = Int64(text) { return value }
    // The number has a fraction or an exponent.
    guard let number = Double(text), let value = Int64(exactly: number) else { throw FormatError() }
    return value
  }
}

/// Members with their empty value are omitted.
struct JSONWriter {
  private(set) var output: [UInt8] = []
  private var isFirst = true

  mutating func object(_ object: some StoredObject) {
    output.append(UInt8(ascii: "{"))
    isFirst = true
    object.write(to: &self)
    output.append(UInt8(ascii: "}"))
    isFirst = false
  }

  mutating func member(_ key: StaticString, _ number: UInt32) {
    guard number != 0 else { return }
    name(key)
    output += String(number).utf8
  }

  mutating func member(_ key: StaticString, _ number: Int64) {
    guard number != 0 else { return }
    name(key)
    quote(String(number))
  }

  mutating func member(_ key: StaticString, _ text: String) {
    guard !text.isEmpty else { return }
    name(key)
    quote(text)
  }

  mutating func member(_ key: StaticString, _ texts: [String]) {
    list(key, texts) { $0.quote($1) }
  }

  mutating func member(_ key: StaticString, _ objects: [some StoredObject]) {
    list(key, objects) { $0.object($1) }
  }

  private mutating func list<Item>(_ key: StaticString, _ items: [Item], _ write: (inout JSONWriter, Item) -> Void) {
    guard !items.isEmpty else { return }
    name(key)
    output.append(UInt8(ascii: "["))
    for (index, item) in items.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      write(&self, item)
    }
    output.append(UInt8(ascii: "]"))
  }

  private mutating func name(_ name: StaticString) {
    if !isFirst { output.append(UInt8(ascii: ",")) }
    isFirst = false
    quote(name.description)
    output.append(UInt8(ascii: ":"))
  }

  private mutating func quote(_ text: String) {
    output.append(UInt8(ascii: "\""))
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) && $0 != 0x22 && $0 != 0x5c }) {
      output += text.utf8
    } else {
      escape(text)
    }
    output.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ text: String) {
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22, 0x5c: output += [UInt8(ascii: "\\"), UInt8(scalar.value)]
      case 0x08: output += "\\b".utf8
      case 0x09: output += "\\t".utf8
      case 0x0a: output += "\\n".utf8
      case 0x0c: output += "\\f".utf8
      case 0x0d: output += "\\r".utf8
      case 0..<0x20, 0x7f..<0xa0:
        let digits = Array("0123456789ABCDEF".utf8)
        output += "\\u00".utf8
        output += [digits[Int(scalar.value >> 4)], digits[Int(scalar.value & 15)]]
      default: output += scalar.utf8
      }
    }
  }
}
