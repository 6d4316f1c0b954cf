import EventLoop

/// Parses the arguments of a frame with descriptors. libdbus has checked the frame without its descriptor field.
struct BodyParser {
  private let bytes: UnsafeRawBufferPointer
  private let descriptors: [SharedDescriptor]
  private var at = 0

  /// Nil if the bytes do not fit the signature, or name a descriptor that was not sent.
  static func values(
    _ signature: String, _ bytes: UnsafeRawBufferPointer, _ descriptors: [SharedDescriptor]
  ) -> [Value]? {
    var parser = BodyParser(bytes: bytes, descriptors: descriptors)
    guard let values = parser.values(TypeList(signature)), parser.at == bytes.count else { return nil }
    return values
  }

  private init(bytes: UnsafeRawBufferPointer, descriptors: [SharedDescriptor]) {
    self.bytes = bytes
    self.descriptors = descriptors
  }

  private mutating func values(_ types: TypeList) -> [Value]? {
    var types = types
    var values: [Value] = []
    while let type = types.next() {
      guard let value = value(type) else { return nil }
      values.append(value)
    }
    return values
  }

  private mutating func value(_ type: TypeList) -> Value? {
    switch type.first {
    case .byte: number(UInt8.self).map(Value.byte)
    case .boolean: number(UInt32.self).map { .boolean($0 != 0) }
    case .int16: number(Int16.self).map(Value.int16)
    case .uint16: number(UInt16.self).map(Value.uint16)
    case .int32: number(Int32.self).map(Value.int32)
    case .uint32: number(UInt32.self).map(Value.uint32)
    case .int64: number(Int64.self).map(Value.int64)
    case .uint64: number(UInt64.self).map(Value.uint64)
    case .double: number(UInt64.self).map { .double(Double(bitPattern: $0)) }
    case .string: number(UInt32.self).flatMap { text(Int($0)) }.map(Value.string)
    case .objectPath: number(UInt32.self).flatMap { text(Int($0)) }.map(Value.objectPath)
    case .signature: number(UInt8.self).flatMap { text(Int($0)) }.map(Value.signature)
    case .descriptor:
      number(UInt32.self).flatMap { $0 < descriptors.count ? .descriptor(descriptors[Int($0)]) : nil }
    case .variant:
      number(UInt8.self).flatMap { text(Int($0)) }.flatMap { value(TypeList($0)) }.map(Value.variant)
    case .structure: align(8) ? values(type.content).map(Value.structure) : nil
    case .array: array(of: type.element)
    case .dictionaryEntry, nil: nil
    }
  }

  private mutating func array(of element: TypeList) -> Value? {
    guard let count = number(UInt32.self), align(element.alignment), Int(count) <= bytes.count - at else { return nil }
    let end = at + Int(count)
    if element.first == .byte {
      defer { at = end }
      return .bytes(Array(bytes[at..<end]))
    }
    if element.first == .dictionaryEntry { return dictionary(element, end) }
    var values: [Value] = []
    while at < end {
      guard let value = value(element) else { return nil }
      values.append(value)
    }
    return .array(of: element.text, values)
  }

  private mutating func dictionary(_ entry: TypeList, _ end: Int) -> Value? {
    var types = entry.content
    guard let key = types.next(), let content = types.next() else { return nil }
    var entries: [Value.Entry] = []
    while at < end {
      guard align(8), let name = value(key), let value = value(content) else { return nil }
      entries.append(Value.Entry(name, value))
    }
    guard key.first == .string, content.first == .variant else {
      return .dictionary(key: key.text, value: content.text, entries)
    }
    var properties: PropertyMap = [:]
    for entry in entries {
      if case .string(let name) = entry.key, case .variant(let value) = entry.value { properties[name] = value }
    }
    return .properties(properties)
  }

  private mutating func align(_ size: Int) -> Bool {
    at = (at + size - 1) & ~(size - 1)
    return at <= bytes.count
  }

  private mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard align(size), size <= bytes.count - at else { return nil }
    defer { at += size }
    return bytes.loadUnaligned(fromByteOffset: at, as: type)
  }

  /// Reads text of this length, and the NUL after it.
  private mutating func text(_ length: Int) -> String? {
    guard length < bytes.count - at else { return nil }
    defer { at += length + 1 }
    return String(decoding: bytes[at..<(at + length)], as: UTF8.self)
  }
}

/// Complete types of a valid signature.
private struct TypeList {
  private let letters: [UInt8]
  private var start: Int
  private let end: Int

  init(_ signature: String) { self.init(Array(signature.utf8), 0, signature.utf8.count) }

  private init(_ letters: [UInt8], _ start: Int, _ end: Int) {
    self.letters = letters
    self.start = start
    self.end = end
  }

  /// The code of the first type. Signatures write structures and entries with brackets.
  var first: TypeCode? {
    guard start < end else { return nil }
    return switch letters[start] {
    case UInt8(ascii: "("): .structure
    case UInt8(ascii: "{"): .dictionaryEntry
    default: TypeCode(Int32(letters[start]))
    }
  }

  var alignment: Int {
    switch first {
    case .byte, .signature, .variant: 1
    case .int16, .uint16: 2
    case .int64, .uint64, .double, .structure, .dictionaryEntry: 8
    default: 4
    }
  }

  /// The type of an array's elements.
  var element: TypeList { TypeList(letters, start + 1, end) }
  /// The types in a structure or an entry.
  var content: TypeList { TypeList(letters, start + 1, end - 1) }
  var text: String { String(decoding: letters[start..<end], as: UTF8.self) }

  mutating func next() -> TypeList? {
    guard start < end else { return nil }
    var depth = 0
    var after = start
    repeat {
      switch letters[after] {
      case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      after += 1
    } while after < end && (depth > 0 || letters[after - 1] == UInt8(ascii: "a"))
    defer { start = after }
    return TypeList(letters, start, after)
  }
}
