import DBus
import EventLoop
import PrivateBus
import Testing

@testable import TagSimulator

/// The tag as used by bluetoothd; Tests/System/vm tests it with a real bluetoothd.
@Suite("The peripheral") struct PeripheralTests {
  /// The part of bluetoothd that a peripheral needs, and a connected host.
  private final class Registry {
    let connection: BusConnection
    let server: ObjectServer
    private(set) var calls: [String] = []
    private var waiting: [(String, Completion<Void, CancellationError>)] = []
    private var values: Subscription?
    private(set) var heard: [String] = []
    private var peripheral = ""

    let device = ExportedObject(
      "/org/bluez/hci1/dev_00_AA", [ExportedInterface("org.bluez.Device1", ["Connected": false])])

    init(_ loop: EventLoop, _ bus: PrivateBus) async throws {
      connection = BusConnection(loop, try BusAddress(bus.address))
      try await connection.open()
      server = try ObjectServer(connection)
      for index in 0...1 {
        let path = "/org/bluez/hci\(index)"
        let adapter = ExportedInterface(
          "org.bluez.Adapter1", ["Address": .string("00:AA:01:0\(index):00:00"), "Powered": false, "Alias": ""])
        for name in ["Powered", "Alias"] {
          adapter.setters[name] = { [unowned self] in
            note("hci\(index) \(name)=\($0.asString ?? "\($0.asBool == true)")")
          }
        }
        let manager = ExportedInterface("org.bluez.GattManager1")
        let advertising = ExportedInterface("org.bluez.LEAdvertisingManager1")
        for (interface, method) in [
          (manager, "RegisterApplication"), (advertising, "RegisterAdvertisement"),
          (advertising, "UnregisterAdvertisement"),
        ] {
          interface.methods[method] = { [unowned self] call in
            peripheral = call.caller
            note("hci\(index) \(method) \(call.arguments.first?.asObjectPath ?? "")")
            call.answer()
          }
        }
        server.add(ExportedObject(path, [adapter, manager, advertising]))
      }
      device.interfaces[0].methods["Disconnect"] = { [unowned self] in
        note("Disconnect")
        $0.answer()
      }
      server.add(device)
      values = try await connection.subscribe(MatchRule(pathNamespace: PeripheralApplication.root)) { [unowned self] in
        let message = Message($0)
        guard let value = message.body()[1]["Value"]?.asBytes else { return }
        heard.append("\(message.path?.split(separator: "/").last ?? "") \(hex(value))")
      }
      // The bus may not have noticed yet that the previous owner has disconnected.
      while try await connection.requestName("org.bluez") != .primaryOwner {}
    }

    private func note(_ call: String) {
      calls.append(call)
      for (text, completion) in waiting where call.contains(text) { completion.succeed(()) }
    }

    func until(_ text: String) async throws {
      let completion = Completion<Void, CancellationError>()
      waiting.append((text, completion))
      try await completion.value()
    }

    func expect(_ text: String) -> LoopTask<Void, any Error> {
      connection.loop.spawn(returning: { try await self.until(text) })
    }

    func objects() async throws -> [(path: String, interfaces: [Value.Entry])] {
      let answer = try await connection.call(
        to: peripheral, path: PeripheralApplication.root, interface: ObjectServer.objectManager,
        member: "GetManagedObjects")
      return (answer.body().first?.asEntries ?? []).map { ($0.key.asObjectPath ?? "", $0.value.asEntries ?? []) }
    }

    func advertisement() async throws -> PropertyMap {
      let answer = try await connection.call(
        to: peripheral, path: PeripheralAdvertisement.root, interface: ObjectServer.properties, member: "GetAll",
        ["org.bluez.LEAdvertisement1"])
      return answer.body().first?.asProperties ?? [:]
    }

    func call(_ characteristic: TagCharacteristic, _ method: String, _ body: [Value] = []) async throws {
      try await connection.call(
        to: peripheral, path: PeripheralApplication.root + "/service/\(characteristic)",
        interface: "org.bluez.GattCharacteristic1", member: method,
        body)
    }

    func write(_ text: String) async throws {
      try await call(
        .command, "WriteValue",
        [.bytes(bytes(hex: text)!), ["device": .objectPath(device.path), "link": "LE", "mtu": .uint16(517)]])
      // The tag's response is sent before the reply to this call.
      _ = try await objects()
    }

    func setConnected(_ on: Bool) async throws {
      device.change(device.interfaces[0], ["Connected": .boolean(on)])
      _ = try await objects()
    }
  }

  private func run(_ body: sending @escaping (SoftwareTag, Registry, PrivateBus) async throws -> Void) async throws {
    let bus = try PrivateBus()
    let loop = try EventLoop()
    let thread = try LoopThread(loop)
    try await loop.run {
      let registry = try await Registry(loop, bus)
      let tag = SoftwareTag(profile: .numbered(0), clock: SimulationClock(loop))
      let peripheral = Peripheral(try BusAddress(bus.address), adapter: "hci1", tag: tag)
      try await peripheral.start()
      try await body(tag, registry, bus)
      registry.connection.close()
    }
    thread.stop()
    loop.close()
    loop.drain()
  }

  @Test("registers on the given adapter, powered on and with the tag's name") func registration() async throws {
    try await run { _, registry, _ in
      #expect(
        registry.calls == [
          "hci1 Powered=true", "hci1 Alias=Jacquard-01ZK", "hci1 RegisterApplication /jacquard/tag",
          "hci1 RegisterAdvertisement /jacquard/advertisement",
        ])
    }
  }

  @Test("exports the service of a tag with the properties of its characteristics") func application() async throws {
    try await run { _, registry, _ in
      var flags: [String: [String]] = [:]
      for object in try await registry.objects() {
        let properties = object.interfaces.first?.value
        if let uuid = properties?["UUID"]?.asString { flags[uuid] = properties?["Flags"]?.asStrings ?? [] }
      }
      #expect(
        flags == [
          TagCharacteristic.serviceUUID: [],
          TagCharacteristic.command.uuid: ["write-without-response", "write"],
          TagCharacteristic.response.uuid: ["notify"],
          TagCharacteristic.notification.uuid: ["notify"],
          TagCharacteristic.rawData.uuid: ["write-without-response", "write", "notify"],
        ])
    }
  }

  @Test("advertises what fits into 31 octets") func advertisement() async throws {
    try await run { _, registry, _ in
      let properties = try await registry.advertisement()
      #expect(properties["Type"] == "peripheral")
      #expect(properties["ServiceUUIDs"] == .strings([TagCharacteristic.serviceUUID]))
      #expect(properties["LocalName"] == "Jacquard-01ZK")
      let data = properties["ManufacturerData"]?.asEntries?.first
      #expect(data?.key == .uint16(0x00e0) && data?.value.asBytes == [0x40, 0x30, 0x52, 0x3f])
    }
  }

  @Test("communicates with a host, and detects its end") func conversation() async throws {
    try await run { tag, registry, _ in
      try await registry.setConnected(true)
      #expect(tag.isConnected)
      for characteristic in TagCharacteristic.notifying { try await registry.call(characteristic, "StartNotify") }
      for request in Example.setUp { try await registry.write(request) }
      #expect(tag.violations.isEmpty)
      #expect(registry.heard.first == "notification c0 0d 08 00 10 17 18 00 ca 07 04 08 50 10 02")
      #expect(registry.heard.filter { $0.hasPrefix("response") }.count == 6)
      try await registry.setConnected(false)
      #expect(!tag.isConnected)
    }
  }

  @Test("treats a first write as a link that was not reported") func silentLink() async throws {
    try await run { tag, registry, _ in
      for characteristic in TagCharacteristic.notifying { try await registry.call(characteristic, "StartNotify") }
      try await registry.write(Example.hello)
      #expect(tag.isConnected && tag.violations.isEmpty)
    }
  }

  @Test("keeps the subscriptions of a bonded host, which bluetoothd does not report") func bonded() async throws {
    try await run { tag, registry, _ in
      try await registry.setConnected(true)
      for characteristic in TagCharacteristic.notifying { try await registry.call(characteristic, "StartNotify") }
      try await registry.setConnected(false)
      try await registry.setConnected(true)
      try await registry.write(Example.hello)
      #expect(tag.violations.isEmpty)
    }
  }

  @Test("drops the link when the tag does, and stops advertising when the tag does") func dropLink() async throws {
    try await run { tag, registry, _ in
      try await registry.setConnected(true)
      let dropped = registry.expect("Disconnect")
      try tag.perform(.dropLink)
      try await dropped.value
      try await registry.setConnected(false)
      let silent = registry.expect("UnregisterAdvertisement")
      try tag.perform(.inRange(false))
      try await silent.value
      let loud = registry.expect("RegisterAdvertisement")
      try tag.perform(.inRange(true))
      try await loud.value
    }
  }

  @Test("registers again when bluetoothd is restarted") func restart() async throws {
    try await run { tag, registry, bus in
      try await registry.setConnected(true)
      registry.connection.close()
      let again = try await Registry(tag.clock.loop, bus)
      try await again.until("RegisterAdvertisement")
      #expect(!tag.isConnected)
      again.connection.close()
    }
  }
}
