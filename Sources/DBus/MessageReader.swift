import CDBus
import EventLoop

/// A cursor over a message's arguments. libdbus does not allocate to move it or to read. Its pointers are valid as long
/// as the message.
///
/// Every accessor returns nil if the argument at the cursor has another type.
public struct MessageReader {
  private var iterator = DBusMessageIter()

  init(_ message: OpaquePointer) {
    dbus_message_iter_init(message, &iterator)
  }

  private init() {}

  /// The type of the argument at the cursor; nil after the last one.
  public var type: TypeCode? {
    mutating get { TypeCode(dbus_message_iter_get_arg_type(&iterator)) }
  }

  /// Whether the cursor is after the last argument, or after the last element of a container.
  public var isAtEnd: Bool { mutating get { type == nil } }

  private var elementType: TypeCode? {
    mutating get { TypeCode(dbus_message_iter_get_element_type(&iterator)) }
  }

  /// Advances; returns false at the end.
  @discardableResult
  public mutating func next() -> Bool { dbus_message_iter_next(&iterator) != 0 }

  /// A cursor inside the array, structure, dictionary entry or variant at this one.
  public mutating func enter() -> MessageReader? {
    switch type {
    case .array, .structure, .dictionaryEntry, .variant:
      var inner = MessageReader()
      dbus_message_iter_recurse(&iterator, &inner.iterator)
      return inner
    default: return nil
    }
  }

  /// A string, object path or signature.
  public var cString: UnsafePointer<CChar>? {
    mutating get {
      switch type {
      case .string, .objectPath, .signature:
        var text: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &text)
        return text
      default: return nil
      }
    }
  }

  /// The contents of an array of bytes.
  public var bytes: UnsafeRawBufferPointer? {
    mutating get {
      guard type == .array, elementType == .byte,
        var inner = enter()
      else { return nil }
      var start: UnsafeRawPointer?
      var count: Int32 = 0
      dbus_message_iter_get_fixed_array(&inner.iterator, &start, &count)
      return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }
  }

  public var byte: UInt8? { mutating get { basic(.byte, 0) } }
  public var bool: Bool? { mutating get { basic(.boolean, dbus_bool_t(0)).map { $0 != 0 } } }
  public var int16: Int16? { mutating get { basic(.int16, 0) } }
  public var uint16: UInt16? { mutating get { basic(.uint16, 0) } }
  public var int32: Int32? { mutating get { basic(.int32, 0) } }
  public var uint32: UInt32? { mutating get { basic(.uint32, 0) } }
  public var int64: Int64? { mutating get { basic(.int64, 0) } }
  public var uint64: UInt64? { mutating get { basic(.uint64, 0) } }
  public var double: Double? { mutating get { basic(.double, 0) } }

  /// A duplicate of the descriptor, owned by the caller.
  public var descriptor: SharedDescriptor? {
    mutating get { basic(.descriptor, Int32(-1)).flatMap { $0 < 0 ? nil : SharedDescriptor(taking: $0) } }
  }

  private mutating func basic<T: BitwiseCopyable>(_ type: TypeCode, _ initial: T) -> T? {
    guard self.type == type else { return nil }
    var value = initial
    dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  /// The argument at the cursor; nil after the last one, or if a descriptor could not be duplicated.
  public var value: Value? {
    mutating get {
      switch type {
      case .byte: byte.map(Value.byte)
      case .boolean: bool.map(Value.boolean)
      case .int16: int16.map(Value.int16)
      case .uint16: uint16.map(Value.uint16)
      case .int32: int32.map(Value.int32)
      case .uint32: uint32.map(Value.uint32)
      case .int64: int64.map(Value.int64)
      case .uint64: uint64.map(Value.uint64)
      case .double: double.map(Value.double)
      case .string: cString.map { .string(String(cString: $0)) }
      case .objectPath: cString.map { .objectPath(String(cString: $0)) }
      case .signature: cString.map { .signature(String(cString: $0)) }
      case .descriptor: descriptor.map(Value.descriptor)
      case .structure: enter().flatMap { inner in Self.rest(inner).map(Value.structure) }
      case .variant: enter().flatMap { inner in Self.first(inner).map(Value.variant) }
      case .array: array
      default: nil
      }
    }
  }

  private var array: Value? {
    mutating get {
      if let bytes { return .bytes(Array(bytes)) }
      guard var inner = enter() else { return nil }
      if elementType == .dictionaryEntry { return inner.dictionary }
      return Self.rest(inner).map { .array(of: $0.first?.signature ?? inner.signature, $0) }
    }
  }

  /// The dictionary whose entries begin at the cursor. Its type is that of its first entry.
  private var dictionary: Value? {
    mutating get {
      guard !isAtEnd, var first = enter() else { return emptyDictionary }
      if first.type == .string, first.next(), first.type == .variant {
        var properties: PropertyMap = [:]
        return visitProperties { properties[$0] = $1 } ? .properties(properties) : nil
      }

      var entries: [Value.Entry] = []
      while !isAtEnd {
        guard var entry = enter(), let key = entry.value, entry.next(), let value = entry.value else { return nil }
        entries.append(Value.Entry(key, value))
        next()
      }
      return .dictionary(key: entries[0].key.signature, value: entries[0].value.signature, entries)
    }
  }

  private var emptyDictionary: Value {
    mutating get {
      // "{", one letter of key type, the value type, "}".
      let entryType = signature
      if entryType == "{sv}" || entryType.isEmpty { return .properties([:]) }
      let valueType = String(entryType.dropFirst(2).dropLast())
      return .dictionary(key: String(entryType.dropFirst().prefix(1)), value: valueType, [])
    }
  }

  /// Reads the `a{sv}` at the cursor without a dictionary; stops where it is something else.
  public mutating func forEachProperty(_ body: (_ name: String, _ value: Value) -> Void) {
    guard type == .array, elementType == .dictionaryEntry, var entries = enter() else { return }
    _ = entries.visitProperties(body)
  }

  private mutating func visitProperties(_ body: (_ name: String, _ value: Value) -> Void) -> Bool {
    while !isAtEnd {
      guard var entry = enter(), let name = entry.cString, entry.next(), entry.type == .variant,
        var variant = entry.enter(), let value = variant.value
      else { return false }
      body(String(cString: name), value)
      next()
    }
    return true
  }

  /// The type of an empty array's elements; empty if out of memory, which libdbus needs for this.
  private var signature: String {
    mutating get {
      guard let text = dbus_message_iter_get_signature(&iterator) else { return "" }
      defer { dbus_free(text) }
      return String(cString: text)
    }
  }

  private static func first(_ reader: MessageReader) -> Value? {
    var reader = reader
    return reader.value
  }

  /// All values starting at the cursor.
  static func rest(_ reader: MessageReader) -> [Value]? {
    var reader = reader
    var values: [Value] = []
    while !reader.isAtEnd {
      guard let value = reader.value else { return nil }
      values.append(value)
      reader.next()
    }
    return values
  }
}
