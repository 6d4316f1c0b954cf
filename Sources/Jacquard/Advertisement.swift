import BlueZ
import JacquardWire

/// A tag that was seen.
public struct Advertisement: Equatable {
  public var identifier: TagIdentifier
  /// The end of the printed serial number; empty when it is not advertised.
  public var serial: String
  public var name: String
  public var address: String
  /// Nil when not known.
  public var rssi: Int16?
  public var bonded: Bool
  public var connected: Bool

  /// HCI's number for "not available", which BlueZ hands on.
  static let unknownRSSI: Int16 = 127
}

extension Advertisement {
  /// Nil for a device that does not show the Jacquard service, or no address to connect to.
  init?(_ device: Device) {
    guard device.serviceUUIDs.contains(GATT.service), !device.address.isEmpty else { return nil }
    identifier = TagIdentifier(address: device.address)
    serial = device.advertisedSerial
    name = device.name.isEmpty ? device.alias : device.name
    address = device.address
    rssi = device.rssi == Self.unknownRSSI ? nil : device.rssi
    bonded = device.isBonded
    connected = device.connected
  }
}

extension Device {
  /// Empty when it is not advertised, or not any more.
  var advertisedSerial: String {
    manufacturerData[SerialNumber.companyID].flatMap { SerialNumber(manufacturerData: $0)?.text } ?? ""
  }
}
