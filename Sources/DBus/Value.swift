import EventLoop

/// A dictionary of named properties, `a{sv}`; the variants are unwrapped.
public typealias PropertyMap = [String: Value]

/// Any value of a D-Bus message.
public enum Value: Hashable, Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  case signature(String)
  case descriptor(SharedDescriptor)
  /// `ay`.
  case bytes([UInt8])
  /// An array of any element type but byte; the type is kept because the array may be empty.
  case array(of: String, [Value])
  /// `a{sv}`.
  case properties(PropertyMap)
  /// Any other dictionary, in the order in which it was sent.
  case dictionary(key: String, value: String, [Entry])
  case structure([Value])
  indirect case variant(Value)

  /// A key and its value in a dictionary.
  public struct Entry: Hashable, Sendable {
    public let key: Value
    public let value: Value

    public init(_ key: Value, _ value: Value) {
      self.key = key
      self.value = value
    }
  }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
  public init(stringLiteral text: String) { self = .string(text) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension Value: ExpressibleByDictionaryLiteral {
  /// A property map. If a name occurs twice, its last value counts.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .properties(PropertyMap(elements) { _, last in last })
  }
}

extension Value {
  /// The content of a boolean, or of a variant with one; nil for any other type.
  public var asBool: Bool? { if case .boolean(let value) = unwrapped { value } else { nil } }
  /// The content of a string, or of a variant with one; nil for any other type, also for object paths.
  public var asString: String? { if case .string(let value) = unwrapped { value } else { nil } }
  /// The content of an object path, or of a variant with one; nil for any other type, also for strings.
  public var asObjectPath: String? { if case .objectPath(let value) = unwrapped { value } else { nil } }
  /// The content of a descriptor, or of a variant with one; shared with this value, not duplicated.
  public var asDescriptor: SharedDescriptor? { if case .descriptor(let value) = unwrapped { value } else { nil } }
  /// The content of an array of bytes, or of a variant with one; nil for any other type.
  public var asBytes: [UInt8]? { if case .bytes(let value) = unwrapped { value } else { nil } }
  /// The content of a property map, `a{sv}`, or of a variant with one; nil for any other dictionary.
  public var asProperties: PropertyMap? { if case .properties(let value) = unwrapped { value } else { nil } }
  var asArray: [Value]? { if case .array(_, let value) = unwrapped { value } else { nil } }
  /// The strings and object paths of an array, or of a variant with one; other elements are omitted.
  public var asStrings: [String]? { asArray?.compactMap { $0.asString ?? $0.asObjectPath } }

  /// The entries of any dictionary, `a{sv}` included.
  public var asEntries: [Entry]? {
    switch unwrapped {
    case .dictionary(_, _, let entries): entries
    case .properties(let properties): properties.map { Entry(.string($0.key), $0.value) }
    default: nil
    }
  }

  /// Any of the integer types.
  public func asInteger<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T? {
    switch unwrapped {
    case .byte(let value): T(exactly: value)
    case .int16(let value): T(exactly: value)
    case .uint16(let value): T(exactly: value)
    case .int32(let value): T(exactly: value)
    case .uint32(let value): T(exactly: value)
    case .int64(let value): T(exactly: value)
    case .uint64(let value): T(exactly: value)
    default: nil
    }
  }

  /// The property of that name, if this is a property map.
  public subscript(_ name: String) -> Value? { asProperties?[name] }

  /// The content, if this is a variant.
  public var unwrapped: Value {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }

  /// An array of strings, `as`.
  public static func strings(_ values: [String]) -> Value { .array(of: "s", values.map(Value.string)) }
  /// An array of object paths, `ao`.
  public static func objectPaths(_ values: [String]) -> Value { .array(of: "o", values.map(Value.objectPath)) }
}

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

/// The type codes of D-Bus.
public enum TypeCode: UInt8, Sendable {
  case byte = 0x79  // y
  case boolean = 0x62  // b
  case int16 = 0x6E  // n
  case uint16 = 0x71  // q
  case int32 = 0x69  // i
  case uint32 = 0x75  // u
  case int64 = 0x78  // x
  case uint64 = 0x74  // t
  case double = 0x64  // d
  case string = 0x73  // s
  case objectPath = 0x6F  // o
  case signature = 0x67  // g
  case descriptor = 0x68  // h
  case array = 0x61  // a
  case variant = 0x76  // v
  /// libdbus's own code for "some structure"; in a signature it is written "(…)".
  case structure = 0x72  // r
  /// libdbus's code for a dictionary entry, written "{…}".
  case dictionaryEntry = 0x65  // e

  init?(_ code: Int32) {
    guard let code = UInt8(exactly: code) else { return nil }
    self.init(rawValue: code)
  }

  var code: Int32 { Int32(rawValue) }
}
