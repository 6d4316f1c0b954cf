import JacquardWire

/// A value that a tag stores under a key.
public enum ConfigurationValue: Equatable, Sendable {
  case bool(Bool)
  case uint32(UInt32)
  case uint64(UInt64)
  case int32(Int32)
  case int64(Int64)
  case float(Float)
  case double(Double)
  case string(String)
}

extension ConfigurationValue {
  /// The field that is present determines the type; nil if there is none.
  init?(_ element: WireConfigElement) {
    if element.hasBoolVal {
      self = .bool(element.boolVal)
    } else if element.hasUint32Val {
      self = .uint32(element.uint32Val)
    } else if element.hasUint64Val {
      self = .uint64(element.uint64Val)
    } else if element.hasInt32Val {
      self = .int32(element.int32Val)
    } else if element.hasInt64Val {
      self = .int64(element.int64Val)
    } else if element.hasFloatVal {
      self = .float(element.floatVal)
    } else if element.hasDoubleVal {
      self = .double(element.doubleVal)
    } else if element.hasStringVal {
      self = .string(element.stringVal)
    } else {
      return nil
    }
  }

  func fill(_ element: inout WireConfigElement) {
    switch self {
    case .bool(let value): element.boolVal = value
    case .uint32(let value): element.uint32Val = value
    case .uint64(let value): element.uint64Val = value
    case .int32(let value): element.int32Val = value
    case .int64(let value): element.int64Val = value
    case .float(let value): element.floatVal = value
    case .double(let value): element.doubleVal = value
    case .string(let value): element.stringVal = value
    }
  }
}

/// The location of a value: a key of a vendor's product.
public struct ConfigurationKey: Sendable {
  public var vendorID: UInt32
  public var productID: UInt32
  /// Not empty, and without zero bytes.
  public var key: String

  /// Creates a key; if both numbers are 0, it is a key of the tag itself. Throws for an empty key.
  public init(vendorID: UInt32, productID: UInt32, key: String) throws(JacquardError) {
    guard !key.isEmpty, !key.utf8.contains(0) else { throw JacquardError.invalid("key is empty.") }
    let isOwn = vendorID == 0 && productID == 0
    self.vendorID = isOwn ? KnownGear.tag.vendor.rawValue : vendorID
    self.productID = isOwn ? KnownGear.tag.product.rawValue : productID
    self.key = key
  }
}

extension Tag {
  /// Stores an application's value on the tag, under a key.
  public func setValue(_ value: ConfigurationValue, at key: ConfigurationKey, deadline: Duration? = nil)
    async throws(JacquardError)
  {
    try await send(Self.set(value, at: key), deadline)
  }

  /// Reads an application's value from the tag; nil if nothing is stored under the key.
  public func value(at key: ConfigurationKey, deadline: Duration? = nil) async throws(JacquardError)
    -> ConfigurationValue?
  {
    ConfigurationValue(try await send(Self.get(key), deadline))
  }

  static func set(_ value: ConfigurationValue, at key: ConfigurationKey) -> TagCommand<Void> {
    TagCommand(.configSet) {
      $0.configSetRequest.vid = key.vendorID
      $0.configSetRequest.pid = key.productID
      $0.configSetRequest.config.key = key.key
      value.fill(&$0.configSetRequest.config)
    } answer: { _ in
    }
  }

  static func get(_ key: ConfigurationKey) -> TagCommand<WireConfigElement> {
    TagCommand(.configGet, isRepeatable: true) {
      $0.configGetRequest.vid = key.vendorID
      $0.configGetRequest.pid = key.productID
      $0.configGetRequest.key = key.key
    } answer: {
      $0.hasConfigGetResponse ? $0.configGetResponse.config : nil
    }
  }
}
