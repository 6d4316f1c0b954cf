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
  case descriptor(OwnedDescriptor)
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

  public struct Entry: Hashable, Sendable {
    public let key: Value
    public let value: Value

    public init(_ key: Value, _ value: Value) {
      self.key = key
      self.value = value
    }
  }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral {
  public init(stringLiteral text: String) { self = .string(text) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
}

extension Value: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .properties(PropertyMap(elements) { _, last in last })
  }
}
