import DBus
import TestWorld
import Testing

@testable import BlueZ

@Suite("The cache of org.bluez")
struct ObjectCacheTests {
  let fixture: BlueZFixture
  let daemon: ScriptedBlueZ

  init() throws {
    fixture = try BlueZFixture()
    daemon = try fixture.begin()
    try fixture.follow()
  }

  var device: Device? { fixture.cache.devices.first }

  func addCharacteristic() throws -> GattCharacteristic {
    daemon.add(
      SampleMachine.service,
      [
        SampleMachine.serviceInterface: [
          "UUID": "D2F2BF0D-D165-445C-B0E1-2D6B642EC57B", "Device": .objectPath(SampleMachine.device),
        ]
      ])
    daemon.add(
      SampleMachine.characteristic, [SampleMachine.characteristicInterface: SampleMachine.characteristicProperties])
    fixture.settle()
    fixture.changes.entries = []
    return try #require(
      device.flatMap {
        fixture.cache.characteristic(
          "d2f2b8d1-d165-445c-b0e1-2d6b642ec57b", service: "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b", of: $0)
      })
  }

  // MARK: Updates

  @Test("contains existing objects")
  func loaded() throws {
    #expect(fixture.cache.adapters.map(\.path) == [SampleMachine.adapter])
    let device = try #require(device)
    #expect(device.address.text == "C0:FF:EE:00:00:01")
    #expect(device.adapterPath == SampleMachine.adapter)
    #expect(device.name == "Jacquard-01ZK")
    #expect(device.rssi == nil)
    #expect(!device.connected && !device.isBonded)
  }

  @Test("updates properties, and reports which ones were sent")
  func changes() throws {
    daemon.change(
      SampleMachine.device, SampleMachine.deviceInterface,
      [
        "RSSI": .int16(-60), "Connected": true, "UUIDs": .strings(["D2F2BF0D-D165-445C-B0E1-2D6B642EC57B"]),
        "ManufacturerData": .dictionary(
          key: "q", value: "v", [.init(.uint16(0xe0), .variant(.bytes([0x00, 0x20, 0x0c, 0x3f])))]),
      ])
    #expect(fixture.takeChanges() == ["dev_C0_FF_EE_00_00_01 Connected ManufacturerData RSSI UUIDs"])
    let device = try #require(device)
    #expect(device.rssi == -60)
    #expect(device.connected)
    #expect(device.serviceUUIDs == ["d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"])
    #expect(device.manufacturerData[0xe0] == [0x00, 0x20, 0x0c, 0x3f])
  }

  @Test("keeps the advertised data of several companies, of which some have none")
  func manufacturerData() throws {
    let data: [(UInt16, [UInt8])] = [(0xe0, [1]), (0xffff, []), (0, Array(0...255)), (0x4c, [2, 3])]
    daemon.change(
      SampleMachine.device, SampleMachine.deviceInterface,
      [
        "ManufacturerData": .dictionary(
          key: "q", value: "v", data.map { .init(.uint16($0.0), .variant(.bytes($0.1))) })
      ])
    fixture.settle()
    let device = try #require(device)
    for (company, bytes) in data { #expect(device.manufacturerData[company] == bytes) }
    #expect(device.manufacturerData[1] == nil)
  }

  @Test("distinguishes \"paired\" from \"bonded\" if BlueZ does")
  func bonded() throws {
    daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["Paired": true])
    fixture.settle()
    #expect(try #require(device).isBonded)
    daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["Bonded": false])
    fixture.settle()
    #expect(try !#require(device).isBonded)
  }

  @Test("removes invalidated properties, even unknown ones, without reporting an advertisement")
  func invalidated() throws {
    daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["RSSI": .int16(-60)])
    fixture.settle()
    fixture.changes.entries = []
    daemon.change(
      SampleMachine.device, SampleMachine.deviceInterface, [:], invalidated: ["RSSI", "TxPower", "NoSuchThing", ""])
    #expect(fixture.takeChanges() == ["dev_C0_FF_EE_00_00_01 "])
    #expect(try #require(device).rssi == nil)
  }

  @Test("ignores changes of unknown paths and interfaces")
  func unknown() {
    daemon.change(SampleMachine.adapter + "/dev_00_00_00_00_00_00", SampleMachine.deviceInterface, ["Connected": true])
    daemon.change(SampleMachine.device, "org.bluez.Input1", ["ReconnectMode": "host"])
    daemon.change("/org/bluez", "org.bluez.AgentManager1", [:])
    daemon.remove(SampleMachine.device + "/service0001", [SampleMachine.serviceInterface])
    #expect(fixture.takeChanges() == [])
    #expect(fixture.cache.devices.count == 1)
  }

  @Test("adds and removes the interfaces of an object separately")
  func addedAndRemoved() {
    let other = SampleMachine.adapter + "/dev_C0_FF_EE_00_00_02"
    daemon.add(
      other,
      [SampleMachine.deviceInterface: SampleMachine.deviceProperties, "org.bluez.Input1": ["ReconnectMode": "host"]])
    #expect(fixture.takeChanges() == ["+dev_C0_FF_EE_00_00_02"])
    daemon.remove(other, ["org.bluez.Input1", "org.freedesktop.DBus.Properties"])
    #expect(fixture.takeChanges() == [])
    daemon.remove(other, [SampleMachine.deviceInterface])
    #expect(fixture.takeChanges() == ["-dev_C0_FF_EE_00_00_02"])
    #expect(fixture.cache.devices.map(\.path) == [SampleMachine.device])
  }

  @Test("accepts duplicate removals and parents before children")
  func removalOrder() throws {
    let characteristic = try addCharacteristic()
    daemon.remove(SampleMachine.device, [SampleMachine.deviceInterface])
    daemon.remove(SampleMachine.service, [SampleMachine.serviceInterface])
    daemon.remove(SampleMachine.device, [SampleMachine.deviceInterface])
    daemon.remove(SampleMachine.characteristic, [SampleMachine.characteristicInterface])
    daemon.remove(SampleMachine.characteristic, [SampleMachine.characteristicInterface])
    #expect(fixture.takeChanges() == ["-dev_C0_FF_EE_00_00_01", "-service000a", "-char000b"])
    #expect(characteristic.isGone)
  }

  @Test("an object that returns is a new one; the old one stays invalid")
  func returning() throws {
    let old = try #require(device)
    daemon.remove(SampleMachine.device, [SampleMachine.deviceInterface])
    daemon.add(SampleMachine.device, [SampleMachine.deviceInterface: ["Connected": true]])
    fixture.settle()
    let new = try #require(device)
    #expect(old !== new)
    #expect(old.isGone && !new.isGone)
    #expect(new.connected && new.address.text == "")
    daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["Address": "C0:FF:EE:00:00:01"])
    fixture.settle()
    #expect(new.address.text == "C0:FF:EE:00:00:01")
    #expect(throws: BlueZError.gone) { try fixture.stepped.run { try await old.disconnect() } }
    #expect(daemon.calls == [])
  }

  @Test("an object added twice is one object with the newer properties")
  func announcedTwice() throws {
    let old = try #require(device)
    daemon.add(SampleMachine.device, [SampleMachine.deviceInterface: ["Name": "Jacquard-NEW"]])
    #expect(fixture.takeChanges() == ["dev_C0_FF_EE_00_00_01 Name"])
    #expect(device === old)
    #expect(old.name == "Jacquard-NEW")
    #expect(old.address.text == "C0:FF:EE:00:00:01")
  }

  @Test("an object without any properties has defaults")
  func missingKeys() throws {
    daemon.add(
      SampleMachine.adapter + "/dev_X", [SampleMachine.deviceInterface: [:], SampleMachine.adapterInterface: [:]])
    fixture.settle()
    let bare = try #require(fixture.cache.devices.last)
    #expect(!bare.address.isKnown && bare.adapterPath == "" && bare.rssi == nil && bare.manufacturerData.isEmpty)
  }

  @Test("keeps its values if BlueZ sends wrong types")
  func wrongTypes() throws {
    daemon.change(
      SampleMachine.device, SampleMachine.deviceInterface,
      [
        "Address": .uint32(1), "Adapter": "no path", "RSSI": .int32(100_000), "UUIDs": "x", "Connected": "yes",
        "ManufacturerData": .array(of: "i", [.int32(1)]), "Name": .bytes([0xff]), "Bonded": .double(1),
        "Paired": .variant(.variant(.string("x"))), "ServicesResolved": .structure([.boolean(true)]),
      ])
    fixture.settle()
    let device = try #require(device)
    #expect(device.address.text == "C0:FF:EE:00:00:01" && device.adapterPath == SampleMachine.adapter)
    #expect(device.rssi == nil && device.name == "Jacquard-01ZK" && device.manufacturerData.isEmpty)
    #expect(!device.connected && !device.servicesResolved && !device.isBonded)
  }

  @Test("accepts any integer type whose value fits")
  func integerTypes() throws {
    daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["RSSI": .int64(-70)])
    fixture.settle()
    #expect(try #require(device).rssi == -70)
    daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["RSSI": .uint64(.max)])
    fixture.settle()
    #expect(try #require(device).rssi == -70)
  }

  @Test("ignores signals with invalid arguments")
  func malformedSignals() {
    let manager = "org.freedesktop.DBus.ObjectManager"
    let properties = "org.freedesktop.DBus.Properties"
    for body: [Value] in [
      [], ["x"], [.objectPath(SampleMachine.device)], [.objectPath(SampleMachine.device), "x"],
      [.objectPath(SampleMachine.device), .uint32(7)],
      [.objectPath("/"), .array(of: "s", [])],
      [.objectPath(SampleMachine.device), .dictionary(key: "s", value: "s", [.init("a", "b")])],
      [.objectPath(SampleMachine.device), .dictionary(key: "u", value: "u", [.init(.uint32(1), .uint32(2))])],
    ] {
      daemon.emit("/", manager, "InterfacesAdded", body)
      daemon.emit("/", manager, "InterfacesRemoved", body)
    }
    for body: [Value] in [
      [], [.uint32(1)], [.string(SampleMachine.deviceInterface)], [.string(SampleMachine.deviceInterface), "x"],
      [.string(SampleMachine.deviceInterface), .properties([:])],
      [.string(SampleMachine.deviceInterface), .properties([:]), .uint32(0)],
      [.objectPath("/"), .properties([:]), .strings([])],
    ] {
      daemon.emit(SampleMachine.device, properties, "PropertiesChanged", body)
    }
    _ = fixture.takeChanges()
    #expect(fixture.cache.devices.count == 1)
    daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["Connected": true])
    fixture.settle()
    #expect(device?.connected == true)
  }

  @Test("ignores signals from senders other than bluetoothd")
  func otherSender() throws {
    let stranger = ScriptedBlueZ(fixture.loop, try fixture.stepped.address)
    try fixture.stepped.run { try await stranger.connection.open() }
    stranger.change(SampleMachine.device, SampleMachine.deviceInterface, ["Connected": true])
    stranger.add(SampleMachine.adapter + "/dev_X", [SampleMachine.deviceInterface: SampleMachine.deviceProperties])
    stranger.remove(SampleMachine.device, [SampleMachine.deviceInterface])
    #expect(fixture.takeChanges() == [])
    #expect(device?.connected == false)
  }
}
