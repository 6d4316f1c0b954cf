import BlueZ
import JacquardWire

/// A tag that was found.
public struct Advertisement: Equatable, Sendable {
  public var identifier: TagIdentifier
  /// The end of the printed serial number; empty if it is not advertised.
  public var serial: String
  public var name: String
  public var address: String
  /// Nil if unknown.
  public var rssi: Int16?
  public var bonded: Bool
  public var connected: Bool

  /// HCI's value for "not available", which BlueZ passes on.
  static let unknownRSSI: Int16 = 127
}

extension Advertisement {
  /// Nil for a device without the Jacquard service or without an address.
  ///
  /// - Parameter identifier: the tag's, if it is known; to compute it takes longer than all the rest.
  init?(_ device: Device, _ identifier: TagIdentifier? = nil) {
    guard device.serviceUUIDs.contains(GATT.service), !device.address.isEmpty else { return nil }
    self.identifier = identifier ?? TagIdentifier(address: device.address)
    serial = device.advertisedSerial
    name = device.name.isEmpty ? device.alias : device.name
    address = device.address
    rssi = device.rssi == Self.unknownRSSI ? nil : device.rssi
    bonded = device.isBonded
    connected = device.connected
  }
}

extension Device {
  /// Empty if it is not or no longer advertised.
  var advertisedSerial: String {
    manufacturerData[SerialNumber.companyID].flatMap { SerialNumber(manufacturerData: $0)?.text } ?? ""
  }
}
