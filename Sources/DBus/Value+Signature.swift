extension Value {
  /// The type as a D-Bus signature.
  public var signature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .bytes: "ay"
    case .array(let element, _): "a" + element
    case .properties: "a{sv}"
    case .dictionary(let key, let value, _): "a{\(key)\(value)}"
    case .structure(let fields): "(\(fields.map(\.signature).joined()))"
    case .variant: "v"
    }
  }
}
