import CJacquard
import Jacquard
import JacquardWire

/// The object behind a `jacquard_firmware`.
final class FirmwareHandle: HandleObject {
  let image: FirmwareImage
  let info: CStructure<jacquard_firmware_info>

  init(_ image: FirmwareImage) {
    self.image = image
    info = CStructure { _ in jacquard_firmware_info(image) }
  }

  func close() {}
}

@_cdecl("jacquard_firmware_new") @implementation
public func jacquard_firmware_new(
  _ source: UnsafePointer<jacquard_firmware_source>?, _ firmware: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  status {
    let output = try required(firmware, "firmware")
    let source = try required(Arguments.options(source), "source")
    output.pointee = try Handles.issue(FirmwareHandle(Arguments.firmware(source)))
    return 0
  }
}

@_cdecl("jacquard_firmware_ref") @implementation
public func jacquard_firmware_ref(_ firmware: OpaquePointer?) -> OpaquePointer? {
  Handles.reference(firmware, as: FirmwareHandle.self)
}

@_cdecl("jacquard_firmware_unref") @implementation
public func jacquard_firmware_unref(_ firmware: OpaquePointer?) -> OpaquePointer? {
  Handles.release(firmware, as: FirmwareHandle.self)
  return nil
}

@_cdecl("jacquard_firmware_get_info") @implementation
public func jacquard_firmware_get_info(
  _ firmware: OpaquePointer?, _ info: UnsafeMutablePointer<UnsafePointer<jacquard_firmware_info>?>?
) -> CInt {
  on(firmware, FirmwareHandle.self) { handle in
    try required(info, "info").pointee = handle.info.pointer
    return 0
  }
}

extension Arguments {
  fileprivate static func firmware(_ source: jacquard_firmware_source) throws -> FirmwareImage {
    let stated = try flag(source.identified, "identified") ? FirmwareImage.Identity(source) : nil
    let path = try string(source.path, "path")
    let isDescriptor = try flag(source.from_descriptor, "from_descriptor")
    guard [path != nil, source.data != nil, isDescriptor].filter(\.self).count == 1 else {
      throw JacquardError.invalid("Exactly one of path, data and from_descriptor is expected.")
    }
    var manifests: [FirmwareManifest] = []
    if let text = try string(source.manifest, "manifest") {
      manifests.append(try FirmwareManifest(json: Array(text.utf8)))
    }
    let bytes: [UInt8]
    if let path {
      bytes = try FirmwareFile.image(at: path)
      if let beside = try FirmwareFile.manifest(ofImageAt: path) {
        manifests.append(try FirmwareManifest(json: beside))
      }
    } else if isDescriptor {
      bytes = try FirmwareFile.image(from: source.descriptor)
    } else {
      guard (0...FirmwareImage.mostBytes).contains(source.data_size) else {
        throw JacquardError(.firmwareImage, "data_size is larger than \(FirmwareImage.mostBytes).")
      }
      bytes = Array(UnsafeBufferPointer(start: source.data, count: source.data_size))
    }
    guard let identity = stated ?? manifests.first?.identity else {
      throw JacquardError.invalid("identified is 0, and there is no manifest that says what the image is for.")
    }
    let image = try FirmwareImage(bytes, identity)
    for manifest in manifests { try manifest.check(image) }
    return image
  }
}

extension FirmwareImage.Identity {
  fileprivate init(_ source: jacquard_firmware_source) {
    self.init(
      vendor: PartID(rawValue: source.vendor_id), product: PartID(rawValue: source.product_id),
      module: source.module_id == 0 ? nil : PartID(rawValue: source.module_id),
      version: TagInfo.Version(major: source.version.0, minor: source.version.1, point: source.version.2))
  }
}

extension jacquard_firmware_info {
  fileprivate init(_ image: FirmwareImage) {
    self.init()
    vendor_id = image.identity.vendor.rawValue
    product_id = image.identity.product.rawValue
    module_id = image.identity.module?.rawValue ?? 0
    version = (image.identity.version.major, image.identity.version.minor, image.identity.version.point)
    size = UInt32(image.bytes.count)
    checksum = UInt32(image.checksum)
    withUnsafeMutableBytes(of: &sha256) { $0.copyBytes(from: image.sha256) }
  }
}
