/// The reason why bytes are not a message.
public enum WireError: Error, Hashable, Sendable {
  case malformed
}

/// Reads a message. Every read is checked against the end of the bytes, and lengths are checked before memory is
/// allocated.
///
/// It refuses encodings that the format forbids: keys and numbers that are truncated or too long, field number 0,
/// lengths beyond the end, groups that do not match, and messages or groups nested deeper than 100. Fields that the
/// schema does not know, or that have another wire type, are kept unchanged. Text that is not UTF-8 is repaired,
/// because a tag may truncate a text inside a character and the other fields of that message are still valid.
struct Reader {
  /// The maximum depth of nested messages and groups, as in other implementations of the encoding.
  static let deepest = 100
  /// Memory is reserved for this number of fields, and for more as they arrive.
  private static let usualCount = 16

  private let bytes: UnsafeRawBufferPointer
  private let depth: Int
  private var offset = 0

  private init(_ bytes: UnsafeRawBufferPointer, depth: Int) {
    self.bytes = bytes
    self.depth = depth
  }

  /// Adds the fields in the bytes: a field that is already present is replaced, a message is merged, a list is
  /// continued.
  static func merge(
    _ bytes: UnsafeRawBufferPointer, _ schema: SchemaView, into fields: inout Fields, depth: Int = 0
  ) throws(WireError) {
    guard depth < deepest else { throw .malformed }
    var reader = Reader(bytes, depth: depth + 1)
    try reader.read(schema, into: &fields)
  }

  private mutating func read(_ schema: SchemaView, into fields: inout Fields) throws(WireError) {
    // A field has at least two bytes.
    if fields.entries.isEmpty {
      fields.entries.reserveCapacity(min(schema.count, bytes.count / 2, Self.usualCount))
    }
    var next = 0
    var unknown: [UInt8] = []
    while offset < bytes.count {
      let start = offset
      let (number, type) = try key()
      if let field = schema.field(number, next: &next), try take(field, type, schema, into: &fields) { continue }
      offset = start
      try skip()
      unknown += bytes[start..<offset]
    }
    guard !unknown.isEmpty else { return }
    if case .bytes(let before)? = fields.value(Fields.unknown) { unknown = before + unknown }
    fields.set(Fields.unknown, to: .bytes(unknown))
  }

  /// Returns whether it was a value of the field; otherwise it is an unknown field.
  private mutating func take(
    _ field: Schema.Field, _ type: UInt64, _ schema: SchemaView, into fields: inout Fields
  ) throws(WireError) -> Bool {
    let number = field.number
    switch (field.kind, type) {
    case (.uint32, 0): fields.put(number, .varint(UInt64(UInt32(truncatingIfNeeded: try varint()))))
    case (.int32, 0): fields.put(number, .varint(Self.extended(Int32(truncatingIfNeeded: try varint()))))
    case (.uint64, 0), (.int64, 0): fields.put(number, .varint(try varint()))
    case (.bool, 0): fields.put(number, .varint(try varint() == 0 ? 0 : 1))
    case (.enumeration, 0), (.sparseEnumeration, 0):
      let value = Int32(truncatingIfNeeded: try varint())
      guard schema.contains(value, field) else { return false }
      fields.put(number, .varint(Self.extended(value)))
    case (.float, 5): fields.put(number, .fixed32(UInt32(littleEndian: try load())))
    case (.double, 1): fields.put(number, .fixed64(UInt64(littleEndian: try load())))
    case (.string, 2): fields.put(number, .string(String(decoding: try block(), as: UTF8.self)))
    case (.bytes, 2): fields.put(number, .bytes(Array(try block())))
    case (.message, 2):
      let block = try block()
      var message = fields.message(number)
      try Reader.merge(block, schema.message(field), into: &message, depth: depth)
      fields.put(number, .message(message))
    case (.uint32s, 0): fields.append(number, [UInt32(truncatingIfNeeded: try varint())])
    case (.uint32s, 2):
      var packed = Reader(try block(), depth: depth)
      var values: [UInt32] = []
      while packed.offset < packed.bytes.count { values.append(UInt32(truncatingIfNeeded: try packed.varint())) }
      fields.append(number, values)
    case (.messages, 2):
      let block = try block()
      var message = Fields()
      try Reader.merge(block, schema.message(field), into: &message, depth: depth)
      fields.append(number, message)
    default: return false
    }
    return true
  }

  private static func extended(_ value: Int32) -> UInt64 { UInt64(bitPattern: Int64(value)) }

  private mutating func key() throws(WireError) -> (number: UInt32, type: UInt64) {
    let start = offset
    let key = try varint()
    guard offset - start <= 5, key < UInt64(UInt32.max), key >> 3 > 0 else { throw .malformed }
    return (UInt32(key >> 3), key & 7)
  }

  @inline(__always) private mutating func varint() throws(WireError) -> UInt64 {
    guard offset < bytes.count, bytes[offset] < 0x80 else { return try longVarint() }
    defer { offset += 1 }
    return UInt64(bytes[offset])
  }

  @inline(never) private mutating func longVarint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64, offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7f) &<< shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw .malformed
  }

  private mutating func load<Number: FixedWidthInteger & BitwiseCopyable>() throws(WireError) -> Number {
    let size = MemoryLayout<Number>.size
    guard size <= bytes.count - offset else { throw .malformed }
    defer { offset += size }
    return bytes.loadUnaligned(fromByteOffset: offset, as: Number.self)
  }

  private mutating func block() throws(WireError) -> UnsafeRawBufferPointer {
    let length = try varint()
    guard length <= UInt64(bytes.count - offset) else { throw .malformed }
    defer { offset += Int(length) }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)])
  }

  /// Skips the field whose key comes next. Open groups are kept in a list, so they need no stack.
  private mutating func skip() throws(WireError) {
    var groups: [UInt32] = []
    repeat {
      let (number, type) = try key()
      switch type {
      case 0: _ = try varint()
      case 1: _ = try load() as UInt64
      case 2: _ = try block()
      case 3:
        guard depth + groups.count < Self.deepest else { throw .malformed }
        groups.append(number)
      case 4: guard groups.popLast() == number else { throw .malformed }
      case 5: _ = try load() as UInt32
      default: throw .malformed
      }
    } while !groups.isEmpty
  }
}

extension Fields {
  /// Sets a field, which usually comes after all previous fields.
  @inline(__always) fileprivate mutating func put(_ number: UInt32, _ value: Value) {
    if let last = entries.last?.number, last >= number { return set(number, to: value) }
    entries.append(Entry(number: number, value: value))
  }

  fileprivate mutating func append(_ number: UInt32, _ values: [UInt32]) {
    let (index, found) = find(number)
    if found, case .varints(var all) = entries[index].value {
      entries[index].value = .varints([])  // prevents a copy of `all`
      all += values
      entries[index].value = .varints(all)
    } else if !values.isEmpty {
      entries.insert(Entry(number: number, value: .varints(values)), at: index)
    }
  }

  fileprivate mutating func append(_ number: UInt32, _ message: Fields) {
    let (index, found) = find(number)
    if found, case .messages(var all) = entries[index].value {
      entries[index].value = .messages([])
      all.append(message)
      entries[index].value = .messages(all)
    } else {
      entries.insert(Entry(number: number, value: .messages([message])), at: index)
    }
  }
}
