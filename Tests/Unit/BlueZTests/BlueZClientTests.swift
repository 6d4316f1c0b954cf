import DBus
import EventLoop
import Glibc
import TestWorld
import Testing

@testable import BlueZ

@Suite("BlueZClient with the bus and bluetoothd")
struct BlueZClientTests {
  private let bench: BlueZFixture

  init() throws { bench = try BlueZFixture() }

  private func start() { bench.bluez.start() }

  /// The names of all clients on the bus except the caller.
  private func peers() throws -> Int {
    let connection = BusConnection(bench.loop, try bench.stepped.address)
    return try bench.stepped.run {
      try await connection.open()
      defer { connection.close() }
      let names =
        try await connection.call(
          to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
          member: "ListNames"
        ).body().first?.asStrings ?? []
      return names.filter { $0.hasPrefix(":") && $0 != connection.uniqueName }.count
    }
  }

  private var attempts: Int { bench.log.entries.filter { $0.hasPrefix("cannot connect to the bus") }.count }

  // MARK: The bus

  @Test("is starting until the first reply")
  func starting() {
    if case .starting = bench.bluez.availability {} else { Issue.record("not starting") }
    #expect(bench.takeChanges() == [])
  }

  @Test("without a bus it makes a few attempts and then waits for the socket")
  func noBus() throws {
    bench.stepped.killBus()
    start()
    #expect(bench.takeChanges() == ["no bus"])
    bench.stepped.pass(.seconds(60))
    let early = attempts
    #expect((2..<10).contains(early))
    bench.stepped.pass(.seconds(3600))
    #expect(attempts == early)
    #expect(bench.loop.nextDeadline == nil)

    try bench.stepped.startBus()
    #expect(bench.takeChanges() == ["no service"])
    let daemon = try bench.newDaemon()
    #expect(bench.takeChanges() == ["running"])
    withExtendedLifetime(daemon) {}
  }

  @Test("each change of the socket causes a few attempts, because the socket exists before the bus responds")
  func signOfABus() throws {
    bench.stepped.killBus()
    start()
    bench.stepped.pass(.seconds(3600))
    let before = attempts
    let path = bench.stepped.bus.socketPath
    unlink(path)
    let file = creat(path, 0o600)
    close(file)
    bench.settle()
    #expect(bench.loop.nextDeadline != nil)
    bench.stepped.pass(.seconds(3600))
    #expect(attempts - before > 5)
    #expect(bench.loop.nextDeadline == nil)
  }

  @Test("the end of the bus removes all objects, and its successor is found immediately")
  func busRestarts() throws {
    var daemon: ScriptedBlueZ? = try bench.begin()
    let device = try #require(bench.cache.devices.first)
    bench.stepped.killBus()
    bench.settle()
    let reported = bench.takeChanges()
    #expect(Set(reported) == ["-hci0", "-dev_C0_FF_EE_00_00_01", "no bus"] && reported.last == "no bus")
    #expect(device.isGone)
    #expect(bench.cache.adapters.isEmpty)

    daemon = nil
    let before = bench.stepped.time.now
    try bench.stepped.startBus()
    let tree = [(SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])]
    daemon = try bench.newDaemon(tree)
    #expect(bench.takeChanges().suffix(2) == ["+hci0", "running"])
    #expect(before.duration(to: bench.stepped.time.now) < .seconds(1))
    withExtendedLifetime(daemon) {}
  }

  @Test("survives twenty restarts of the bus with one connection")
  func oneConnection() throws {
    start()
    for _ in 0..<20 {
      bench.stepped.killBus()
      bench.settle()
      try bench.stepped.startBus()
      let daemon = try bench.newDaemon()
      bench.settle()
      #expect(bench.isRunning)
      // The session, the daemon, and the fixture's probe.
      #expect(try peers() == 3)
      withExtendedLifetime(daemon) {}
    }
  }

  @Test("a bus that hangs for an hour is used when it continues")
  func hangingBus() throws {
    bench.stepped.freezeBus()
    start()
    bench.stepped.pass(.seconds(3600))
    #expect(Set(bench.takeChanges()) == ["no bus"])
    bench.stepped.thawBus()
    bench.stepped.pass(.seconds(60))
    #expect(bench.takeChanges().last == "no service")
  }

  @Test("pending calls fail when the bus ends")
  func busGoesDuringCall() throws {
    let daemon = try bench.begin()
    var kept: [MethodCall] = []
    daemon.answer = { kept.append($0) }
    let device = try #require(bench.cache.devices.first)
    let outcome = Recorder<BlueZError.Kind>()
    bench.loop.spawn {
      do { try await device.connect(deadline: .seconds(20)) } catch let error as BlueZError {
        outcome.note(error.kind)
      } catch {}
    }
    bench.settle()
    #expect(kept.count == 1)
    bench.stepped.killBus()
    bench.settle()
    #expect(outcome.entries == [.unavailable])
  }

  // MARK: bluetoothd

  @Test("without bluetoothd there is no service until it starts")
  func serviceAppears() throws {
    start()
    #expect(bench.takeChanges() == ["no service"])
    let daemon = try bench.newDaemon([
      (SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    ])
    #expect(bench.takeChanges() == ["+hci0", "running"])
    #expect(daemon.treesGiven == 1)
  }

  @Test("a crash of bluetoothd removes its objects, and the next instance adds new ones")
  func serviceRestarts() throws {
    let first = try bench.begin()
    let old = try #require(bench.cache.adapters.first)
    first.kill()
    #expect(Set(bench.takeChanges()) == ["-hci0", "-dev_C0_FF_EE_00_00_01", "no service"])
    #expect(old.isGone)
    #expect(throws: BlueZError.gone) { try bench.stepped.run { try await old.startDiscovery() } }

    let second = try bench.newDaemon([
      (SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    ])
    #expect(bench.takeChanges() == ["+hci0", "running"])
    let new = try #require(bench.cache.adapters.first)
    #expect(new !== old)
    try bench.stepped.run { try await new.startDiscovery() }
    #expect(second.calls == ["StartDiscovery"])
  }

  @Test("when the name changes its owner, only the new owner is used")
  func ownerChanges() throws {
    let first = try bench.begin()
    let second = ScriptedBlueZ(bench.loop, try bench.stepped.address)
    second.tree = [(SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])]
    try bench.stepped.run {
      try await first.connection.requestName("org.bluez", allowReplacement: true)
      try await second.start(replacing: true)
    }
    bench.settle()
    #expect(bench.isRunning)
    #expect(bench.cache.devices.isEmpty)

    first.add(SampleMachine.device, [SampleMachine.deviceInterface: SampleMachine.deviceProperties])
    first.remove(SampleMachine.adapter, [SampleMachine.adapterInterface])
    bench.settle()
    #expect(bench.cache.devices.isEmpty)
    let adapter = try #require(bench.cache.adapters.first)
    try bench.stepped.run { try await adapter.startDiscovery() }
    #expect(first.calls == [])
    #expect(second.calls == ["StartDiscovery"])
  }

  @Test("a restart while objects are queried loads the successor's objects")
  func restartDuringLoad() throws {
    var kept: [MethodCall] = []
    let first = ScriptedBlueZ(bench.loop, try bench.stepped.address)
    first.answerTree = { kept.append($0) }
    try bench.stepped.run { try await first.start() }
    start()
    bench.settle()
    #expect(kept.count == 1 && !bench.isRunning)
    first.kill()
    let second = try bench.newDaemon([
      (SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    ])
    bench.settle()
    #expect(bench.isRunning)
    #expect(bench.cache.adapters.count == 1)
    withExtendedLifetime(second) {}
  }

  @Test("a bluetoothd that replies slowly at first is queried again")
  func slowTree() throws {
    let daemon = ScriptedBlueZ(bench.loop, try bench.stepped.address)
    var kept: [MethodCall] = []
    daemon.answerTree = { kept.append($0) }
    try bench.stepped.run { try await daemon.start() }
    start()
    bench.stepped.pass(.seconds(15))
    #expect(bench.takeChanges().first == "no service")
    daemon.answerTree = nil
    bench.stepped.pass(.seconds(30))
    #expect(bench.isRunning)
    #expect(kept.count <= 4)
  }

  @Test("one lost call costs two seconds")
  func lostQuestion() throws {
    let daemon = ScriptedBlueZ(bench.loop, try bench.stepped.address)
    var kept: [MethodCall] = []
    daemon.answerTree = { [unowned daemon] call in
      kept.append(call)
      if kept.count > 1 { daemon.giveTree(call) }
    }
    try bench.stepped.run { try await daemon.start() }
    let before = bench.stepped.time.now
    start()
    bench.stepped.run(until: { bench.isRunning })
    #expect(before.duration(to: bench.stepped.time.now) == .seconds(2))
    #expect(bench.takeChanges() == ["running"])
  }

  @Test("a bluetoothd that hangs for an hour from the start gets a few calls, and is used when it continues")
  func hangsFromTheStart() throws {
    let daemon = ScriptedBlueZ(bench.loop, try bench.stepped.address)
    var kept: [MethodCall] = []
    daemon.answerTree = { kept.append($0) }
    try bench.stepped.run { try await daemon.start() }
    start()
    bench.stepped.pass(.seconds(4))
    #expect(bench.takeChanges() == [])
    bench.stepped.pass(.seconds(1))
    #expect(bench.takeChanges() == ["no service"])
    bench.stepped.pass(.seconds(3600))
    #expect((60..<70).contains(kept.count))
    kept.last.map { daemon.giveTree($0) }
    #expect(bench.takeChanges() == ["running"])
  }

  @Test(
    "after an error bluetoothd is queried again, with growing pauses",
    arguments: [
      "org.freedesktop.DBus.Error.LimitsExceeded", "org.freedesktop.DBus.Error.Failed",
      "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.UnknownMethod", "org.bluez.Error.NotReady",
      "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.AccessDenied",
    ])
  func errorPasses(_ name: String) throws {
    let daemon = ScriptedBlueZ(bench.loop, try bench.stepped.address)
    daemon.tree = [
      (path: SampleMachine.adapter, interfaces: [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    ]
    daemon.answerTree = { $0.fail(name, "not now") }
    try bench.stepped.run { try await daemon.start() }
    start()
    #expect(bench.takeChanges() == [name.hasSuffix("AccessDenied") ? "denied" : "no service"])
    #expect(daemon.treesGiven == 1)
    bench.stepped.pass(.seconds(3600))
    #expect((20..<80).contains(daemon.treesGiven))
    daemon.answerTree = nil
    bench.stepped.pass(.seconds(60))
    #expect(bench.takeChanges() == ["+hci0", "running"])
    let given = daemon.treesGiven
    bench.stepped.pass(.seconds(3600))
    #expect(daemon.treesGiven == given)
    #expect(bench.loop.nextDeadline == nil)
  }

  @Test("an error at a restart of bluetoothd costs a quarter of a second")
  func errorOnce() throws {
    try bench.begin().kill()
    bench.settle()
    let daemon = ScriptedBlueZ(bench.loop, try bench.stepped.address)
    daemon.answerTree = { [unowned daemon] call in
      if daemon.treesGiven > 1 { daemon.giveTree(call) } else { call.fail("org.freedesktop.DBus.Error.Failed", "") }
    }
    try bench.stepped.run { try await daemon.start() }
    let before = bench.stepped.time.now
    bench.stepped.run(until: { bench.isRunning })
    #expect(before.duration(to: bench.stepped.time.now) == .milliseconds(250))
  }

  @Test("a bus policy that denies access to bluetoothd is reported as such")
  func denied() throws {
    let daemon = ScriptedBlueZ(bench.loop, try bench.stepped.address)
    daemon.answerTree = { $0.fail("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message") }
    try bench.stepped.run { try await daemon.start() }
    start()
    #expect(bench.takeChanges() == ["denied"])
    if case .denied(let error) = bench.bluez.availability { #expect(error.kind == .accessDenied) }
    daemon.kill()
    let successor = try bench.newDaemon()
    #expect(bench.isRunning)
    withExtendedLifetime(successor) {}
  }

  @Test("any other refusal means no service")
  func refused() throws {
    let daemon = ScriptedBlueZ(bench.loop, try bench.stepped.address)
    daemon.answerTree = { $0.fail("org.freedesktop.DBus.Error.UnknownMethod", "no such thing") }
    try bench.stepped.run { try await daemon.start() }
    start()
    #expect(bench.takeChanges() == ["no service"])
  }

  // MARK: The end

  @Test(
    "reports nothing after it is closed, in any state",
    arguments: ["starting", "no bus", "no service", "running", "loading"])
  func closes(_ moment: String) throws {
    var daemon: ScriptedBlueZ?
    switch moment {
    case "no bus": bench.stepped.killBus()
    case "running":
      daemon = try bench.newDaemon([
        (SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
      ])
    case "loading":
      daemon = ScriptedBlueZ(bench.loop, try bench.stepped.address)
      var kept: [MethodCall] = []
      daemon?.answerTree = { kept.append($0) }
      try bench.stepped.run { try await daemon?.start() }
    default: break
    }
    start()
    // Also closed while it is opening.
    if moment == "starting" { try? bench.loop.dispatch() } else { bench.settle() }
    bench.bluez.close()
    bench.changes.entries = []
    bench.settle()
    bench.bluez.close()
    daemon?.add(SampleMachine.device, [SampleMachine.deviceInterface: SampleMachine.deviceProperties])
    bench.stepped.pass(.seconds(100))
    #expect(bench.takeChanges() == [])
    #expect(bench.cache.adapters.isEmpty && bench.cache.devices.isEmpty)
    #expect(bench.loop.nextDeadline == nil)
  }

  @Test("a closed session leaves nothing on the bus or in memory")
  func released() throws {
    let daemon = try bench.newDaemon([
      (SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    ])
    weak var bluez: BlueZClient?
    weak var cache: ObjectCache?
    weak var adapter: Adapter?
    do {
      let inner = BlueZClient(loop: bench.loop, address: try bench.stepped.address) { _ in }
      inner.start()
      bench.settle()
      (bluez, cache, adapter) = (inner, inner.cache, inner.cache.adapters.first)
      #expect(adapter != nil)
      #expect(try peers() == 3)
      inner.close()
      bench.settle()
    }
    #expect(bluez == nil && cache == nil && adapter == nil)
    #expect(try peers() == 2)
    withExtendedLifetime(daemon) {}
  }
}
