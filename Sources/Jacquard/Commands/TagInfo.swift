import BlueZ
import JacquardWire

/// A tag's information about itself and its connection.
public struct TagInfo: Equatable, Sendable {
  /// The version of firmware or of a module.
  public struct Version: Hashable, Sendable {
    public var major: UInt32
    public var minor: UInt32
    public var point: UInt32

    public init(major: UInt32, minor: UInt32, point: UInt32) {
      (self.major, self.minor, self.point) = (major, minor, point)
    }
  }

  public var identifier: TagIdentifier
  public var address: String
  /// The name of the link, such as `Jacquard-01ZK`.
  public var name: String
  /// The manufacturing ID, whose third part is the serial number.
  public var uuid: String
  /// The vendor's name as reported, such as "Google Inc".
  public var vendor: String
  /// The model as reported, such as "UJT".
  public var model: String
  /// 0x117830C8 for Google.
  public var vendorID: UInt32
  /// 0x283BE7A0 for the tag.
  public var productID: UInt32
  /// The hardware revision.
  public var revision: UInt32
  public var firmware: Version
  public var bootloader: Version

  /// Firmware that the vendor's SDKs replaced before they connected. Both know these two versions, not what is wrong.
  public var hasFaultyFirmware: Bool {
    [Version(major: 1, minor: 0, point: 6), Version(major: 1, minor: 1, point: 0)].contains(firmware)
  }

  /// A tag's uuid has four parts separated by dashes; the third is the printed serial number.
  public var serial: String {
    let parts = uuid.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 4 ? String(parts[2]) : ""
  }
}

extension TagInfo {
  /// The tag's response with this information.
  var wire: WireDeviceInfoResponse {
    .with {
      $0.uuid = uuid
      $0.vendor = vendor
      $0.model = model
      $0.vendorID = vendorID
      $0.productID = productID
      $0.revision = revision
      $0.firmwareMajor = firmware.major
      $0.firmwareMinor = firmware.minor
      $0.firmwarePoint = firmware.point
      $0.bootloaderMajor = bootloader.major
      $0.bootloaderMinor = bootloader.minor
      $0.bootloaderPoint = bootloader.point
    }
  }

  static let read = TagCommand<WireDeviceInfoResponse>(.deviceInfo, component: 0) {
    $0.deviceInfo.component = 0
  } answer: {
    $0.hasDeviceInfo ? $0.deviceInfo : nil
  }

  /// - Parameter identifier: used if the address is not known.
  init(_ response: WireDeviceInfoResponse, identifier: TagIdentifier, address: String, name: String) {
    self.identifier = BluetoothAddress(address).map { TagIdentifier(address: $0.text) } ?? identifier
    self.address = address
    self.name = name
    uuid = response.uuid
    vendor = response.vendor
    model = response.model
    vendorID = response.vendorID
    productID = response.productID
    revision = response.revision
    firmware = Version(
      major: response.firmwareMajor, minor: response.firmwareMinor, point: response.firmwarePoint)
    bootloader = Version(
      major: response.bootloaderMajor, minor: response.bootloaderMinor, point: response.bootloaderPoint)
  }
}
