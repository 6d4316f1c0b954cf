import JacquardWire

/// The library's information about a component.
public struct ComponentInfo: Sendable {
  /// 0: the tag; else a number that is valid for this attachment only.
  public var id: UInt32
  public var vendor: PartID
  public var product: PartID
  /// Nil for an unknown product.
  public var known: KnownGear?
  public var uuid = ""
  public var firmware = TagInfo.Version(major: 0, minor: 0, point: 0)

  public var capabilities: Capabilities { known?.capabilities ?? [] }
}

extension ComponentInfo {
  init(id: UInt32, vendorID: UInt32, productID: UInt32) {
    self.id = id
    vendor = PartID(rawValue: vendorID)
    product = PartID(rawValue: productID)
    known = KnownGear.find(vendor: vendor, product: product)
  }

  /// The tag. The vendor's SDK assumes an LED for every product number of a tag.
  init(tag: TagInfo) {
    self.init(id: 0, vendorID: tag.vendorID, productID: tag.productID)
    known = known ?? KnownGear.tag
    uuid = tag.uuid
    firmware = tag.firmware
  }

  mutating func take(_ response: WireDeviceInfoResponse) {
    uuid = response.uuid
    firmware = TagInfo.Version(
      major: response.firmwareMajor, minor: response.firmwareMinor, point: response.firmwarePoint)
  }
}
