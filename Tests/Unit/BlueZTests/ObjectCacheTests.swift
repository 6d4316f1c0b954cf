import DBus
import TestWorld
import Testing

@testable import BlueZ

@Suite("The cache of org.bluez")
struct ObjectCacheTests {
  private let fixture: BlueZFixture
  private let daemon: ScriptedBlueZ

  init() throws {
    fixture = try BlueZFixture()
    daemon = try fixture.begin()
    try fixture.follow()
  }

  private var device: Device? { fixture.cache.devices.first }

  private func addCharacteristic() throws -> GattCharacteristic {
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
    daemon.change(SampleMachine.device, "org.bluez.Battery1", ["Percentage": .byte(50)])
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
      [SampleMachine.deviceInterface: SampleMachine.deviceProperties, "org.bluez.Battery1": ["Percentage": .byte(1)]])
    #expect(fixture.takeChanges() == ["+dev_C0_FF_EE_00_00_02"])
    daemon.remove(other, ["org.bluez.Battery1", "org.freedesktop.DBus.Properties"])
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

  @Test("changes between the reply to GetManagedObjects and its handling are not lost")
  func rightBehindTheTree() throws {
    daemon.answerTree = { [daemon] call in
      daemon.giveTree(call)
      daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["Connected": true])
      daemon.remove(SampleMachine.adapter, [SampleMachine.adapterInterface])
      daemon.add("/org/bluez/hci1", [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    }
    try restart()
    #expect(fixture.isRunning)
    try fixture.follow()
    #expect(device?.connected == true)
    #expect(fixture.cache.adapters.map(\.path) == ["/org/bluez/hci1"])
  }

  /// The same daemon under a new name, so that the objects are queried again.
  private func restart() throws {
    try fixture.stepped.run { [daemon] in
      try await daemon.connection.releaseName("org.bluez")
      try await daemon.connection.requestName("org.bluez")
    }
    fixture.settle()
  }

  @Test("objects added before the reply to GetManagedObjects are neither lost nor duplicated")
  func beforeTheTree() throws {
    daemon.answerTree = { [daemon] call in
      daemon.add("/org/bluez/hci1", [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
      daemon.tree.append(
        (path: "/org/bluez/hci1", interfaces: [SampleMachine.adapterInterface: SampleMachine.adapterProperties]))
      daemon.giveTree(call)
    }
    try restart()
    #expect(fixture.cache.adapters.map(\.path) == [SampleMachine.adapter, "/org/bluez/hci1"])
  }

  private func crowd() -> [(path: String, interfaces: ScriptedBlueZ.Interfaces)] {
    (0..<500).map { number in
      (
        path: "\(SampleMachine.adapter)/dev_\(number)",
        interfaces: [SampleMachine.deviceInterface: ["Address": .string("\(number)"), "Connected": false]]
      )
    }
  }

  @Test("a reply with many objects is handled before the signals that follow it")
  func manyObjects() throws {
    let crowd = crowd()
    daemon.tree += crowd
    daemon.answerTree = { [daemon] call in
      daemon.answerTree = nil
      daemon.giveTree(call)
      for device in crowd { daemon.change(device.path, SampleMachine.deviceInterface, ["Connected": true]) }
    }
    try fixture.follow()
    let connected = fixture.cache.devices.filter { $0.path != SampleMachine.device && $0.connected }
    #expect(connected.count == crowd.count)
  }

  @Test("closing while a reply with many objects is handled ends its call")
  func closedMeanwhile() throws {
    daemon.tree += crowd()
    let outcome = Recorder<String>()
    fixture.loop.spawn { [cache = fixture.cache] in
      do throws(BlueZError) {
        _ = try await cache.followAllDevices()
        outcome.note("done")
      } catch {
        outcome.note("\(error.kind)")
      }
    }
    fixture.cache.changes.add { [fixture] _ in if fixture.cache.devices.count == 100 { fixture.bluez.close() } }
    fixture.settle()
    #expect(outcome.entries == ["unavailable"])
    #expect(fixture.cache.devices.isEmpty)
  }

  @Test("an invalid reply to GetManagedObjects yields no objects")
  func senselessTree() throws {
    daemon.answerTree = { try? $0.reply([.string("nothing")]) }
    try restart()
    #expect(fixture.isRunning)
    #expect(fixture.cache.adapters.isEmpty)
  }

  // MARK: Notified values

  @Test("ten thousand values arrive in order, without losing or merging any")
  func manyValues() throws {
    let characteristic = try addCharacteristic()
    let values = Recorder<Int>()
    characteristic.onValue = { value, _ in values.note(Int(value[0]) << 8 | Int(value[1])) }
    for number in 0..<10_000 {
      let value = number / 2
      daemon.change(
        SampleMachine.characteristic, SampleMachine.characteristicInterface,
        ["Value": .bytes([UInt8(value >> 8), UInt8(value & 0xff)])])
    }
    fixture.settle()
    #expect(values.entries == (0..<10_000).map { $0 / 2 })
    #expect(fixture.takeChanges() == [])
  }

  @Test("a value in a signal with other properties is delivered, as are the properties")
  func valueAmongOthers() throws {
    let characteristic = try addCharacteristic()
    let values = Recorder<[UInt8]>()
    characteristic.onValue = { value, _ in values.note(Array(value)) }
    daemon.change(
      SampleMachine.characteristic, SampleMachine.characteristicInterface,
      ["Notifying": true, "MTU": .uint16(64), "Value": .bytes([1, 2]), "WriteAcquired": false])
    fixture.settle()
    #expect(values.entries == [[1, 2]])
    #expect(characteristic.notifying)
    #expect(characteristic.mtu == 64)
  }

  @Test("an empty value is a value")
  func emptyValue() throws {
    let characteristic = try addCharacteristic()
    let values = Recorder<Int>()
    characteristic.onValue = { value, _ in values.note(value.count) }
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": .bytes([])])
    fixture.settle()
    #expect(values.entries == [0])
  }

  @Test("a value of another type or interface is ignored")
  func noValue() throws {
    let characteristic = try addCharacteristic()
    let values = Recorder<Int>()
    characteristic.onValue = { value, _ in values.note(value.count) }
    for value: Value in ["text", .uint32(1), .array(of: "u", [.uint32(1)]), .variant(.bytes([1]))] {
      daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": value])
    }
    daemon.change(SampleMachine.characteristic, "org.bluez.GattDescriptor1", ["Value": .bytes([1])])
    daemon.change(SampleMachine.service, SampleMachine.characteristicInterface, ["Value": .bytes([1])])
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, [:], invalidated: ["Value"])
    fixture.settle()
    #expect(values.entries == [])
  }

  @Test("a handler may remove itself or add another one while it is called")
  func handlerChangesHandlers() throws {
    let characteristic = try addCharacteristic()
    let values = Recorder<String>()
    characteristic.onValue = { [unowned characteristic] value, _ in
      values.note("first \(value[0])")
      characteristic.onValue = { value, _ in values.note("second \(value[0])") }
    }
    for value: UInt8 in [1, 2] {
      daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": .bytes([value])])
    }
    fixture.settle()
    characteristic.onValue = nil
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": .bytes([3])])
    fixture.settle()
    #expect(values.entries == ["first 1", "second 2"])
  }

  @Test("values reach the handler of a characteristic's successor, and never a removed characteristic's")
  func goneCharacteristic() throws {
    let old = try addCharacteristic()
    let values = Recorder<String>()
    old.onValue = { value, _ in values.note("old \(value[0])") }
    daemon.remove(SampleMachine.characteristic, [SampleMachine.characteristicInterface])
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": .bytes([1])])
    let new = try addCharacteristic()
    new.onValue = { value, _ in values.note("new \(value[0])") }
    // Releasing the old one must not remove the new one.
    old.onValue = nil
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": .bytes([2])])
    fixture.settle()
    #expect(values.entries == ["new 2"])
  }

  // MARK: Effects of replies

  @Test("a link that ended immediately after the reply to Connect is down")
  func connectedAndLost() throws {
    daemon.answer = { [daemon] call in
      try? call.reply()
      daemon.change(
        SampleMachine.device, SampleMachine.deviceInterface, ["Connected": false, "ServicesResolved": false])
    }
    let device = try #require(device)
    try fixture.stepped.run { try await device.connect(deadline: .seconds(20)) }
    fixture.settle()
    #expect(!device.connected)
  }

  @Test("the reply to Connect means connected, if BlueZ does not signal it")
  func connectedByReply() throws {
    let device = try #require(device)
    try fixture.stepped.run { try await device.connect(deadline: .seconds(20)) }
    #expect(device.connected)
    #expect(fixture.takeChanges() == ["dev_C0_FF_EE_00_00_01 Connected"])
  }

  @Test("a postponed StartNotify is complete when the property is set")
  func postponedNotify() throws {
    let characteristic = try addCharacteristic()
    daemon.answer = { $0.fail("org.bluez.Error.InProgress", "In Progress") }
    let done = Recorder<Bool>()
    fixture.loop.spawn {
      do {
        try await characteristic.startNotify(deadline: .seconds(8))
        done.note(try await characteristic.becomesNotifying(within: .seconds(8)))
      } catch {
        Issue.record(error)
      }
    }
    fixture.settle()
    #expect(done.entries == [])
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Notifying": true])
    fixture.settle()
    #expect(done.entries == [true])
  }

  @Test("a StartNotify that stays postponed ends with its time limit or the characteristic")
  func neverNotify() throws {
    let characteristic = try addCharacteristic()
    #expect(try fixture.stepped.run { try await characteristic.becomesNotifying(within: .seconds(8)) } == false)
    let outcome = Recorder<String>()
    fixture.loop.spawn {
      do { _ = try await characteristic.becomesNotifying(within: .seconds(8)) } catch let error as BlueZError {
        outcome.note("\(error.kind)")
      } catch {
        outcome.note("\(error)")
      }
    }
    fixture.settle()
    daemon.remove(SampleMachine.characteristic, [SampleMachine.characteristicInterface])
    fixture.settle()
    #expect(outcome.entries == ["objectGone"])
  }

  @Test("a session started for a removed characteristic is stopped through its successor", arguments: [true, false])
  func sessionOfSuccessor(_ isReplied: Bool) throws {
    let old = try addCharacteristic()
    daemon.answer = { [daemon] call in
      guard call.member == "StartNotify" else { return }
      // The program receives these signals late: it called while it still knew the old object.
      daemon.remove(SampleMachine.characteristic, [SampleMachine.characteristicInterface])
      daemon.add(
        SampleMachine.characteristic, [SampleMachine.characteristicInterface: SampleMachine.characteristicProperties])
      if isReplied { try? call.reply() }
    }
    let start = fixture.loop.spawn { _ = try? await old.startNotify(deadline: .seconds(8)) }
    fixture.settle()
    start.cancel()
    let new = try #require(device.flatMap { fixture.cache.characteristics(of: $0).first })
    #expect(new !== old)
    new.stopNotifyWithoutWaiting()
    new.stopNotifyWithoutWaiting()
    fixture.settle()
    #expect(daemon.calls == ["StartNotify", "StopNotify"])
  }

  @Test("calls go to the daemon that exported the object, with BlueZ's arguments")
  func calls() throws {
    let seen = Recorder<String>()
    daemon.answer = { call in
      seen.note("\(call.path) \(call.interface ?? "").\(call.member) \(call.message.signature)")
      if call.member == "RemoveDevice" { daemon.remove(SampleMachine.device, [SampleMachine.deviceInterface]) }
      try? call.reply()
    }
    let characteristic = try addCharacteristic()
    let adapter = try #require(fixture.cache.adapters.first)
    let device = try #require(device)
    try fixture.stepped.run {
      try await adapter.setDiscoveryFilter(["Transport": "le"])
      try await adapter.startDiscovery()
      try await adapter.stopDiscovery()
      characteristic.write([1, 2, 3], .command, deadline: .seconds(1), overdue: {}) { _ in }
      try await device.disconnect()
      try await adapter.remove(device)
    }
    #expect(
      seen.entries == [
        "\(SampleMachine.adapter) org.bluez.Adapter1.SetDiscoveryFilter a{sv}",
        "\(SampleMachine.adapter) org.bluez.Adapter1.StartDiscovery ",
        "\(SampleMachine.adapter) org.bluez.Adapter1.StopDiscovery ",
        "\(SampleMachine.characteristic) org.bluez.GattCharacteristic1.WriteValue aya{sv}",
        "\(SampleMachine.device) org.bluez.Device1.Disconnect ",
        "\(SampleMachine.adapter) org.bluez.Adapter1.RemoveDevice o",
      ])
  }

  @Test("a call without a reply ends with its time limit")
  func unanswered() throws {
    var kept: [MethodCall] = []
    daemon.answer = { kept.append($0) }
    let device = try #require(device)
    #expect(throws: BlueZError(.deadline, "The Bluetooth service did not respond in time.")) {
      try fixture.stepped.run { try await device.connect(deadline: .seconds(20)) }
    }
    #expect(fixture.stepped.time.now.nanoseconds == 20_000_000_000)
    #expect(kept.count == 1)
  }

  @Test("a characteristic is found only below its own device and service")
  func lookup() throws {
    let characteristic = try addCharacteristic()
    let other = SampleMachine.device + "5"
    daemon.add(other, [SampleMachine.deviceInterface: SampleMachine.deviceProperties])
    fixture.settle()
    let devices = fixture.cache.devices
    let uuid = "d2f2b8d1-d165-445c-b0e1-2d6b642ec57b"
    let service = "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"
    #expect(fixture.cache.characteristic(uuid, service: service, of: devices[0]) === characteristic)
    #expect(fixture.cache.characteristic(uuid, service: service, of: devices[1]) == nil)
    #expect(fixture.cache.characteristic(uuid, service: "0000180f-0000-1000-8000-00805f9b34fb", of: devices[0]) == nil)
    #expect(
      fixture.cache.characteristic("d2f2b8d0-d165-445c-b0e1-2d6b642ec57b", service: service, of: devices[0]) == nil)
  }
}
