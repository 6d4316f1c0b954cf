import DBus
import EventLoop
import Glibc
import Testing
import TestWorld

@testable import BlueZ

extension BlueZClientTests {
  // MARK: bluetoothd

  @Test("without bluetoothd there is no service until it starts")
  func serviceAppears() throws {
    start()
    #expect(fixture.takeChanges() == ["no service"])
    let daemon = try fixture.newDaemon([
      (SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    ])
    #expect(fixture.takeChanges() == ["+hci0", "running"])
    #expect(daemon.treesGiven == 1)
  }

  @Test("a crash of bluetoothd removes its objects, and the next instance adds new ones")
  func serviceRestarts() throws {
    let first = try fixture.begin()
    let old = try #require(fixture.cache.adapters.first)
    first.kill()
    #expect(Set(fixture.takeChanges()) == ["-hci0", "-dev_C0_FF_EE_00_00_01", "no service"])
    #expect(old.isGone)
    #expect(throws: BlueZError.gone) { try fixture.stepped.run { try await old.startDiscovery() } }

    let second = try fixture.newDaemon([
      (SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    ])
    #expect(fixture.takeChanges() == ["+hci0", "running"])
    let new = try #require(fixture.cache.adapters.first)
    #expect(new !== old)
    try fixture.stepped.run { try await new.startDiscovery() }
    #expect(second.calls == ["StartDiscovery"])
  }

  @Test("when the name changes its owner, only the new owner is used")
  func ownerChanges() throws {
    let first = try fixture.begin()
    let second = ScriptedBlueZ(fixture.loop, try fixture.stepped.address)
    second.tree = [(SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])]
    try fixture.stepped.run {
      try await first.connection.requestName("org.bluez", allowReplacement: true)
      try await second.start(replacing: true)
    }
    fixture.settle()
    #expect(fixture.isRunning)
    #expect(fixture.cache.devices.isEmpty)

    first.add(SampleMachine.device, [SampleMachine.deviceInterface: SampleMachine.deviceProperties])
    first.remove(SampleMachine.adapter, [SampleMachine.adapterInterface])
    fixture.settle()
    #expect(fixture.cache.devices.isEmpty)
    let adapter = try #require(fixture.cache.adapters.first)
    try fixture.stepped.run { try await adapter.startDiscovery() }
    #expect(first.calls == [])
    #expect(second.calls == ["StartDiscovery"])
  }

  @Test("a restart while objects are queried loads the successor's objects")
  func restartDuringLoad() throws {
    var kept: [MethodCall] = []
    let first = ScriptedBlueZ(fixture.loop, try fixture.stepped.address)
    first.answerTree = { kept.append($0) }
    try fixture.stepped.run { try await first.start() }
    start()
    fixture.settle()
    #expect(kept.count == 1 && !fixture.isRunning)
    first.kill()
    let second = try fixture.newDaemon([
      (SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    ])
    fixture.settle()
    #expect(fixture.isRunning)
    #expect(fixture.cache.adapters.count == 1)
    withExtendedLifetime(second) {}
  }

  @Test("a bluetoothd that replies slowly at first is queried again")
  func slowTree() throws {
    let daemon = ScriptedBlueZ(fixture.loop, try fixture.stepped.address)
    var kept: [MethodCall] = []
    daemon.answerTree = { kept.append($0) }
    try fixture.stepped.run { try await daemon.start() }
    start()
    fixture.stepped.pass(.seconds(15))
    #expect(fixture.takeChanges().first == "no service")
    daemon.answerTree = nil
    fixture.stepped.pass(.seconds(30))
    #expect(fixture.isRunning)
    #expect(kept.count <= 4)
  }

  @Test("one lost call costs two seconds")
  func lostQuestion() throws {
    let daemon = ScriptedBlueZ(fixture.loop, try fixture.stepped.address)
    var kept: [MethodCall] = []
    daemon.answerTree = { [unowned daemon] call in
      kept.append(call)
      if kept.count > 1 { daemon.giveTree(call) }
    }
    try fixture.stepped.run { try await daemon.start() }
    let before = fixture.stepped.time.now
    start()
    fixture.stepped.run(until: { fixture.isRunning })
    #expect(before.duration(to: fixture.stepped.time.now) == .seconds(2))
    #expect(fixture.takeChanges() == ["running"])
  }

  @Test("a bluetoothd that hangs for an hour from the start gets a few calls, and is used when it continues")
  func hangsFromTheStart() throws {
    let daemon = ScriptedBlueZ(fixture.loop, try fixture.stepped.address)
    var kept: [MethodCall] = []
    daemon.answerTree = { kept.append($0) }
    try fixture.stepped.run { try await daemon.start() }
    start()
    fixture.stepped.pass(.seconds(4))
    #expect(fixture.takeChanges() == [])
    fixture.stepped.pass(.seconds(1))
    #expect(fixture.takeChanges() == ["no service"])
    fixture.stepped.pass(.seconds(3600))
    #expect((60..<70).contains(kept.count))
    kept.last.map { daemon.giveTree($0) }
    #expect(fixture.takeChanges() == ["running"])
  }

  @Test(
    "after an error bluetoothd is queried again, with growing pauses",
    arguments: [
      "org.freedesktop.DBus.Error.LimitsExceeded", "org.freedesktop.DBus.Error.Failed",
      "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.UnknownMethod", "org.bluez.Error.NotReady",
      "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.AccessDenied",
    ])
  func errorPasses(_ name: String) throws {
    let daemon = ScriptedBlueZ(fixture.loop, try fixture.stepped.address)
    daemon.tree = [
      (path: SampleMachine.adapter, interfaces: [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    ]
    daemon.answerTree = { $0.fail(name, "not now") }
    try fixture.stepped.run { try await daemon.start() }
    start()
    #expect(fixture.takeChanges() == [name.hasSuffix("AccessDenied") ? "denied" : "no service"])
    #expect(daemon.treesGiven == 1)
    fixture.stepped.pass(.seconds(3600))
    #expect((20..<80).contains(daemon.treesGiven))
    daemon.answerTree = nil
    fixture.stepped.pass(.seconds(60))
    #expect(fixture.takeChanges() == ["+hci0", "running"])
    let given = daemon.treesGiven
    fixture.stepped.pass(.seconds(3600))
    #expect(daemon.treesGiven == given)
    #expect(fixture.loop.nextDeadline == nil)
  }

  @Test("an error at a restart of bluetoothd costs a quarter of a second")
  func errorOnce() throws {
    try fixture.begin().kill()
    fixture.settle()
    let daemon = ScriptedBlueZ(fixture.loop, try fixture.stepped.address)
    daemon.answerTree = { [unowned daemon] call in
      if daemon.treesGiven > 1 { daemon.giveTree(call) } else { call.fail("org.freedesktop.DBus.Error.Failed", "") }
    }
    try fixture.stepped.run { try await daemon.start() }
    let before = fixture.stepped.time.now
    fixture.stepped.run(until: { fixture.isRunning })
    #expect(before.duration(to: fixture.stepped.time.now) == .milliseconds(250))
  }

  @Test("a bus policy that denies access to bluetoothd is reported as such")
  func denied() throws {
    let daemon = ScriptedBlueZ(fixture.loop, try fixture.stepped.address)
    daemon.answerTree = { $0.fail("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message") }
    try fixture.stepped.run { try await daemon.start() }
    start()
    #expect(fixture.takeChanges() == ["denied"])
    if case .denied(let error) = fixture.bluez.availability { #expect(error.kind == .accessDenied) }
    daemon.kill()
    let successor = try fixture.newDaemon()
    #expect(fixture.isRunning)
    withExtendedLifetime(successor) {}
  }

  @Test("any other refusal means no service")
  func refused() throws {
    let daemon = ScriptedBlueZ(fixture.loop, try fixture.stepped.address)
    daemon.answerTree = { $0.fail("org.freedesktop.DBus.Error.UnknownMethod", "no such thing") }
    try fixture.stepped.run { try await daemon.start() }
    start()
    #expect(fixture.takeChanges() == ["no service"])
  }
}
