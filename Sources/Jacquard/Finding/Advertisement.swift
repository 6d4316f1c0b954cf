import BlueZ
import JacquardWire

/// A tag that was found.
public struct Advertisement: Equatable, Sendable {
  public var identifier: TagIdentifier
  /// The end of the printed serial number; empty if it is not advertised.
  public var serial: String
  /// The advertised name; empty if there is none.
  public var name: String
  public var address: BluetoothAddress
  /// Signal strength in dBm; nil if it is unknown.
  public var rssi: Int16?
  /// Whether this machine has a bond with the tag.
  public var bonded: Bool
  /// Whether the tag is connected to this machine, possibly by another program.
  public var connected: Bool

  /// HCI's value for "not available", which BlueZ passes on.
  static let unknownRSSI: Int16 = 127
}

extension Advertisement {
  /// Nil for a device without the Jacquard service or without an address.
  ///
  /// - Parameter identifier: the tag's, if it is known; computing it takes longer than all the rest.
  init?(_ device: Device, _ identifier: TagIdentifier? = nil) {
    guard device.serviceUUIDs.contains(GATT.service), device.address.isKnown else { return nil }
    self.identifier = identifier ?? TagIdentifier(address: device.address.text)
    serial = device.advertisedSerial
    name = device.name
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
