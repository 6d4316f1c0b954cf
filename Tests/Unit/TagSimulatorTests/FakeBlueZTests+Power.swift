import DBus
import EventLoop
import Glibc
import Testing

@testable import TagSimulator

extension FakeBlueZTests {
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

  @Test("starts again if it is started while it is being stopped") func startDuringStop() async throws {
    try await fixture.run { [fixture] world, daemon, host in
      host.forgetSignals()
      _ = try world.control("bluetoothd stop")
      try await fixture.pass(.milliseconds(50))
      _ = try world.control("bluetoothd start")
      for _ in 0..<20 where host.signals.last != "+hci0" {
        try await fixture.pass(.milliseconds(50))
        try await host.catchUp()
      }
      #expect(host.signals.contains("org.bluez gone"))
      #expect(host.signals.last == "+hci0")
      #expect(daemon.isRunning)
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
