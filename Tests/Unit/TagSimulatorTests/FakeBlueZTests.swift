import DBus
import EventLoop
import Glibc
import Testing

@testable import TagSimulator

/// The behaviour of bluetoothd 5.66 according to docs/bluez-observed.md, tested with the simulated one.
@Suite("The simulated org.bluez") struct FakeBlueZTests {
  let fixture: FakeBlueZFixture

  init() throws { fixture = try FakeBlueZFixture() }

  func error(_ name: String, _ message: String) -> BusError {
    .remote(name: "org.bluez.Error." + name, message: message)
  }

  // MARK: - Discovery

  @Test("finds a tag during discovery, with all its advertising data") func scan() async throws {
    try await fixture.run { [fixture] _, _, host in
      try await host.call(Host.adapter, "Adapter1", "StartDiscovery")
      #expect(try await host.takeSignals() == ["hci0 Discovering=true"])
      try await fixture.pass(.milliseconds(150))
      #expect(try await host.takeSignals() == ["+dev00"])
      #expect(try await host.get(Host.device, "Device1", "Name") == "Jacquard-01ZK")
      #expect(try await host.get(Host.device, "Device1", "Address") == "C0:1A:DA:00:00:00")
      #expect(try await host.get(Host.device, "Device1", "AddressType") == "random")
      #expect(try await host.get(Host.device, "Device1", "UUIDs") == .strings([TagCharacteristic.serviceUUID]))
      #expect(try await host.get(Host.device, "Device1", "RSSI")?.asInteger(Int.self) == -58)
      let data = try await host.get(Host.device, "Device1", "ManufacturerData")?.asEntries?.first
      #expect(data?.key == .uint16(0x00e0))
      #expect(data?.value.asBytes == [0x40, 0x30, 0x52, 0x3f])
      #expect(try await host.get(Host.device, "Device1", "Connected") == false)
    }
  }

  @Test("reports a changing signal strength, and invalidates it at the end of the scan") func rssi() async throws {
    try await fixture.run { [fixture] _, _, host in
      try await host.call(Host.adapter, "Adapter1", "StartDiscovery")
      try await fixture.pass(.milliseconds(350))
      try await host.catchUp()
      #expect(host.signals.suffix(2) == ["dev00 RSSI=-61", "dev00 RSSI=-59"])
      host.forgetSignals()
      try await host.call(Host.adapter, "Adapter1", "StopDiscovery")
      #expect(try await host.takeSignals() == ["dev00 -RSSI", "hci0 Discovering=false"])
      await #expect(throws: BusError.remote(name: ErrorName.invalidArguments, message: "No such property 'RSSI'")) {
        try await host.get(Host.device, "Device1", "RSSI")
      }
    }
  }

  @Test("exports the serial number that a scenario sets") func givenSerial() async throws {
    try await fixture.run { [fixture] world, _, host in
      _ = try world.control("serial 9-zA")
      try await host.call(Host.adapter, "Adapter1", "StartDiscovery")
      try await fixture.pass(.milliseconds(150))
      let data = try await host.get(Host.device, "Device1", "ManufacturerData")?.asEntries?.first
      #expect(data?.value.asBytes == SimulatedSerialNumber.pack("9-zA"))
    }
  }

  @Test("is powered off while rfkill blocks the adapter") func blocked() async throws {
    try await fixture.run { world, _, host in
      _ = try world.control("adapter blocked")
      #expect(try await host.get(Host.adapter, "Adapter1", "Powered") == false)
      #expect(try await host.get(Host.adapter, "Adapter1", "PowerState") == "off-blocked")
      await #expect(throws: error("Blocked", "Blocked through rfkill")) {
        try await host.set(Host.adapter, "Adapter1", "Powered", true)
      }
      _ = try world.control("adapter unblocked")
      #expect(try await host.get(Host.adapter, "Adapter1", "Powered") == true)
    }
  }

  @Test("gives each client one discovery session") func sessions() async throws {
    try await fixture.run { [fixture] _, _, host in
      await #expect(throws: error("Failed", "No discovery started")) {
        try await host.call(Host.adapter, "Adapter1", "StopDiscovery")
      }
      try await host.call(Host.adapter, "Adapter1", "StartDiscovery")
      await #expect(throws: error("InProgress", "Operation already in progress")) {
        try await host.call(Host.adapter, "Adapter1", "StartDiscovery")
      }
      let other = try await fixture.newHost()
      try await other.call(Host.adapter, "Adapter1", "StartDiscovery")
      try await host.call(Host.adapter, "Adapter1", "StopDiscovery")
      #expect(try await host.get(Host.adapter, "Adapter1", "Discovering") == true)
      host.forgetSignals()
      other.connection.close()
      while try await host.takeSignals() != ["hci0 Discovering=false"] {}
    }
  }

  @Test("reports devices that match any client's filter, and rejects invalid filters") func filter() async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.call(
        Host.adapter, "Adapter1", "SetDiscoveryFilter",
        [["Transport": "le", "UUIDs": .strings(["0000180f-0000-1000-8000-00805f9b34fb"])]])
      try await host.call(Host.adapter, "Adapter1", "StartDiscovery")
      try await fixture.pass(.milliseconds(150))
      #expect(try await host.paths() == ["/org/bluez", Host.adapter])
      try await host.call(
        Host.adapter, "Adapter1", "SetDiscoveryFilter",
        [["Transport": "le", "UUIDs": .strings([TagCharacteristic.serviceUUID])]])
      try await fixture.pass(.milliseconds(150))
      #expect(try await host.paths() == ["/org/bluez", Host.adapter, Host.device])
      await #expect(throws: error("InvalidArguments", "Invalid arguments in method call")) {
        try await host.call(Host.adapter, "Adapter1", "SetDiscoveryFilter", [["RSSI": "strong"]])
      }
    }
  }

  @Test("removes a tag that has not advertised for 30 s") func temporary() async throws {
    try await fixture.run { [fixture] _, _, host in
      try await host.scan()
      try await fixture.pass(.seconds(29))
      #expect(try await host.paths().contains(Host.device))
      host.forgetSignals()
      try await fixture.pass(.seconds(2))
      #expect(try await host.takeSignals() == ["-dev00"])
    }
  }

  @Test("finds every tag, including later ones") func manyTags() async throws {
    try await fixture.run(tags: 3) { [fixture] world, _, host in
      try world.tags[2].perform(.advertise(false))
      try await host.call(Host.adapter, "Adapter1", "StartDiscovery")
      try await fixture.pass(.milliseconds(150))
      #expect(try await host.paths().filter { $0.contains("dev_") }.count == 2)
      try world.tags[2].perform(.advertise(true))
      try await fixture.pass(.milliseconds(150))
      #expect(try await host.paths().filter { $0.contains("dev_") }.count == 3)
    }
  }

  // MARK: - Pairing

  @Test("pairs without confirmation, but not without an agent") func pair() async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.scan()
      await #expect(throws: error("AuthenticationFailed", "Authentication Failed")) {
        try await host.call(Host.device, "Device1", "Pair")
      }
      try await host.call(
        "/org/bluez", "AgentManager1", "RegisterAgent", [.objectPath("/agent"), "NoInputNoOutput"])
      host.forgetSignals()
      let pairing = try host.begin(Host.device, "Device1", "Pair")
      try await host.catchUp()
      try await fixture.pass(.milliseconds(600))
      #expect(
        try await host.takeSignals().filter { $0.hasPrefix("dev00") } == [
          "dev00 Connected=true", "dev00 ServicesResolved=true", "dev00 Bonded=true Paired=true",
        ])
      #expect(pairing.text == "ok")
      await #expect(throws: error("AlreadyExists", "Already Exists")) {
        try await host.call(Host.device, "Device1", "Pair")
      }
    }
  }

  @Test("cannot connect to a tag that has lost the bond") func lostBond() async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.scan()
      try await host.call(
        "/org/bluez", "AgentManager1", "RegisterAgent", [.objectPath("/agent"), "NoInputNoOutput"])
      _ = try host.begin(Host.device, "Device1", "Pair")
      try await host.catchUp()
      try await fixture.pass(.milliseconds(600))
      _ = try world.control("bond forget")
      try world.tags[0].perform(.dropLink)
      let connecting = try host.begin(Host.device, "Device1", "Connect")
      try await host.catchUp()
      try await fixture.pass(.milliseconds(80))
      try await host.catchUp()
      #expect(try await host.takeSignals().last == "dev00 Connected=true")
      try await fixture.pass(.milliseconds(25))
      try await host.catchUp()
      #expect(connecting.text == "org.bluez.Error.Failed: br-connection-canceled")
    }
  }
}
