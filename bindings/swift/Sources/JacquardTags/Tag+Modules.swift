import CJacquard

/// A loadable firmware module, identified by vendor, product and module ID.
public struct Module: Sendable, Hashable {
  /// Vendor of the module.
  public var vendorID: UInt32
  /// Product that the module belongs to.
  public var productID: UInt32
  /// Number of the module within that product.
  public var moduleID: UInt32
  /// May be "".
  public var name = ""
  /// Zeros if unknown.
  public private(set) var version = Version(0, 0, 0)
  /// Whether it is loaded.
  public private(set) var isLoaded = false
  /// In bytes.
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
  /// As reported; an ID that the tag omits is 0.
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
    try await perform(module, timeout) { jacquard_tag_load_module($0, $1, $2, { complete($0, $1) }, $3, release, $4) }
  }

  /// Unloads a module; it stays installed.
  public func unload(_ module: Module, timeout: Duration? = nil) async throws(JacquardError) {
    try await perform(module, timeout) { jacquard_tag_unload_module($0, $1, $2, { complete($0, $1) }, $3, release, $4) }
  }

  /// Deletes a module from the tag.
  public func delete(_ module: Module, timeout: Duration? = nil) async throws(JacquardError) {
    try await perform(module, timeout) { jacquard_tag_delete_module($0, $1, $2, { complete($0, $1) }, $3, release, $4) }
  }

  private func perform(
    _ module: Module, _ timeout: Duration?,
    _ function: (
      OpaquePointer, UnsafePointer<jacquard_module>, UnsafePointer<jacquard_request_options>, UnsafeMutableRawPointer,
      UnsafeMutablePointer<OpaquePointer?>
    ) -> Int32
  ) async throws(JacquardError) {
    var options = requestOptions(timeout)
    try await JacquardTags.perform(self) { context, request throws(JacquardError) in
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
