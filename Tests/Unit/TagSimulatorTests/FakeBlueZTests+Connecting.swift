import DBus
import EventLoop
import Glibc
import Testing

@testable import TagSimulator

extension FakeBlueZTests {
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
      try await fixture.pass(.seconds(25))
      try await host.catchUp()
      #expect(connecting.text == nil)
      try await host.call(Host.device, "Device1", "Disconnect")
      #expect(connecting.text == "org.bluez.Error.Failed: br-connection-canceled")
      try await fixture.pass(.milliseconds(20))
      try await host.connect()
    }
  }

  @Test("forgets a hanging Connect with its device") func abandonedConnect() async throws {
    try await fixture.run { [fixture] world, _, host in
      _ = try world.control("connect hangs once")
      try await host.scan()
      let connecting = try host.begin(Host.device, "Device1", "Connect")
      try await host.catchUp()
      _ = try world.control("advertise off")
      try await fixture.pass(.seconds(40))
      try await host.catchUp()
      #expect(connecting.text == nil)
      #expect(try await host.paths() == ["/org/bluez", Host.adapter])
      _ = try world.control("advertise on")
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
}
