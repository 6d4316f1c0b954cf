import DBus
import EventLoop
import Testing
import TestWorld

@testable import Jacquard

extension AdapterMonitorTests {
  // MARK: Delays

  @Test("power-off is reported after a second")
  func switchedOff() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.start()
    _ = fixture.takeStates()
    fixture.setPowered(false)
    fixture.stepped.pass(.milliseconds(999))
    #expect(fixture.takeStates() == [])
    fixture.stepped.pass(.milliseconds(1))
    #expect(fixture.takeStates() == [.poweredOff])
  }

  @Test("a bluetoothd that is still powering its adapter when the program starts has half a second")
  func startingTogether() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: false)])
    fixture.start()
    fixture.stepped.pass(.milliseconds(499))
    #expect(fixture.takeStates() == [])
    fixture.setPowered(true)
    fixture.stepped.pass(.seconds(20))
    #expect(fixture.takeStates() == [.poweredOn])
  }

  @Test("a machine without an adapter is reported half a second after the start")
  func noAdapterAtFirst() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([])
    fixture.start()
    #expect(fixture.takeStates() == [])
    fixture.stepped.pass(.milliseconds(500))
    #expect(fixture.takeStates() == [.unsupported])
    #expect(fixture.status.error?.code == .noAdapter)
  }

  @Test("power-off for less than a second is not reported")
  func blink() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.start()
    _ = fixture.takeStates()
    fixture.setPowered(false)
    fixture.stepped.pass(.milliseconds(500))
    fixture.setPowered(true)
    fixture.stepped.pass(.seconds(20))
    #expect(fixture.takeStates() == [])
  }

  @Test("a restart of bluetoothd, which powers off first and on late, is only reported as a reset")
  func restart() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.start()
    _ = fixture.takeStates()
    fixture.setPowered(false)
    fixture.stepped.pass(.milliseconds(200))
    fixture.killDaemon()
    #expect(fixture.takeStates() == [.resetting])
    #expect(fixture.status.error?.code == .bluezUnavailable)
    fixture.stepped.pass(.seconds(30))
    try fixture.startDaemon([])
    fixture.daemon?.add(SampleMachine.adapter, ScriptedFixture.interfaces(Self.first, powered: false))
    fixture.stepped.pass(.seconds(4))
    #expect(fixture.status.state == .resetting)
    fixture.setPowered(true)
    #expect(fixture.status == AdapterStatus(state: .poweredOn, address: Self.first, name: "machine"))
    fixture.stepped.pass(.seconds(60))
    #expect(fixture.status.state == .poweredOn)
  }

  @Test("a bluetoothd that takes long to end, and no longer responds, has not powered off", arguments: [false, true])
  func endsSlowly(_ continues: Bool) throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.start()
    _ = fixture.takeStates()
    fixture.setPowered(false)
    fixture.daemon?.hangs = true
    fixture.stepped.pass(.seconds(5))
    #expect(fixture.takeStates() == [])
    if continues {
      fixture.daemon?.hangs = false
      fixture.stepped.settle()
      #expect(fixture.takeStates() == [.poweredOff])
    } else {
      fixture.killDaemon()
      #expect(fixture.takeStates() == [.resetting])
    }
  }

  @Test("a removed adapter is awaited for ten seconds, although another one is powered", arguments: [false, true])
  func unplugged(_ returns: Bool) throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true), (Self.second, powered: true)])
    fixture.start()
    _ = fixture.takeStates()
    fixture.daemon?.remove(SampleMachine.adapter, [SampleMachine.adapterInterface])
    fixture.stepped.pass(.milliseconds(9999))
    #expect(fixture.takeStates() == [.resetting])
    #expect(fixture.status.error?.code == .noAdapter)
    if returns { fixture.daemon?.add("/org/bluez/hci7", ScriptedFixture.interfaces(Self.first, powered: true)) }
    fixture.stepped.pass(.milliseconds(1))
    #expect(fixture.takeStates() == [.poweredOn])
    #expect(fixture.status.address == (returns ? Self.first : Self.second))
  }

  @Test("a bluetoothd that removes its adapters one after the other, and ends, is awaited with the adapter in use")
  func endsWithTwo() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true), (Self.second, powered: true)])
    fixture.start()
    _ = fixture.takeStates()
    fixture.setPowered(false, 0)
    fixture.daemon?.remove(SampleMachine.adapter, [SampleMachine.adapterInterface])
    fixture.stepped.pass(.milliseconds(700))
    fixture.daemon?.remove("/org/bluez/hci1", [SampleMachine.adapterInterface])
    fixture.stepped.pass(.milliseconds(700))
    fixture.killDaemon()
    fixture.stepped.pass(.seconds(30))
    try fixture.startDaemon([(Self.second, powered: true)])
    fixture.stepped.pass(.seconds(8))
    #expect(Set(fixture.takeStates()) == [.resetting])
    fixture.daemon?.add("/org/bluez/hci1", ScriptedFixture.interfaces(Self.first, powered: true))
    #expect(fixture.takeStates() == [.poweredOn])
    #expect(fixture.status.address == Self.first)
  }

  @Test("the grace period ends ten seconds after bluetoothd is back", arguments: [false, true])
  func gracePeriodEnds(_ hasAdapter: Bool) throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.start()
    fixture.killDaemon()
    fixture.stepped.pass(.seconds(3600))
    #expect(fixture.status.state == .resetting)
    try fixture.startDaemon(hasAdapter ? [(Self.first, powered: false)] : [])
    fixture.stepped.pass(.milliseconds(9999))
    #expect(fixture.status.state == .resetting)
    fixture.stepped.pass(.milliseconds(1))
    #expect(fixture.status.state == (hasAdapter ? .poweredOff : .unsupported))
    #expect(fixture.status.error?.code == (hasAdapter ? .poweredOff : .noAdapter))
  }

  @Test("a second crash of bluetoothd restarts the grace period")
  func diesAgain() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.start()
    fixture.killDaemon()
    try fixture.startDaemon([])
    fixture.stepped.pass(.seconds(8))
    fixture.killDaemon()
    try fixture.startDaemon([])
    fixture.stepped.pass(.seconds(8))
    #expect(fixture.status.state == .resetting)
    fixture.stepped.pass(.seconds(2))
    #expect(fixture.status.state == .unsupported)
  }

  @Test("a lost bus is a reset too")
  func lostBus() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.start()
    fixture.stepped.killBus()
    fixture.stepped.settle()
    #expect(fixture.status.state == .resetting)
    #expect(fixture.status.error?.code == .busUnavailable)
    fixture.killDaemon()
    try fixture.stepped.startBus()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.stepped.pass(.seconds(2))
    #expect(fixture.status.state == .poweredOn)
  }

  @Test("a policy that denies access to the new bluetoothd is reported immediately")
  func deniedAfterRestart() throws {
    let fixture = try ScriptedFixture()
    try fixture.startDaemon([(Self.first, powered: true)])
    fixture.start()
    fixture.killDaemon()
    let daemon = ScriptedBlueZ(fixture.stepped.loop, try fixture.stepped.address)
    daemon.answerTree = { $0.fail("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message") }
    try fixture.stepped.run { try await daemon.start() }
    fixture.stepped.pass(.seconds(1))
    #expect(fixture.status.state == .unauthorized)
  }
}
