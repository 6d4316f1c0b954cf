import CJacquard
import EventLoop
import Jacquard

/// The object behind a `jacquard_tag`, for the duration of one link.
final class TagHandle: HandleObject {
  let tag: LoopBound<Tag>
  let component: LoopBound<Component>
  let componentInfo: ComponentInfo
  let manager: ManagerHandle
  let gear: AttachedGear
  let info: CStructure<jacquard_tag_info>

  /// Call on the loop.
  init(_ tag: Tag, _ gear: AttachedGear, _ manager: ManagerHandle) {
    self.gear = gear
    self.tag = LoopBound(tag, to: manager.loop)
    let component = tag.component
    self.component = LoopBound(component, to: manager.loop)
    componentInfo = component.info
    self.manager = manager
    info = CStructure { jacquard_tag_info(tag.info, $0) }
  }

  func close() {}
}

extension jacquard_tag_info {
  fileprivate init(_ info: TagInfo, _ strings: CStrings) {
    self.init()
    identifier = strings(info.identifier.text)
    address = strings(info.address)
    name = strings(info.name)
    serial = strings(info.serial)
    uuid = strings(info.uuid)
    vendor = strings(info.vendor)
    model = strings(info.model)
    vendor_id = info.vendorID
    product_id = info.productID
    revision = info.revision
    firmware = (info.firmware.major, info.firmware.minor, info.firmware.point)
    bootloader = (info.bootloader.major, info.bootloader.minor, info.bootloader.point)
    faulty_firmware = info.hasFaultyFirmware ? 1 : 0
  }
}

@_cdecl("jacquard_tag_ref") @implementation
public func jacquard_tag_ref(_ tag: OpaquePointer?) -> OpaquePointer? { Handles.reference(tag, as: TagHandle.self) }

@_cdecl("jacquard_tag_unref") @implementation
public func jacquard_tag_unref(_ tag: OpaquePointer?) -> OpaquePointer? {
  Handles.release(tag, as: TagHandle.self)
  return nil
}

@_cdecl("jacquard_tag_get_info") @implementation
public func jacquard_tag_get_info(
  _ tag: OpaquePointer?, _ info: UnsafeMutablePointer<UnsafePointer<jacquard_tag_info>?>?
) -> CInt {
  on(tag, TagHandle.self) {
    try required(info, "info").pointee = $0.info.pointer
    return 0
  }
}
