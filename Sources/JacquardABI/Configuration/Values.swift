import CJacquard
import Jacquard

@_cdecl("jacquard_tag_write_value") @implementation
public func jacquard_tag_write_value(
  _ tag: OpaquePointer?, _ vendorID: UInt32, _ productID: UInt32, _ key: UnsafePointer<CChar>?,
  _ value: UnsafePointer<jacquard_value>?, _ options: UnsafePointer<jacquard_request_options>?,
  _ callback: jacquard_done_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let key = try ConfigurationKey(vendorID, productID, key)
    let value = try ConfigurationValue(try required(Arguments.options(value), "value"))
    return try handle.manager.request(options, callback, userData, destroy, request) { [tag = handle.tag] in
      try await tag.value.setValue(value, at: key, deadline: $0)
    }
  }
}

@_cdecl("jacquard_tag_read_value") @implementation
public func jacquard_tag_read_value(
  _ tag: OpaquePointer?, _ vendorID: UInt32, _ productID: UInt32, _ key: UnsafePointer<CChar>?,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_value_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let callback = try required(callback, "callback")
    let key = try ConfigurationKey(vendorID, productID, key)
    return try handle.manager.request(options, userData, destroy, request) { [tag = handle.tag] in
      try await tag.value.value(at: key, deadline: $0)
    } _: { result, userData in
      switch result {
      case .success(nil): callback(nil, nil, userData)
      case .success(let value?): value.withC { callback($0, nil, userData) }
      case .failure(let error): withCError(error) { callback(nil, $0, userData) }
      }
    }
  }
}

extension ConfigurationKey {
  fileprivate init(_ vendorID: UInt32, _ productID: UInt32, _ key: UnsafePointer<CChar>?) throws {
    try self.init(
      vendorID: vendorID, productID: productID, key: try required(try Arguments.string(key, "key"), "key"))
  }
}

extension ConfigurationValue {
  fileprivate init(_ given: jacquard_value) throws {
    func exactly<Number: FixedWidthInteger>(_ value: some FixedWidthInteger) throws -> Number {
      guard let number = Number(exactly: value) else {
        throw JacquardError.invalid("The value is out of range for its type.")
      }
      return number
    }
    switch jacquard_value_type(given.type) {
    case JACQUARD_VALUE_BOOL: self = .bool(try Arguments.flag(try exactly(given.number), "number"))
    case JACQUARD_VALUE_UINT32: self = .uint32(try exactly(given.number))
    case JACQUARD_VALUE_UINT64: self = .uint64(given.number)
    case JACQUARD_VALUE_INT32: self = .int32(try exactly(given.integer))
    case JACQUARD_VALUE_INT64: self = .int64(given.integer)
    case JACQUARD_VALUE_FLOAT: self = .float(Float(given.real))
    case JACQUARD_VALUE_DOUBLE: self = .double(given.real)
    case JACQUARD_VALUE_STRING:
      self = .string(try required(try Arguments.string(given.text, "text"), "text"))
    default: throw JacquardError.invalid("type is not a valid jacquard_value_type.")
    }
  }

  fileprivate func withC(_ body: (UnsafePointer<jacquard_value>) -> Void) {
    let strings = CStrings()
    var copy = jacquard_value()
    copy.struct_size = UInt32(MemoryLayout<jacquard_value>.stride)
    switch self {
    case .bool(let value): (copy.type, copy.number) = (JACQUARD_VALUE_BOOL.rawValue, value ? 1 : 0)
    case .uint32(let value): (copy.type, copy.number) = (JACQUARD_VALUE_UINT32.rawValue, UInt64(value))
    case .uint64(let value): (copy.type, copy.number) = (JACQUARD_VALUE_UINT64.rawValue, value)
    case .int32(let value): (copy.type, copy.integer) = (JACQUARD_VALUE_INT32.rawValue, Int64(value))
    case .int64(let value): (copy.type, copy.integer) = (JACQUARD_VALUE_INT64.rawValue, value)
    case .float(let value): (copy.type, copy.real) = (JACQUARD_VALUE_FLOAT.rawValue, Double(value))
    case .double(let value): (copy.type, copy.real) = (JACQUARD_VALUE_DOUBLE.rawValue, value)
    case .string(let value): (copy.type, copy.text) = (JACQUARD_VALUE_STRING.rawValue, strings(value))
    }
    withExtendedLifetime(strings) { body(&copy) }
  }
}
