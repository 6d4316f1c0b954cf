import EventLoop

extension Value {
  public var asByte: UInt8? { if case .byte(let value) = unwrapped { value } else { nil } }
  public var asBool: Bool? { if case .boolean(let value) = unwrapped { value } else { nil } }
  public var asDouble: Double? { if case .double(let value) = unwrapped { value } else { nil } }
  public var asString: String? { if case .string(let value) = unwrapped { value } else { nil } }
  public var asObjectPath: String? { if case .objectPath(let value) = unwrapped { value } else { nil } }
  public var asDescriptor: OwnedDescriptor? { if case .descriptor(let value) = unwrapped { value } else { nil } }
  public var asBytes: [UInt8]? { if case .bytes(let value) = unwrapped { value } else { nil } }
  public var asProperties: PropertyMap? { if case .properties(let value) = unwrapped { value } else { nil } }
  public var asStructure: [Value]? { if case .structure(let value) = unwrapped { value } else { nil } }
  public var asArray: [Value]? { if case .array(_, let value) = unwrapped { value } else { nil } }
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

  public static func strings(_ values: [String]) -> Value { .array(of: "s", values.map(Value.string)) }
  public static func objectPaths(_ values: [String]) -> Value { .array(of: "o", values.map(Value.objectPath)) }
}
