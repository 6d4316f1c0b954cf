import CJacquard
import Jacquard
import JacquardWire

@_cdecl("jacquard_tag_list_modules") @implementation
public func jacquard_tag_list_modules(
  _ tag: OpaquePointer?, _ options: UnsafePointer<jacquard_request_options>?,
  _ callback: jacquard_modules_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.manager.request(options, userData, destroy, request) { [tag = handle.tag] in
      try await tag.value.modules(deadline: $0)
    } _: { result, userData in
      switch result {
      case .success(let modules): withC(modules) { callback($0, modules.count, nil, userData) }
      case .failure(let error): withCError(error) { callback(nil, 0, $0, userData) }
      }
    }
  }
}

@_cdecl("jacquard_tag_load_module") @implementation
public func jacquard_tag_load_module(
  _ tag: OpaquePointer?, _ module: UnsafePointer<jacquard_module>?,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  act(tag, module, options, callback, userData, destroy, request) { try await $0.load($1, deadline: $2) }
}

@_cdecl("jacquard_tag_unload_module") @implementation
public func jacquard_tag_unload_module(
  _ tag: OpaquePointer?, _ module: UnsafePointer<jacquard_module>?,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  act(tag, module, options, callback, userData, destroy, request) { try await $0.unload($1, deadline: $2) }
}

@_cdecl("jacquard_tag_delete_module") @implementation
public func jacquard_tag_delete_module(
  _ tag: OpaquePointer?, _ module: UnsafePointer<jacquard_module>?,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  act(tag, module, options, callback, userData, destroy, request) { try await $0.delete($1, deadline: $2) }
}

private func act(
  _ tag: OpaquePointer?, _ module: UnsafePointer<jacquard_module>?,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?,
  _ perform: @escaping @Sendable (Tag, Module, Duration?) async throws -> Void
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let given = try required(Arguments.options(module), "module")
    let module = Module(
      vendorID: given.vendor_id, productID: given.product_id, moduleID: given.module_id,
      name: try Arguments.string(given.name, "name") ?? "")
    return try handle.manager.request(options, callback, userData, destroy, request) { [tag = handle.tag] in
      try await perform(tag.value, module, $0)
    }
  }
}

@_cdecl("jacquard_connection_on_module_load") @implementation
public func jacquard_connection_on_module_load(
  _ connection: OpaquePointer?, _ callback: jacquard_module_load_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.subscribe(userData, destroy, subscription, to: \.notifications.workReports.moduleLoads) {
      report, userData in
      let strings = CStrings()
      withUnsafePointer(to: jacquard_module(Module(report.module), strings)) { module in
        var copy = jacquard_module_load(
          connection: handle.handle, module: module, tag_status: Int32(truncatingIfNeeded: report.status), reserved: 0)
        callback(&copy, userData)
      }
      withExtendedLifetime(strings) {}
    }
  }
}

extension jacquard_module {
  fileprivate init(_ module: Module, _ strings: CStrings) {
    self.init()
    struct_size = UInt32(MemoryLayout<jacquard_module>.stride)
    vendor_id = module.vendorID
    product_id = module.productID
    module_id = module.moduleID
    name = strings(module.name)
    version = (module.version.major, module.version.minor, module.version.point)
    enabled = module.isEnabled ? 1 : 0
    size = module.byteCount
  }
}

private func withC(
  _ modules: [Module], _ body: (UnsafePointer<UnsafePointer<jacquard_module>?>?) -> Void
) {
  let strings = CStrings()
  let copies = modules.map { jacquard_module($0, strings) }
  withPointers(to: copies, body)
  withExtendedLifetime(strings) {}
}
