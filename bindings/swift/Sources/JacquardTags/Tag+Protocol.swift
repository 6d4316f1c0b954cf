import CJacquard

/// A value that an application stores on a tag.
public enum StoredValue: Sendable, Hashable {
  /// True or false.
  case bool(Bool)
  /// 32 bits without a sign.
  case uint32(UInt32)
  /// 64 bits without a sign.
  case uint64(UInt64)
  /// 32 bits with a sign.
  case int32(Int32)
  /// 64 bits with a sign.
  case int64(Int64)
  /// A real number of 32 bits.
  case float(Float)
  /// A real number of 64 bits.
  case double(Double)
  /// Text.
  case string(String)

  /// nil for a type that this version does not know.
  init?(_ value: jacquard_value) {
    switch value.type {
    case JACQUARD_VALUE_BOOL.rawValue: self = .bool(value.number != 0)
    case JACQUARD_VALUE_UINT32.rawValue: self = .uint32(UInt32(truncatingIfNeeded: value.number))
    case JACQUARD_VALUE_UINT64.rawValue: self = .uint64(value.number)
    case JACQUARD_VALUE_INT32.rawValue: self = .int32(Int32(truncatingIfNeeded: value.integer))
    case JACQUARD_VALUE_INT64.rawValue: self = .int64(value.integer)
    case JACQUARD_VALUE_FLOAT.rawValue: self = .float(Float(value.real))
    case JACQUARD_VALUE_DOUBLE.rawValue: self = .double(value.real)
    case JACQUARD_VALUE_STRING.rawValue: self = .string(JacquardTags.text(value.text))
    default: return nil
    }
  }

  /// The struct of the header, without the text.
  fileprivate var cStruct: jacquard_value {
    var value = sized(jacquard_value.self)
    switch self {
    case .bool(let flag): (value.type, value.number) = (JACQUARD_VALUE_BOOL.rawValue, UInt64(flag))
    case .uint32(let number): (value.type, value.number) = (JACQUARD_VALUE_UINT32.rawValue, UInt64(number))
    case .uint64(let number): (value.type, value.number) = (JACQUARD_VALUE_UINT64.rawValue, number)
    case .int32(let number): (value.type, value.integer) = (JACQUARD_VALUE_INT32.rawValue, Int64(number))
    case .int64(let number): (value.type, value.integer) = (JACQUARD_VALUE_INT64.rawValue, number)
    case .float(let number): (value.type, value.real) = (JACQUARD_VALUE_FLOAT.rawValue, Double(number))
    case .double(let number): (value.type, value.real) = (JACQUARD_VALUE_DOUBLE.rawValue, number)
    case .string: value.type = JACQUARD_VALUE_STRING.rawValue
    }
    return value
  }

  fileprivate var text: String? {
    if case .string(let text) = self { text } else { nil }
  }
}

/// The owner of the key of a stored value.
public struct KeyOwner: Sendable, Hashable {
  /// The ID of the vendor.
  public var vendorID: UInt32
  /// The ID of the product.
  public var productID: UInt32

  /// The tag itself.
  public static let tag = KeyOwner(vendorID: 0, productID: 0)

  /// A product.
  public init(vendorID: UInt32, productID: UInt32) {
    self.vendorID = vendorID
    self.productID = productID
  }
}

extension Tag {
  /// Stores a value on the tag.
  public func writeValue(
    _ value: StoredValue, for key: String, of owner: KeyOwner = .tag, timeout: Duration? = nil
  ) async throws(JacquardError) {
    var options = requestOptions(timeout)
    try await perform(self) { context, request throws(JacquardError) in
      try withStrings([key, value.text]) { strings in
        var fields = value.cStruct
        fields.text = strings[1]
        return jacquard_tag_write_value(
          handle.pointer, owner.vendorID, owner.productID, strings[0]!, &fields, &options, { complete($0, $1) },
          context, release, request)
      }
    }
  }

  /// Reads a value that was stored with `writeValue()`; nil if nothing is stored.
  public func readValue(
    for key: String, of owner: KeyOwner = .tag, timeout: Duration? = nil
  ) async throws(JacquardError) -> StoredValue? {
    var options = requestOptions(timeout)
    return try await ask(self, answer: { .some($0.value(jacquard_value.self).flatMap(StoredValue.init)) }) {
      context, request throws(JacquardError) in
      try withString(key) {
        jacquard_tag_read_value(
          handle.pointer, owner.vendorID, owner.productID, $0, &options, { complete($0, $1, $2) }, context, release,
          request)
      }
    }
  }

  /// Sends a serialised Request, and returns the serialised Response, whatever its status. The library fills in the ID.
  public func sendRequest(_ request: [UInt8], timeout: Duration? = nil) async throws(JacquardError) -> [UInt8] {
    var options = requestOptions(timeout)
    return try await ask(self, array) {
      jacquard_tag_send_request(
        handle.pointer, request, request.count, &options, { complete($0, $1, $2) }, $0, release, $1)
    }
  }

  /// Sends a packet of 1 to 1024 bytes on the raw data channel. Returns when it has been written.
  public func sendRawData(_ packet: [UInt8]) async throws(JacquardError) {
    try await perform(self) {
      jacquard_tag_send_raw_data(handle.pointer, packet, packet.count, nil, { complete($0, $1) }, $0, release, $1)
    }
  }
}

/// A loadable firmware module, identified by vendor, product and module ID.
public struct Module: Sendable, Hashable {
  /// Vendor of the module.
  public var vendorID: UInt32
  /// Product that the module belongs to.
  public var productID: UInt32
  /// Number of the module within that product.
  public var moduleID: UInt32
  /// The name; may be "".
  public var name = ""
  /// The version; zeros if unknown.
  public private(set) var version = Version(0, 0, 0)
  /// Whether it is loaded.
  public private(set) var isLoaded = false
  /// The size in bytes.
  public private(set) var size = 0

  /// The module with these IDs.
  public init(vendorID: UInt32, productID: UInt32, moduleID: UInt32) {
    self.vendorID = vendorID
    self.productID = productID
    self.moduleID = moduleID
  }

  init(_ module: jacquard_module) {
    self.init(vendorID: module.vendor_id, productID: module.product_id, moduleID: module.module_id)
    name = text(module.name)
    version = Version(module.version)
    isLoaded = module.enabled != 0
    size = Int(module.size)
  }
}

/// A tag's report that it has loaded a module, or failed to.
public struct ModuleLoad: Sendable, Hashable {
  /// The module as reported; an ID that the tag omits is 0.
  public let module: Module
  /// `.ok`: the module runs; else why it does not.
  public let tagStatus: TagStatus

  init?(_ load: jacquard_module_load) {
    guard let module = value(load.module) else { return nil }
    self.module = Module(module)
    tagStatus = TagStatus(rawValue: UInt32(bitPattern: load.tag_status))
  }
}

extension Tag {
  /// Lists the modules that are installed on the tag.
  public func modules(timeout: Duration? = nil) async throws(JacquardError) -> [Module] {
    var options = requestOptions(timeout)
    return try await askAll(self, Module.init) {
      jacquard_tag_list_modules(
        handle.pointer, &options, { complete(Answer(pointer: $0, count: $1), $2, $3) }, $0, release, $1)
    }
  }

  /// Loads a module. Returns when the tag reports that it runs; until then no other command is sent.
  public func load(_ module: Module, timeout: Duration? = nil) async throws(JacquardError) {
    try await command(module, timeout) { jacquard_tag_load_module($0, $1, $2, { complete($0, $1) }, $3, release, $4) }
  }

  /// Unloads a module; it stays installed.
  public func unload(_ module: Module, timeout: Duration? = nil) async throws(JacquardError) {
    try await command(module, timeout) { jacquard_tag_unload_module($0, $1, $2, { complete($0, $1) }, $3, release, $4) }
  }

  /// Deletes a module from the tag.
  public func delete(_ module: Module, timeout: Duration? = nil) async throws(JacquardError) {
    try await command(module, timeout) { jacquard_tag_delete_module($0, $1, $2, { complete($0, $1) }, $3, release, $4) }
  }

  private func command(
    _ module: Module, _ timeout: Duration?,
    _ function: (
      OpaquePointer, UnsafePointer<jacquard_module>, UnsafePointer<jacquard_request_options>, UnsafeMutableRawPointer,
      UnsafeMutablePointer<OpaquePointer?>
    ) -> Int32
  ) async throws(JacquardError) {
    var options = requestOptions(timeout)
    try await perform(self) { context, request throws(JacquardError) in
      try withString(module.name) {
        var fields = sized(jacquard_module.self)
        fields.vendor_id = module.vendorID
        fields.product_id = module.productID
        fields.module_id = module.moduleID
        fields.name = $0
        return function(handle.pointer, &fields, &options, context, request)
      }
    }
  }
}
