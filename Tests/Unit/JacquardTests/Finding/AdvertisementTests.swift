import DBus
import EventLoop
import JacquardWire
import Testing

@testable import BlueZ
@testable import Jacquard

@Suite("Advertisement")
struct AdvertisementTests {
  private let device: Device
  private let cache: ObjectCache

  init() throws {
    cache = ObjectCache(loop: try EventLoop())
    device = Device(path: "/org/bluez/hci0/dev_C0_FF_EE_00_00_01", cache: cache)
    device.apply([
      "Address": "C0:FF:EE:00:00:01", "Name": "Jacquard-01ZK", "Alias": "mine", "RSSI": .int16(-60),
      "UUIDs": .strings([GATT.service.uppercased()]),
    ])
  }

  private func setManufacturerData(_ company: UInt16, _ bytes: [UInt8]) {
    device.apply([
      "ManufacturerData": .dictionary(key: "q", value: "v", [.init(.uint16(company), .variant(.bytes(bytes)))])
    ])
  }

  @Test("is recognised only with the Jacquard service")
  func service() {
    #expect(Advertisement(device) != nil)
    device.apply(["UUIDs": .strings(["0000180f-0000-1000-8000-00805f9b34fb"])])
    #expect(Advertisement(device) == nil)
    device.apply(["UUIDs": .strings([])])
    #expect(Advertisement(device) == nil)
  }

  @Test("is ignored without an address")
  func address() {
    device.apply(["Address": ""])
    #expect(Advertisement(device) == nil)
  }

  @Test("reads the serial number only from the manufacturer data of the right company")
  func serial() {
    #expect(Advertisement(device)?.serial == "")
    setManufacturerData(0x00e0, [0x40, 0x30, 0x52, 0x3f])
    #expect(Advertisement(device)?.serial == "01ZK")
    setManufacturerData(0xe000, [0x40, 0x30, 0x52, 0x3f])
    #expect(Advertisement(device)?.serial == "")
  }

  @Test("an invalid serial number is reported as empty", arguments: [[], [0xff], [0x3f]] as [[UInt8]])
  func emptySerial(_ bytes: [UInt8]) {
    setManufacturerData(0x00e0, bytes)
    #expect(Advertisement(device)?.serial == "")
  }

  @Test("HCI's value for an unknown signal strength is not reported as a strength")
  func strength() {
    #expect(Advertisement(device)?.rssi == -60)
    device.apply(["RSSI": .int16(127)])
    #expect(Advertisement(device)?.rssi == nil)
    device.invalidate("RSSI")
    #expect(Advertisement(device)?.rssi == nil)
  }

  @Test("has the advertised name, and no other one")
  func name() {
    #expect(Advertisement(device)?.name == "Jacquard-01ZK")
    device.invalidate("Name")
    #expect(Advertisement(device)?.name == "")
  }
}
