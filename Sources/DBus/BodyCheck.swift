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
