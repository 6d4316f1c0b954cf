import DBus
import EventLoop
import TestWorld
import Testing

@testable import Jacquard

@Suite("Adapter state")
struct AdapterMonitorTests {
  private static let first = "00:1A:7D:DA:71:13"
  private static let second = "00:1A:7D:DA:71:14"

  // MARK: Each state

  @Test("is unknown before the first reply")
  func unknown() throws {
    let bench = try ScriptedFixture()
    #expect(bench.status == AdapterStatus(state: .unknown))
    #expect(bench.takeStates() == [])
  }

  @Test("is unsupported without a bus, without bluetoothd, and without an adapter, with the reason")
  func unsupported() throws {
    let bench = try ScriptedFixture()
    bench.stepped.killBus()
    bench.start()
    #expect(bench.status.state == .unsupported)
    #expect(bench.status.error?.code == .busUnavailable)
    try bench.stepped.startBus()
    bench.stepped.pass(.seconds(10))
    #expect(bench.status.error?.code == .bluezUnavailable)
    try bench.startDaemon([])
    #expect(bench.status.state == .unsupported)
    #expect(bench.status.error?.code == .noAdapter)
    #expect(bench.status.address == "")
  }

  @Test("is unauthorized if the bus denies this user access to bluetoothd")
  func unauthorized() throws {
    let bench = try ScriptedFixture()
    let daemon = ScriptedBlueZ(bench.stepped.loop, try bench.stepped.address)
    daemon.answerTree = { $0.fail("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message") }
    try bench.stepped.run { try await daemon.start() }
    bench.start()
    #expect(bench.status.state == .unauthorized)
    #expect(bench.status.error?.code == .permissionDenied)
    #expect(bench.status.error?.dbusName == "org.freedesktop.DBus.Error.AccessDenied")
  }

  @Test("is powered on as soon as the bus allows access")
  func authorizedLater() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: true)])
    bench.daemon?.answerTree = { $0.fail("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message") }
    bench.start()
    bench.stepped.pass(.seconds(600))
    #expect(bench.takeStates() == [.unauthorized])
    bench.daemon?.answerTree = nil
    bench.stepped.pass(.seconds(60))
    #expect(bench.takeStates() == [.poweredOn])
  }

  @Test("reports the error of bluetoothd, and recovers when bluetoothd does")
  func refused() throws {
    let bench = try ScriptedFixture()
    let limits = "org.freedesktop.DBus.Error.LimitsExceeded"
    try bench.startDaemon([(Self.first, powered: true)])
    bench.daemon?.answerTree = { $0.fail(limits, "too much") }
    bench.start()
    #expect(bench.takeStates() == [.unsupported])
    #expect(bench.status.error?.code == .bluezUnavailable && bench.status.error?.dbusName == limits)
    #expect(bench.status.error?.message.hasSuffix("asks again: \(limits): too much") == true)
    bench.daemon?.answerTree = nil
    bench.stepped.pass(.seconds(1))
    #expect(bench.takeStates() == [.poweredOn])
    bench.killDaemon()
    let daemon = ScriptedBlueZ(bench.stepped.loop, try bench.stepped.address)
    daemon.answerTree = { $0.fail(limits, "too much") }
    try bench.stepped.run { try await daemon.start() }
    bench.stepped.pass(.seconds(60))
    #expect(Set(bench.takeStates()) == [.resetting])
    #expect(bench.status.error?.dbusName == limits)
    daemon.answerTree = nil
    daemon.tree = [("/org/bluez/hci0", ScriptedFixture.interfaces(Self.first, powered: true))]
    bench.stepped.pass(.seconds(60))
    #expect(bench.status.state == .poweredOn)
  }

  @Test("is powered off or on, with address and name")
  func power() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: false)])
    bench.start()
    bench.stepped.pass(.milliseconds(500))
    #expect(bench.status.state == .poweredOff)
    #expect(bench.status.error?.code == .poweredOff)
    #expect(bench.status.address == Self.first && bench.status.name == "machine")
    bench.setPowered(true)
    #expect(bench.status == AdapterStatus(state: .poweredOn, address: Self.first, name: "machine"))
    #expect(bench.takeStates() == [.poweredOff, .poweredOn])
  }

  @Test("reports each state once, and a new name as well")
  func changes() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: true)])
    bench.start()
    #expect(bench.takeStates() == [.poweredOn])
    bench.setPowered(true)
    bench.daemon?.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Discovering": true])
    #expect(bench.takeStates() == [])
    bench.daemon?.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Alias": "kitchen"])
    #expect(bench.takeStates() == [.poweredOn])
    #expect(bench.status.name == "kitchen")
  }

  // MARK: Delays

  @Test("power-off is reported after a second")
  func switchedOff() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: true)])
    bench.start()
    _ = bench.takeStates()
    bench.setPowered(false)
    bench.stepped.pass(.milliseconds(999))
    #expect(bench.takeStates() == [])
    bench.stepped.pass(.milliseconds(1))
    #expect(bench.takeStates() == [.poweredOff])
  }

  @Test("a bluetoothd that is still powering its adapter when the program starts has half a second")
  func startingTogether() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: false)])
    bench.start()
    bench.stepped.pass(.milliseconds(499))
    #expect(bench.takeStates() == [])
    bench.setPowered(true)
    bench.stepped.pass(.seconds(20))
    #expect(bench.takeStates() == [.poweredOn])
  }

  @Test("a machine without an adapter is reported half a second after the start")
  func noAdapterAtFirst() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([])
    bench.start()
    #expect(bench.takeStates() == [])
    bench.stepped.pass(.milliseconds(500))
    #expect(bench.takeStates() == [.unsupported])
    #expect(bench.status.error?.code == .noAdapter)
  }

  @Test("power-off for less than a second is not reported")
  func blink() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: true)])
    bench.start()
    _ = bench.takeStates()
    bench.setPowered(false)
    bench.stepped.pass(.milliseconds(500))
    bench.setPowered(true)
    bench.stepped.pass(.seconds(20))
    #expect(bench.takeStates() == [])
  }

  @Test("a restart of bluetoothd, which powers off first and on late, is only reported as a reset")
  func restart() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: true)])
    bench.start()
    _ = bench.takeStates()
    bench.setPowered(false)
    bench.stepped.pass(.milliseconds(200))
    bench.killDaemon()
    #expect(bench.takeStates() == [.resetting])
    #expect(bench.status.error?.code == .bluezUnavailable)
    bench.stepped.pass(.seconds(30))
    try bench.startDaemon([])
    bench.daemon?.add(SampleMachine.adapter, ScriptedFixture.interfaces(Self.first, powered: false))
    bench.stepped.pass(.seconds(4))
    #expect(bench.status.state == .resetting)
    bench.setPowered(true)
    #expect(bench.status == AdapterStatus(state: .poweredOn, address: Self.first, name: "machine"))
    bench.stepped.pass(.seconds(60))
    #expect(bench.status.state == .poweredOn)
  }

  @Test("the grace period ends ten seconds after bluetoothd is back", arguments: [false, true])
  func gracePeriodEnds(_ hasAdapter: Bool) throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: true)])
    bench.start()
    bench.killDaemon()
    bench.stepped.pass(.seconds(3600))
    #expect(bench.status.state == .resetting)
    try bench.startDaemon(hasAdapter ? [(Self.first, powered: false)] : [])
    bench.stepped.pass(.milliseconds(9999))
    #expect(bench.status.state == .resetting)
    bench.stepped.pass(.milliseconds(1))
    #expect(bench.status.state == (hasAdapter ? .poweredOff : .unsupported))
    #expect(bench.status.error?.code == (hasAdapter ? .poweredOff : .noAdapter))
  }

  @Test("a second crash of bluetoothd restarts the grace period")
  func diesAgain() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: true)])
    bench.start()
    bench.killDaemon()
    try bench.startDaemon([])
    bench.stepped.pass(.seconds(8))
    bench.killDaemon()
    try bench.startDaemon([])
    bench.stepped.pass(.seconds(8))
    #expect(bench.status.state == .resetting)
    bench.stepped.pass(.seconds(2))
    #expect(bench.status.state == .unsupported)
  }

  @Test("a lost bus is a reset too")
  func lostBus() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: true)])
    bench.start()
    bench.stepped.killBus()
    bench.stepped.settle()
    #expect(bench.status.state == .resetting)
    #expect(bench.status.error?.code == .busUnavailable)
    bench.killDaemon()
    try bench.stepped.startBus()
    try bench.startDaemon([(Self.first, powered: true)])
    bench.stepped.pass(.seconds(2))
    #expect(bench.status.state == .poweredOn)
  }

  @Test("a policy that denies access to the new bluetoothd is reported immediately")
  func deniedAfterRestart() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: true)])
    bench.start()
    bench.killDaemon()
    let daemon = ScriptedBlueZ(bench.stepped.loop, try bench.stepped.address)
    daemon.answerTree = { $0.fail("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message") }
    try bench.stepped.run { try await daemon.start() }
    bench.stepped.pass(.seconds(1))
    #expect(bench.status.state == .unauthorized)
  }

  // MARK: Choosing

  @Test("the first powered one of several adapters is used, and kept")
  func firstPowered() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: false), (Self.second, powered: true)])
    bench.start()
    #expect(bench.status.address == Self.second)
    bench.setPowered(true, 0)
    #expect(bench.status.address == Self.second)
  }

  @Test("when the adapter in use is powered off permanently, another one replaces it")
  func replaced() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: true), (Self.second, powered: true)])
    bench.start()
    #expect(bench.status.address == Self.first)
    bench.setPowered(false, 0)
    bench.stepped.pass(.seconds(2))
    #expect(bench.status == AdapterStatus(state: .poweredOn, address: Self.second, name: "machine"))
  }

  @Test("the requested adapter is used under any BlueZ name, with its address in either case")
  func askedFor() throws {
    let bench = try ScriptedFixture(adapter: Self.second.lowercased())
    try bench.startDaemon([(Self.first, powered: true), (Self.second, powered: false)])
    bench.start()
    bench.stepped.pass(.milliseconds(500))
    #expect(bench.status.state == .poweredOff && bench.status.address == Self.second)
    bench.setPowered(true, 1)
    #expect(bench.status.state == .poweredOn)
    bench.killDaemon()
    try bench.startDaemon([(Self.second, powered: true), (Self.first, powered: true)])
    #expect(bench.status.state == .poweredOn && bench.status.address == Self.second)
  }

  @Test("no other adapter replaces the requested one")
  func notTheOther() throws {
    let bench = try ScriptedFixture(adapter: Self.second)
    try bench.startDaemon([(Self.first, powered: true)])
    bench.start()
    bench.stepped.pass(.milliseconds(500))
    #expect(bench.status.state == .unsupported)
    #expect(bench.status.error?.message.contains(Self.second) == true)
    bench.daemon?.add("/org/bluez/hci7", ScriptedFixture.interfaces(Self.second, powered: true))
    bench.stepped.settle()
    #expect(bench.status.state == .poweredOn)
  }

  // MARK: The end

  @Test("a closed manager reports nothing")
  func closed() throws {
    let bench = try ScriptedFixture()
    try bench.startDaemon([(Self.first, powered: true)])
    bench.start()
    _ = bench.takeStates()
    bench.manager.close()
    bench.setPowered(false)
    bench.stepped.pass(.seconds(60))
    #expect(bench.takeStates() == [])
  }
}
