import DBus
import EventLoop
import Glibc
import Testing

@testable import TagSimulator

/// The behaviour of bluetoothd 5.66 according to docs/bluez-observed.md, tested with the simulated one.
@Suite("The simulated org.bluez") struct FakeBlueZTests {
  let fixture: FakeBlueZFixture

  init() throws { fixture = try FakeBlueZFixture() }

  private func error(_ name: String, _ message: String) -> BusError {
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

  // MARK: - Connecting

  @Test("replies to Connect before the services are resolved, and does not signal Connected") func connect()
    async throws
  {
    try await fixture.run { [fixture] world, _, host in
      try await host.scan()
      host.forgetSignals()
      let connecting = try host.begin(Host.device, "Device1", "Connect")
      try await host.catchUp()
      try await fixture.pass(.milliseconds(80))
      try await host.catchUp()
      #expect(connecting.text == "ok")
      #expect(world.tags[0].isConnected)
      #expect(try await host.takeSignals() == [])
      #expect(try await host.get(Host.device, "Device1", "Connected") == true)
      #expect(try await host.get(Host.device, "Device1", "ServicesResolved") == false)
      try await fixture.pass(.milliseconds(100))
      #expect(
        try await host.takeSignals() == [
          "dev00 ServicesResolved=true", "+service000a", "+char000b", "+char000e", "+desc0010", "+char0011",
          "+desc0013", "+char0014", "+desc0016",
        ])
      #expect(
        try await host.get(Host.command, "GattCharacteristic1", "Flags")
          == .strings(["write-without-response", "write"]))
      #expect(try await host.get(Host.response, "GattCharacteristic1", "Flags") == .strings(["notify"]))
      #expect(try await host.get(Host.command, "GattCharacteristic1", "MTU") == .uint16(247))
    }
  }

  @Test("does not export services twice") func reconnect() async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.connect()
      try world.tags[0].perform(.dropLink)
      #expect(try await host.takeSignals().last == "dev00 Connected=false ServicesResolved=false")
      try await host.connect()
      #expect(try await host.takeSignals() == ["dev00 ServicesResolved=true"])
      try await fixture.pass(.seconds(100))
      #expect(try await host.paths().contains(Host.command), "a device that has been connected stays")
    }
  }

  @Test("keeps the link two seconds longer on Disconnect") func disconnect() async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.connect()
      host.forgetSignals()
      let leaving = try host.begin(Host.device, "Device1", "Disconnect")
      try await host.catchUp()
      try await fixture.pass(.milliseconds(1900))
      try await host.catchUp()
      #expect(leaving.text == nil)
      await #expect(throws: error("NotConnected", "Not Connected")) {
        try await host.call(Host.response, "GattCharacteristic1", "StartNotify")
      }
      try await fixture.pass(.milliseconds(100))
      #expect(try await host.takeSignals() == ["dev00 ServicesResolved=false", "dev00 Connected=false"])
      #expect(leaving.text == "ok")
      #expect(!world.tags[0].isConnected)
      try await host.call(Host.device, "Device1", "Disconnect")
    }
  }

  @Test("gives up on an absent tag after 41 s and removes its object") func silentTag() async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.scan()
      try world.tags[0].perform(.inRange(false))
      let connecting = try host.begin(Host.device, "Device1", "Connect")
      try await host.catchUp()
      await #expect(throws: error("Failed", "Operation already in progress")) {
        try await host.call(Host.device, "Device1", "Connect")
      }
      try await fixture.pass(.milliseconds(40_900))
      try await host.catchUp()
      #expect(connecting.text == nil)
      host.forgetSignals()
      try await fixture.pass(.milliseconds(100))
      try await host.catchUp()
      #expect(connecting.text == "org.bluez.Error.Failed: le-connection-abort-by-local")
      try await fixture.pass(.milliseconds(10))
      #expect(try await host.takeSignals() == ["-dev00"])
      await #expect {
        try await host.call(Host.device, "Device1", "Connect")
      } throws: {
        ($0 as? BusError)?.name == ErrorName.unknownObject
      }
    }
  }

  @Test("connects as soon as the tag returns") func lateTag() async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.scan()
      try world.tags[0].perform(.inRange(false))
      let connecting = try host.begin(Host.device, "Device1", "Connect")
      try await host.catchUp()
      try await fixture.pass(.seconds(10))
      try world.tags[0].perform(.inRange(true))
      try await fixture.pass(.milliseconds(80))
      try await host.catchUp()
      #expect(connecting.text == "ok")
    }
  }

  @Test("cancels Connect when Disconnect is called, and keeps only trusted devices", arguments: [false, true])
  func cancel(trusted: Bool) async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.scan()
      try world.tags[0].perform(.inRange(false))
      try await host.set(Host.device, "Device1", "Trusted", .boolean(trusted))
      let connecting = try host.begin(Host.device, "Device1", "Connect")
      try await host.call(Host.device, "Device1", "Disconnect")
      #expect(connecting.text == "org.bluez.Error.Failed: br-connection-canceled")
      try await fixture.pass(.milliseconds(20))
      #expect(try await host.paths().contains(Host.device) == trusted)
    }
  }

  @Test("fails to connect as often as the scenario says") func connectFault() async throws {
    try await fixture.run { [fixture] world, _, host in
      _ = try world.control("connect fails le-connection-refused once")
      try await host.scan()
      try await host.set(Host.device, "Device1", "Trusted", true)
      let connecting = try host.begin(Host.device, "Device1", "Connect")
      try await host.catchUp()
      try await fixture.pass(.milliseconds(80))
      try await host.catchUp()
      #expect(connecting.text == "org.bluez.Error.Failed: le-connection-refused")
      try await host.connect()
    }
  }

  @Test("does not reply to a hanging Connect until Disconnect is called") func hangingConnect() async throws {
    try await fixture.run { [fixture] world, _, host in
      _ = try world.control("connect hangs once")
      try await host.scan()
      let connecting = try host.begin(Host.device, "Device1", "Connect")
      try await host.catchUp()
      _ = try world.control("advertise off")
      _ = try world.control("advertise on")
      try await fixture.pass(.seconds(100))
      try await host.catchUp()
      #expect(connecting.text == nil)
      try await host.call(Host.device, "Device1", "Disconnect")
      #expect(connecting.text == "org.bluez.Error.Failed: br-connection-canceled")
      try await fixture.pass(.milliseconds(20))
      try await host.connect()
    }
  }

  @Test("drops the link before it removes a device") func removeDevice() async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.connect()
      host.forgetSignals()
      let removing = try host.begin(Host.adapter, "Adapter1", "RemoveDevice", [.objectPath(Host.device)])
      try await host.catchUp()
      try await fixture.pass(.seconds(2))
      try await host.catchUp()
      #expect(removing.text == "ok")
      #expect(try await host.paths() == ["/org/bluez", Host.adapter])
      #expect(!world.tags[0].isConnected)
      await #expect(throws: error("DoesNotExist", "Does Not Exist")) {
        try await host.call(Host.adapter, "Adapter1", "RemoveDevice", [.objectPath(Host.device)])
      }
    }
  }

  // MARK: - Values

  @Test("transfers the set-up of a tag") func setUp() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      try await host.subscribe()
      for request in Example.setUp { try await host.write(request) }
      let values = try await host.takeValues()
      #expect(values.first == "char0011 c0 0d 08 00 10 17 18 00 ca 07 04 08 50 10 02")
      #expect(values.filter { $0.hasPrefix("char000e") }.count == 6)
      #expect(world.violationCount == 0)
    }
  }

  @Test("reports violations of the host") func violation() async throws {
    try await fixture.run { world, _, host in
      var said: [String] = []
      world.violated = { said.append("\($0.profile.serial) \($1)") }
      try await host.connect()
      try await host.subscribe()
      try await host.write("c0 06 08 00 10 17 18 05")
      #expect(said == ["01ZK request before hello (battery): 08 00 10 17 18 05"])
    }
  }

  @Test("signals Notifying before it replies to StartNotify, once for all clients") func startNotify() async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.connect()
      let other = try await fixture.newHost()
      host.forgetSignals()
      try await host.call(Host.response, "GattCharacteristic1", "StartNotify")
      #expect(host.signals == ["char000e Notifying=true"])
      try await host.call(Host.response, "GattCharacteristic1", "StartNotify")
      try await other.call(Host.response, "GattCharacteristic1", "StartNotify")
      try await host.call(Host.response, "GattCharacteristic1", "StopNotify")
      #expect(try await host.takeSignals() == ["char000e Notifying=true"])
      await #expect(throws: error("Failed", "No notify session started")) {
        try await host.call(Host.response, "GattCharacteristic1", "StopNotify")
      }
      other.connection.close()
      while try await host.takeSignals() != ["char000e Notifying=false"] {}
      await #expect(throws: error("NotSupported", "Operation is not supported")) {
        try await host.call(Host.command, "GattCharacteristic1", "StartNotify")
      }
    }
  }

  @Test("signals a value once for each subscriber, back to back, to every program")
  func severalSubscribers() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      let others = [try await self.fixture.newHost(), try await self.fixture.newHost()]
      for count in 1...3 {
        let subscriber = count == 1 ? host : others[count - 2]
        try await subscriber.call(Host.notification, "GattCharacteristic1", "StartNotify")
        _ = try await host.takeValues()
        _ = try world.control("send notification 01 02")
        #expect(try await host.takeValues() == Array(repeating: "char0011 01 02", count: count))
      }
      others[0].connection.close()
      try await others[1].call(Host.notification, "GattCharacteristic1", "StopNotify")
      while try await host.takeSignals() != [] {}
      _ = try await host.takeValues()
      _ = try world.control("send notification 01 03")
      #expect(try await host.takeValues() == ["char0011 01 03"])
      for other in others { other.connection.close() }
    }
  }

  @Test("keeps subscriptions beyond the end of the link and restores them") func restoredNotify() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      try await host.subscribe()
      host.forgetSignals()
      try world.tags[0].perform(.dropLink)
      #expect(try await host.get(Host.response, "GattCharacteristic1", "Notifying") == true)
      await #expect(throws: error("InProgress", "In Progress")) {
        try await host.call(Host.response, "GattCharacteristic1", "StartNotify")
      }
      try await host.connect()
      #expect(
        try await host.takeValues() == ["char0011 c0 0d 08 00 10 17 18 00 ca 07 04 08 50 10 02"],
        "the tag sends its first message before the new subscription")
      try await host.subscribe()
      #expect(
        try await host.takeSignals() == [
          "dev00 Connected=false ServicesResolved=false", "dev00 ServicesResolved=true",
        ])
    }
  }

  @Test("accepts one write request at a time for a characteristic") func writeInProgress() async throws {
    try await fixture.run { [fixture] _, daemon, host in
      daemon.behaviour.writeTime = .milliseconds(30)
      try await host.connect()
      try await host.subscribe()
      let body: [Value] = [.bytes(bytes(hex: Example.hello)!), ["type": "request"]]
      let first = try host.begin(Host.command, "GattCharacteristic1", "WriteValue", body)
      await #expect(throws: error("InProgress", "In Progress")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", body)
      }
      #expect(first.text == nil)
      try await fixture.pass(.milliseconds(30))
      try await host.catchUp()
      #expect(first.text == "ok")
    }
  }

  @Test("refuses invalid writes: too long, without a link, of an unknown type") func impossibleWrites() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      let long = Value.bytes([UInt8](repeating: 0, count: 245))
      await #expect(throws: error("Failed", "Failed to initiate write")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", [long, ["type": "command"]])
      }
      await #expect(throws: error("InvalidArguments", "Invalid arguments in method call")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", [.bytes([1]), ["type": "loud"]])
      }
      await #expect(throws: error("InvalidArguments", "Invalid arguments in method call")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", ["text"])
      }
      try world.tags[0].perform(.dropLink)
      await #expect(throws: error("Failed", "Not connected")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", [.bytes([1]), ["type": "command"]])
      }
    }
  }

  @Test("returns a socket for notifications, and closes it with the link") func acquireNotify() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      let answer = try await host.call(Host.notification, "GattCharacteristic1", "AcquireNotify", [[:]])
      let socket = try #require(answer.first?.asDescriptor)
      #expect(answer.last == .uint16(247))
      #expect(try await host.get(Host.notification, "GattCharacteristic1", "NotifyAcquired") == true)
      await #expect(throws: error("NotPermitted", "Notify acquired")) {
        try await host.call(Host.notification, "GattCharacteristic1", "StartNotify")
      }
      try world.tags[0].perform(.battery(49, charging: nil))
      var buffer = [UInt8](repeating: 0, count: 512)
      var received: [String] = []
      func drain() -> Int {
        var count = 1
        while count > 0 {
          count = recv(socket.rawValue, &buffer, buffer.count, Int32(MSG_DONTWAIT))
          if count > 0 { received.append(hex(buffer.prefix(count))) }
        }
        return count
      }
      #expect(drain() == -1 && errno == EAGAIN)
      #expect(received.last == "c0 0d 08 00 10 17 18 00 ca 07 04 08 31 10 02")
      try world.tags[0].perform(.dropLink)
      // A process that another test starts at this moment may hold the other end until it executes its program.
      var end = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
      #expect(poll(&end, 1, 5000) == 1)
      #expect(drain() == 0, "the end of the socket is the end of the link")
    }
  }

  @Test("accepts values from a socket") func acquireWrite() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      try await host.subscribe()
      let answer = try await host.call(Host.command, "GattCharacteristic1", "AcquireWrite", [[:]])
      let socket = try #require(answer.first?.asDescriptor)
      let value = bytes(hex: Example.hello)!
      #expect(send(socket.rawValue, value, value.count, 0) == value.count)
      while world.tags[0].journal.requests == 0 { try await host.catchUp() }
      await #expect(throws: error("NotPermitted", "Write acquired")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", [.bytes(value), [:]])
      }
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

  // MARK: - Power and end

  @Test("loses links, discovery and unpaired devices on power off") func powerOff() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      try await host.call(Host.adapter, "Adapter1", "StartDiscovery")
      try await host.catchUp()
      host.forgetSignals()
      try await host.set(Host.adapter, "Adapter1", "Powered", false)
      let signals = try await host.takeSignals()
      #expect(signals.first == "hci0 Discovering=false")
      #expect(signals.contains("-dev00") && signals.contains("-service000a"))
      #expect(signals.last == "hci0 Powered=false")
      #expect(!world.tags[0].isConnected)
      await #expect(throws: error("NotReady", "Resource Not Ready")) {
        try await host.call(Host.adapter, "Adapter1", "StartDiscovery")
      }
      try await host.set(Host.adapter, "Adapter1", "Powered", true)
      try await host.connect()
    }
  }

  @Test("keeps only the link when it is killed") func kill() async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.connect()
      host.forgetSignals()
      _ = try world.control("bluetoothd kill")
      while host.signals.isEmpty { try await host.catchUp() }
      #expect(try await host.takeSignals() == ["org.bluez gone"])
      #expect(world.tags[0].isConnected, "the kernel keeps the link")
      _ = try world.control("bluetoothd start")
      while !host.signals.contains("+dev00") { try await host.catchUp() }
      #expect(try await host.takeSignals() == ["org.bluez there", "+bluez", "+hci0", "+dev00"])
      #expect(try await host.paths() == ["/org/bluez", Host.adapter, Host.device])
      #expect(try await host.get(Host.device, "Device1", "Connected") == true)
      #expect(try await host.get(Host.device, "Device1", "ServicesResolved") == false)
      try await host.call(Host.device, "Device1", "Connect")
      try await fixture.pass(.milliseconds(1400))
      #expect(try await host.takeSignals() == ["dev00 Connected=false"])
      #expect(!world.tags[0].isConnected)
      try await host.connect()
    }
  }

  @Test("removes everything before it releases its name when it is stopped") func stop() async throws {
    try await fixture.run { [fixture] world, daemon, host in
      try await host.connect()
      host.forgetSignals()
      try await fixture.stop(daemon)
      while host.signals.last != "org.bluez gone" { try await host.catchUp() }
      #expect(host.signals.first == "hci0 Powered=false")
      #expect(host.signals.dropFirst().first == "dev00 Connected=false ServicesResolved=false")
      #expect(host.signals.contains("-hci0"))
      #expect(!world.tags[0].isConnected)
      try await daemon.start()
    }
  }

  @Test("returns immediately when it is restarted without a pause") func restartAtOnce() async throws {
    try await fixture.run { [fixture] world, _, host in
      var complaints: [String] = []
      world.complain = { complaints.append($0) }
      for _ in 0..<20 {
        _ = try world.control("bluetoothd restart")
        try await fixture.pass(.zero)
        while !host.signals.contains("+hci0"), complaints.isEmpty { try await host.catchUp() }
        host.forgetSignals()
      }
      #expect(complaints.isEmpty)
    }
  }

  @Test("exports the same adapter under another name when it is plugged in again") func replug() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      let address = try await host.get(Host.adapter, "Adapter1", "Address")
      host.forgetSignals()
      _ = try world.control("adapter removed")
      #expect(try await host.takeSignals().last == "-hci0")
      #expect(!world.tags[0].isConnected)
      _ = try world.control("adapter added as hci2")
      #expect(try await host.takeSignals() == ["+hci2", "+dev00"])
      #expect(try await host.get("/org/bluez/hci2", "Adapter1", "Address") == address)
    }
  }

  @Test("keeps a device over a restart after it has been connected") func remembered() async throws {
    try await fixture.run(tags: 2) { [fixture] world, daemon, host in
      try await host.connect()
      try world.tags[0].perform(.dropLink)
      try await fixture.stop(daemon)
      try await daemon.start()
      #expect(try await host.paths() == ["/org/bluez", Host.adapter, Host.device])
      #expect(try await host.get(Host.device, "Device1", "Connected") == false)
    }
  }

  @Test("returns after a restart at the scenario's time") func restart() async throws {
    try await fixture.run { [fixture] world, _, host in
      _ = try world.control("bluetoothd restart after 1s")
      while host.signals.isEmpty { try await host.catchUp() }
      try await fixture.pass(.seconds(1))
      while !host.signals.contains("+hci0") { try await host.catchUp() }
      #expect(try await host.takeSignals() == ["org.bluez gone", "org.bluez there", "+bluez", "+hci0"])
    }
  }

  @Test("has neighbours that obey every call, and records these calls") func neighbours() async throws {
    try await fixture.run { world, daemon, host in
      _ = try world.control("neighbours 11")
      let paths = (0..<11).map { Host.adapter + "/dev_D0_00_00_00_00_0" + String($0, radix: 16, uppercase: true) }
      #expect(try await host.paths().filter { $0.contains("dev_D0") } == paths)
      #expect(daemon.touchedNeighbours.isEmpty)
      #expect(try await host.get(paths[0], "Device1", "Connected") == true)
      _ = try await host.call(paths[1], "Device1", "Disconnect")
      _ = try await host.call(Host.adapter, "Adapter1", "RemoveDevice", [.objectPath(paths[2])])
      #expect(
        daemon.touchedNeighbours == [
          "D0:00:00:00:00:00 keyboard bonded connected: Get", "D0:00:00:00:00:01 headset bonded: Disconnect",
          "D0:00:00:00:00:02 phone removed: RemoveDevice",
        ])
      #expect(try world.control("journal neighbours").hasSuffix("; D0:00:00:00:00:0A keyboard bonded connected"))
      for line in ["adapter off", "adapter on", "adapter removed", "suspend", "adapter added", "resume"] {
        _ = try world.control(line)
      }
      daemon.kill()
      try await daemon.start()
      #expect(try await host.paths().filter { $0.contains("dev_D0") } == paths.filter { $0 != paths[2] })
      #expect(daemon.touchedNeighbours.count == 3)
    }
  }

  @Test("survives all kinds of invalid calls") func wrongCalls() async throws {
    try await fixture.run { _, _, host in
      try await host.scan()
      for (path, interface, method) in [
        (Host.adapter, "Adapter1", "SetDiscoveryFilter"), (Host.adapter, "Adapter1", "RemoveDevice"),
        ("/org/bluez", "AgentManager1", "RegisterAgent"), ("/org/bluez", "AgentManager1", "UnregisterAgent"),
        (Host.device, "Device1", "Nonsense"), (Host.device + "/x", "Device1", "Connect"),
      ] {
        for body: [Value] in [[], [.uint32(7)], ["a", "b", "c"], [.bytes([1, 2]), .bytes([])]] {
          await #expect(throws: BusError.self) { try await host.call(path, interface, method, body) }
        }
      }
      for arguments: [Value] in [[], ["org.bluez.Device1"], ["org.bluez.Device1", "Alias", .variant(.uint32(1))]] {
        await #expect(throws: BusError.self) {
          _ = try await host.connection.call(
            to: FakeBlueZ.busName, path: Host.device, interface: ObjectServer.properties, member: "Set", arguments)
        }
      }
    }
  }
}
