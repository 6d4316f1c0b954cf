import DBus
import EventLoop
import TestWorld
import Testing

@testable import Jacquard

@Suite("Adapter state")
struct AdapterMonitorTests {
  static let first = "00:1A:7D:DA:71:13"
  static let second = "00:1A:7D:DA:71:14"

  // MARK: Each state

  @Test("is unknown before the first reply")
  func unknown() throws {
    let fixture = try ScriptedFixture()
    #expect(fixture.status == AdapterStatus(state: .unknown))
    #expect(fixture.takeStates() == [])
  }

  @Test("is unsupported without a bus, without bluetoothd, and without an adapter, with the reason")
  func unsupported() throws {
    let fixture = try ScriptedFixture()
    fixture.stepped.killBus()
    fixture.start()
    #expect(fixture.status.state == .unsupported)
    #expect(fixture.status.error?.code == .busUnavailable)
    try fixture.stepped.startBus()
    fixture.stepped.pass(.seconds(10))
    #expect(fixture.status.error?.code == .bluezUnavailable)
    try fixture.startDaemon([])
    #expect(fixture.status.state == .unsupported)
    #expect(fixture.status.error?.code == .noAdapter)
    #expect(fixture.status.address == "")
  }

  @Test("is unauthorized if the bus denies this user access to bluetoothd")
  func unauthorized() throws {
    let fixture = try ScriptedFixture()
    let daemon = ScriptedBlueZ(fixture.stepped.loop, try fixture.stepped.address)
    daemon.answerTree = { $0.fail("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message") }
    try fixture.stepped.run { try await daemon.start() }
    fixture.start()
    #expect(fixture.status.state == .unauthorized)
    #expect(fixture.status.error?.code == .permissionDenied)
    #expect(fixture.status.error?.dbusName == "org.freedesktop.DBus.Error.AccessDenied")
  }

  @Test("is powered on as soon as the bus allows access")
  func authorizedLater() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.daemon?.answerTree = { $0.fail("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message") }
    fixture.start()
    fixture.stepped.pass(.seconds(600))
    #expect(fixture.takeStates() == [.unauthorized])
    fixture.daemon?.answerTree = nil
    fixture.stepped.pass(.seconds(60))
    #expect(fixture.takeStates() == [.poweredOn])
  }

  @Test("reports the error of bluetoothd, and recovers when bluetoothd does")
  func refused() throws {
    let fixture = try ScriptedFixture()
    let limits = "org.freedesktop.DBus.Error.LimitsExceeded"
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.daemon?.answerTree = { $0.fail(limits, "too much") }
    fixture.start()
    #expect(fixture.takeStates() == [.unsupported])
    #expect(fixture.status.error?.code == .bluezUnavailable && fixture.status.error?.dbusName == limits)
    #expect(fixture.status.error?.message.hasSuffix("asks again: \(limits): too much") == true)
    fixture.daemon?.answerTree = nil
    fixture.stepped.pass(.seconds(1))
    #expect(fixture.takeStates() == [.poweredOn])
    fixture.killDaemon()
    let daemon = ScriptedBlueZ(fixture.stepped.loop, try fixture.stepped.address)
    daemon.answerTree = { $0.fail(limits, "too much") }
    try fixture.stepped.run { try await daemon.start() }
    fixture.stepped.pass(.seconds(60))
    #expect(Set(fixture.takeStates()) == [.resetting])
    #expect(fixture.status.error?.dbusName == limits)
    daemon.answerTree = nil
    daemon.tree = [("/org/bluez/hci0", ScriptedFixture.interfaces(Self.first, powered: true))]
    fixture.stepped.pass(.seconds(60))
    #expect(fixture.status.state == .poweredOn)
  }

  @Test("is powered off or on, with address and name")
  func power() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: false)])
    fixture.start()
    fixture.stepped.pass(.milliseconds(500))
    #expect(fixture.status.state == .poweredOff)
    #expect(fixture.status.error?.code == .poweredOff)
    #expect(fixture.status.address == Self.first && fixture.status.name == "machine")
    fixture.setPowered(true)
    #expect(fixture.status == AdapterStatus(state: .poweredOn, address: Self.first, name: "machine"))
    #expect(fixture.takeStates() == [.poweredOff, .poweredOn])
  }

  @Test("reports each state once, and a new name as well")
  func changes() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.start()
    #expect(fixture.takeStates() == [.poweredOn])
    fixture.setPowered(true)
    fixture.daemon?.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Discovering": true])
    #expect(fixture.takeStates() == [])
    fixture.daemon?.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Alias": "kitchen"])
    #expect(fixture.takeStates() == [.poweredOn])
    #expect(fixture.status.name == "kitchen")
  }

  // MARK: Choosing

  @Test("the first powered one of several adapters is used, and kept")
  func firstPowered() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: false), (Self.second, powered: true)])
    fixture.start()
    #expect(fixture.status.address == Self.second)
    fixture.setPowered(true, 0)
    #expect(fixture.status.address == Self.second)
  }

  @Test("when the adapter in use is powered off permanently, another one replaces it")
  func replaced() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true), (Self.second, powered: true)])
    fixture.start()
    #expect(fixture.status.address == Self.first)
    fixture.setPowered(false, 0)
    fixture.stepped.pass(.seconds(2))
    #expect(fixture.status == AdapterStatus(state: .poweredOn, address: Self.second, name: "machine"))
  }

  @Test("the requested adapter is used under any BlueZ name, with its address in either case")
  func askedFor() throws {
    let fixture = try ScriptedFixture(adapter: Self.second.lowercased())
    try fixture.startDaemon([(Self.first, powered: true), (Self.second, powered: false)])
    fixture.start()
    fixture.stepped.pass(.milliseconds(500))
    #expect(fixture.status.state == .poweredOff && fixture.status.address == Self.second)
    fixture.setPowered(true, 1)
    #expect(fixture.status.state == .poweredOn)
    fixture.killDaemon()
    try fixture.startDaemon([(Self.second, powered: true), (Self.first, powered: true)])
    #expect(fixture.status.state == .poweredOn && fixture.status.address == Self.second)
  }

  @Test("no other adapter replaces the requested one")
  func notTheOther() throws {
    let fixture = try ScriptedFixture(adapter: Self.second)
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.start()
    fixture.stepped.pass(.milliseconds(500))
    #expect(fixture.status.state == .unsupported)
    #expect(fixture.status.error?.message.contains(Self.second) == true)
    fixture.daemon?.add("/org/bluez/hci7", ScriptedFixture.interfaces(Self.second, powered: true))
    fixture.stepped.settle()
    #expect(fixture.status.state == .poweredOn)
  }

  // MARK: The end

  @Test("a closed manager reports nothing")
  func closed() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.start()
    _ = fixture.takeStates()
    fixture.manager.close()
    fixture.setPowered(false)
    fixture.stepped.pass(.seconds(60))
    #expect(fixture.takeStates() == [])
  }
}
