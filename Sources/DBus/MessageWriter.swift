import CDBus
import Glibc

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
        // Sorted, so that the order is the same in each process: padding, and thus the message's length, depends on it.
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

/// Checks a body before libdbus does: libdbus aborts on invalid input, and a bus disconnects clients that send more
/// than it forwards.
struct BodyCheck {
  /// Maximum nesting of arrays and structures (D-Bus specification, "Valid Signatures"); variants count here too.
  static let deepest = 32
  /// The smallest default limit of buses: dbus-daemon's system bus forwards messages of up to 32 MiB.
  static let largest = 31 << 20
  /// dbus-daemon's default limit per message.
  static let mostDescriptors = 16

  private var size = 0
  private var descriptors = 0

  static func check(_ body: [Value]) throws(BusError) {
    var check = BodyCheck()
    var signatureLength = 0
    for value in body {
      try check.visit(value, depth: 0)
      signatureLength += value.signature.utf8.count
    }
    guard signatureLength <= 255 else { throw .invalidArgument("body: signature is too long") }
  }

  /// Every value may need seven bytes of padding before it.
  private mutating func count(_ bytes: Int) throws(BusError) {
    size += bytes + 7
    guard size <= Self.largest else { throw .invalidArgument("body: too large") }
  }

  private mutating func visit(_ value: Value, depth: Int) throws(BusError) {
    guard depth <= Self.deepest else { throw .invalidArgument("body: nested too deeply") }
    switch value {
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: try count(8)
    case .string(let text): try visit(text, Validity.isString, "string")
    case .objectPath(let text): try visit(text, Validity.isObjectPath, "object path")
    case .signature(let text): try visit(text, Validity.isSignature, "signature")
    case .descriptor(let descriptor):
      descriptors += 1
      guard descriptor.rawValue >= 0, descriptors <= Self.mostDescriptors else {
        throw .invalidArgument("file descriptor: closed, or too many")
      }
      try count(4)
    case .bytes(let bytes): try count(4 + bytes.count)
    case .array(let element, let values):
      guard Validity.isType(element) else { throw .invalidArgument("array: invalid element type '\(element)'") }
      try count(4)
      for value in values { try visit(value, as: element, depth: depth + 1) }
    case .properties(let properties):
      try count(4)
      for (key, value) in properties {
        try visit(key, Validity.isString, "property name")
        try visitVariant(value, depth: depth + 1)
      }
    case .dictionary(let keyType, let valueType, let entries):
      guard Validity.isBasicType(keyType), Validity.isType(valueType) else {
        throw .invalidArgument("dictionary: invalid type '{\(keyType)\(valueType)}'")
      }
      try count(4)
      for entry in entries {
        try visit(entry.key, as: keyType, depth: depth + 1)
        try visit(entry.value, as: valueType, depth: depth + 1)
      }
    case .structure(let fields):
      guard !fields.isEmpty else { throw .invalidArgument("structure: empty") }
      try count(0)
      for field in fields { try visit(field, depth: depth + 1) }
    case .variant(let inner): try visitVariant(inner, depth: depth)
    }
  }

  private mutating func visitVariant(_ inner: Value, depth: Int) throws(BusError) {
    // Check the depth first: the signature of an endlessly nested value must not be computed.
    try visit(inner, depth: depth + 1)
    guard inner.signature.utf8.count <= 255 else { throw .invalidArgument("variant: signature is too long") }
    try count(257)
  }

  private mutating func visit(_ value: Value, as type: String, depth: Int) throws(BusError) {
    try visit(value, depth: depth)
    guard value.signature == type else {
      throw .invalidArgument("element: '\(value.signature)' among elements of type '\(type)'")
    }
  }

  private mutating func visit(_ text: String, _ rule: (String) -> Bool, _ what: String) throws(BusError) {
    guard rule(text) else { throw .invalidArgument(what) }
    try count(5 + text.utf8.count)
  }
}

/// The D-Bus specification's rules for names, paths and signatures. libdbus aborts the process if they are violated, so
/// everything is checked here first.
public enum Validity: Sendable {
  /// Whether the text is an object path, such as `/org/bluez/hci0`.
  public static func isObjectPath(_ text: String) -> Bool { check(text, dbus_validate_path) }
  static func isInterface(_ text: String) -> Bool { check(text, dbus_validate_interface) }
  static func isMember(_ text: String) -> Bool { check(text, dbus_validate_member) }
  static func isErrorName(_ text: String) -> Bool { check(text, dbus_validate_error_name) }
  static func isBusName(_ text: String) -> Bool { check(text, dbus_validate_bus_name) }
  static func isWellKnownName(_ text: String) -> Bool { isBusName(text) && !text.hasPrefix(":") }
  static func isString(_ text: String) -> Bool {
    // Called for each string of a message; `contains` compares byte by byte.
    text.withCString { strlen($0) } == text.utf8.count
  }
  /// Whether the text is a signature of any number of complete types, possibly none.
  public static func isSignature(_ text: String) -> Bool { check(text, dbus_signature_validate) }
  /// One complete type.
  static func isType(_ text: String) -> Bool { check(text, dbus_signature_validate_single) }
  /// One type that is allowed as a dictionary key.
  static func isBasicType(_ text: String) -> Bool {
    text.utf8.count == 1 && text.utf8.first.map { "ybnqiuxtdsogh".utf8.contains($0) } == true
  }

  private static func check(
    _ text: String, _ rule: (UnsafePointer<CChar>?, UnsafeMutablePointer<DBusError>?) -> dbus_bool_t
  ) -> Bool {
    guard isString(text) else { return false }
    return text.withCString { rule($0, nil) != 0 }
  }
}
