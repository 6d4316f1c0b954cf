import CDBus

/// Appends a checked body. It can only fail for lack of memory.
struct MessageWriter {
  private var iterator = DBusMessageIter()

  /// Returns false if memory ran out; the message is then unusable.
  static func append(_ body: [Value], to message: OpaquePointer) -> Bool {
    var writer = MessageWriter()
    dbus_message_iter_init_append(message, &writer.iterator)
    return body.allSatisfy { writer.append($0) }
  }

  private mutating func append(_ value: Value) -> Bool {
    switch value {
    case .byte(let value): appendBasic(.byte, value)
    case .boolean(let value): appendBasic(.boolean, dbus_bool_t(value ? 1 : 0))
    case .int16(let value): appendBasic(.int16, value)
    case .uint16(let value): appendBasic(.uint16, value)
    case .int32(let value): appendBasic(.int32, value)
    case .uint32(let value): appendBasic(.uint32, value)
    case .int64(let value): appendBasic(.int64, value)
    case .uint64(let value): appendBasic(.uint64, value)
    case .double(let value): appendBasic(.double, value)
    case .string(let text): append(text, .string)
    case .objectPath(let text): append(text, .objectPath)
    case .signature(let text): append(text, .signature)
    case .descriptor(let descriptor): appendBasic(.descriptor, descriptor.rawValue)
    case .bytes(let bytes): container(.array, "y") { $0.append(bytes) }
    case .array(let element, let values):
      container(.array, element) { writer in values.allSatisfy { writer.append($0) } }
    case .properties(let properties):
      container(.array, "{sv}") { writer in
        // In the same order in each process: padding, and so the length of the message, depends on it.
        properties.sorted { $0.key < $1.key }.allSatisfy { writer.appendEntry(.string($0.key), .variant($0.value)) }
      }
    case .dictionary(let key, let value, let entries):
      container(.array, "{\(key)\(value)}") { writer in
        entries.allSatisfy { writer.appendEntry($0.key, $0.value) }
      }
    case .structure(let fields):
      container(.structure, nil) { writer in fields.allSatisfy { writer.append($0) } }
    case .variant(let inner): container(.variant, inner.signature) { $0.append(inner) }
    }
  }

  private mutating func appendEntry(_ key: Value, _ value: Value) -> Bool {
    container(.dictionaryEntry, nil) { $0.append(key) && $0.append(value) }
  }

  private mutating func appendBasic<T: BitwiseCopyable>(_ type: TypeCode, _ value: T) -> Bool {
    withUnsafePointer(to: value) { dbus_message_iter_append_basic(&iterator, type.code, $0) != 0 }
  }

  private mutating func append(_ text: String, _ type: TypeCode) -> Bool {
    text.withCString { appendBasic(type, $0) }
  }

  private mutating func append(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { buffer in
      // libdbus requires an address even for an empty array.
      guard var base = buffer.baseAddress, !buffer.isEmpty else { return true }
      return withUnsafePointer(to: &base) {
        dbus_message_iter_append_fixed_array(&iterator, TypeCode.byte.code, $0, Int32(buffer.count)) != 0
      }
    }
  }

  private mutating func container(
    _ type: TypeCode, _ contents: String?, _ fill: (inout MessageWriter) -> Bool
  ) -> Bool {
    var inner = MessageWriter()
    guard dbus_message_iter_open_container(&iterator, type.code, contents, &inner.iterator) != 0 else { return false }
    guard fill(&inner) else {
      dbus_message_iter_abandon_container(&iterator, &inner.iterator)
      return false
    }
    return dbus_message_iter_close_container(&iterator, &inner.iterator) != 0
  }
}
