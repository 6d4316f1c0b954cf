import CJacquard
import EventLoop
import Jacquard
import JacquardWire

/// The object behind a `jacquard_component`.
final class ComponentHandle: HandleObject {
  let component: LoopBound<Component>
  let manager: ManagerHandle
  let capabilities: Capabilities
  let info: CStructure<jacquard_component_info>

  /// Call on the loop.
  convenience init(_ component: Component, _ manager: ManagerHandle) {
    self.init(LoopBound(component, to: manager.loop), component.info, manager)
  }

  init(_ component: LoopBound<Component>, _ description: ComponentInfo, _ manager: ManagerHandle) {
    self.component = component
    self.manager = manager
    capabilities = description.capabilities
    info = description.copyForC()
  }

  func close() {}
}

extension ComponentInfo {
  fileprivate func copyForC() -> CStructure<jacquard_component_info> {
    CStructure { strings in
      var copy = jacquard_component_info()
      copy.id = id
      copy.vendor_id = vendor.rawValue
      copy.product_id = product.rawValue
      copy.vendor = strings(known?.vendorName ?? "")
      copy.product = strings(known?.productName ?? "")
      copy.vendor_text = strings(vendor.description)
      copy.product_text = strings(product.description)
      copy.capabilities = capabilities.rawValue
      copy.uuid = strings(uuid)
      copy.firmware = (firmware.major, firmware.minor, firmware.point)
      return copy
    }
  }
}

@_cdecl("jacquard_component_ref") @implementation
public func jacquard_component_ref(_ component: OpaquePointer?) -> OpaquePointer? {
  Handles.reference(component, as: ComponentHandle.self)
}

@_cdecl("jacquard_component_unref") @implementation
public func jacquard_component_unref(_ component: OpaquePointer?) -> OpaquePointer? {
  Handles.release(component, as: ComponentHandle.self)
  return nil
}

@_cdecl("jacquard_tag_get_component") @implementation
public func jacquard_tag_get_component(
  _ tag: OpaquePointer?, _ component: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let output = try required(component, "component")
    output.pointee = try Handles.issue(ComponentHandle(handle.component, handle.componentInfo, handle.manager))
    return 0
  }
}

@_cdecl("jacquard_tag_get_component_at") @implementation
public func jacquard_tag_get_component_at(
  _ tag: OpaquePointer?, _ index: UInt32, _ component: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let output = try required(component, "component")
    switch (index, handle.gear.current) {
    case (0, _):
      output.pointee = try Handles.issue(ComponentHandle(handle.component, handle.componentInfo, handle.manager))
    case (1, .some(let gear)):
      output.pointee = try Handles.issue(ComponentHandle(gear.component, gear.info, handle.manager))
    default:
      throw JacquardError(
        .notFound, "The tag has no component with the index \(index).",
        advice: "Attach the tag to its gear, if this is to be the gear.")
    }
    return 0
  }
}

@_cdecl("jacquard_component_get_info") @implementation
public func jacquard_component_get_info(
  _ component: OpaquePointer?, _ info: UnsafeMutablePointer<UnsafePointer<jacquard_component_info>?>?
) -> CInt {
  on(component, ComponentHandle.self) {
    try required(info, "info").pointee = $0.info.pointer
    return 0
  }
}

@_cdecl("jacquard_component_read_info") @implementation
public func jacquard_component_read_info(
  _ component: OpaquePointer?, _ options: UnsafePointer<jacquard_request_options>?,
  _ callback: jacquard_component_info_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(component, ComponentHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.manager.request(options, userData, destroy, request) { [component = handle.component] in
      try await component.value.readInfo(deadline: $0)
    } _: { result, userData in
      switch result {
      case .success(let info):
        let copy = info.copyForC()
        withExtendedLifetime(copy) { callback(copy.pointer, nil, userData) }
      case .failure(let error):
        withCError(error) { callback(nil, $0, userData) }
      }
    }
  }
}

@_cdecl("jacquard_connection_on_gear") @implementation
public func jacquard_connection_on_gear(
  _ connection: OpaquePointer?, _ callback: jacquard_gear_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.subscribe(
      userData, destroy, subscription, to: \.gear.changes, latest: \.gear.gear
    ) { component, userData in
      var copy = jacquard_gear()
      copy.connection = handle.handle
      copy.component = component.flatMap { handle.handle(of: $0) }
      callback(&copy, userData)
    }
  }
}

/// The gear that is attached to the tag of one link. Set on the loop, read on any thread.
final class AttachedGear: Sendable {
  struct Gear: Sendable {
    let component: LoopBound<Component>
    let info: ComponentInfo
  }

  private let state = Locked<Gear?>(nil)

  /// Nil if there is none, if the tag has not reported it yet, or if the link has ended.
  var current: Gear? { state.withLock { $0 } }

  /// Call on the loop.
  func set(_ component: Component?, on loop: EventLoop) {
    let gear = component.map { Gear(component: LoopBound($0, to: loop), info: $0.info) }
    state.withLock { $0 = gear }
  }
}
