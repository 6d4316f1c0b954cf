import DBus

/// The tag's advertising data: 29 of the 31 octets of a legacy advertisement, and the name in the scan response.
final class PeripheralAdvertisement {
  static let root = "/jacquard/advertisement"

  private let server: ObjectServer
  private let object: ExportedObject
  private let interface: ExportedInterface

  /// - Parameter released: called when bluetoothd has released the advertisement.
  init(_ connection: BusConnection, _ tag: SoftwareTag, released: @escaping () -> Void) throws {
    server = try ObjectServer(connection, root: Self.root)
    interface = ExportedInterface(
      "org.bluez.LEAdvertisement1",
      [
        "Type": "peripheral", "ServiceUUIDs": .strings([TagCharacteristic.serviceUUID]),
        "ManufacturerData": .dictionary(
          key: "q", value: "v",
          [.init(.uint16(0x00e0), .variant(.bytes(SimulatedSerialNumber.pack(tag.profile.serial))))]),
        "LocalName": .string(tag.advertisedName), "Discoverable": true,
      ])
    interface.methods["Release"] = {
      $0.answer()
      released()
    }
    object = ExportedObject(Self.root, [interface])
    server.add(object, announced: false)
  }

  func rename(_ name: String) { object.change(interface, ["LocalName": .string(name)]) }
}
