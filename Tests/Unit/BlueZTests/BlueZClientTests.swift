import DBus
import EventLoop
import Glibc
import TestWorld
import Testing

@testable import BlueZ

@Suite("BlueZClient with the bus and bluetoothd")
struct BlueZClientTests {
  let fixture: BlueZFixture

  init() throws { fixture = try BlueZFixture() }

  func start() { fixture.bluez.start() }

  /// The names of all clients on the bus except the caller.
  private func peers() throws -> Int {
    let connection = BusConnection(fixture.loop, try fixture.stepped.address)
    return try fixture.stepped.run {
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

  private var attempts: Int { fixture.log.entries.filter { $0.hasPrefix("cannot connect to the bus") }.count }

  // MARK: The bus

  @Test("is starting until the first reply")
  func starting() {
    if case .starting = fixture.bluez.availability {} else { Issue.record("not starting") }
    #expect(fixture.takeChanges() == [])
  }

  @Test("without a bus it makes a few attempts and then waits for the socket")
  func noBus() throws {
    fixture.stepped.killBus()
    start()
    #expect(fixture.takeChanges() == ["no bus"])
    fixture.stepped.pass(.seconds(60))
    let early = attempts
    #expect((2..<10).contains(early))
    fixture.stepped.pass(.seconds(3600))
    #expect(attempts == early)
    #expect(fixture.loop.nextDeadline == nil)

    try fixture.stepped.startBus()
    #expect(fixture.takeChanges() == ["starting", "no service"])
    let daemon = try fixture.newDaemon()
    #expect(fixture.takeChanges() == ["running"])
    withExtendedLifetime(daemon) {}
  }

  @Test("each change of the socket causes a few attempts, because the socket exists before the bus responds")
  func signOfABus() throws {
    fixture.stepped.killBus()
    start()
    fixture.stepped.pass(.seconds(3600))
    let before = attempts
    let path = fixture.stepped.bus.socketPath
    unlink(path)
    let file = creat(path, 0o600)
    close(file)
    fixture.settle()
    #expect(fixture.loop.nextDeadline != nil)
    fixture.stepped.pass(.seconds(3600))
    #expect(attempts - before > 5)
    #expect(fixture.loop.nextDeadline == nil)
  }

  @Test("the end of the bus removes all objects, and its successor is found immediately")
  func busRestarts() throws {
    var daemon: ScriptedBlueZ? = try fixture.begin()
    let device = try #require(fixture.cache.devices.first)
    fixture.stepped.killBus()
    fixture.settle()
    let reported = fixture.takeChanges()
    #expect(Set(reported) == ["-hci0", "-dev_C0_FF_EE_00_00_01", "no bus"] && reported.last == "no bus")
    #expect(device.isGone)
    #expect(fixture.cache.adapters.isEmpty)

    daemon = nil
    let before = fixture.stepped.time.now
    try fixture.stepped.startBus()
    let tree = [(SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])]
    daemon = try fixture.newDaemon(tree)
    #expect(fixture.takeChanges().suffix(2) == ["+hci0", "running"])
    #expect(before.duration(to: fixture.stepped.time.now) < .seconds(1))
    withExtendedLifetime(daemon) {}
  }

  @Test("survives twenty restarts of the bus with one connection")
  func oneConnection() throws {
    start()
    for _ in 0..<20 {
      fixture.stepped.killBus()
      fixture.settle()
      try fixture.stepped.startBus()
      let daemon = try fixture.newDaemon()
      fixture.settle()
      #expect(fixture.isRunning)
      // The session, the daemon, and the fixture's probe.
      #expect(try peers() == 3)
      withExtendedLifetime(daemon) {}
    }
  }

  @Test("a bus that hangs for an hour is used when it continues")
  func hangingBus() throws {
    fixture.stepped.freezeBus()
    start()
    fixture.stepped.pass(.seconds(3600))
    #expect(Set(fixture.takeChanges()) == ["no bus"])
    fixture.stepped.thawBus()
    fixture.stepped.pass(.seconds(60))
    #expect(fixture.takeChanges().last == "no service")
  }

  @Test("pending calls fail when the bus ends")
  func busGoesDuringCall() throws {
    let daemon = try fixture.begin()
    var kept: [MethodCall] = []
    daemon.answer = { kept.append($0) }
    let device = try #require(fixture.cache.devices.first)
    let outcome = Recorder<BlueZError.Kind>()
    fixture.loop.spawn {
      do { try await device.connect(deadline: .seconds(20)) } catch let error as BlueZError {
        outcome.note(error.kind)
      } catch {}
    }
    fixture.settle()
    #expect(kept.count == 1)
    fixture.stepped.killBus()
    fixture.settle()
    #expect(outcome.entries == [.unavailable])
  }

  // MARK: The end

  @Test(
    "reports nothing after it is closed, in any state",
    arguments: ["starting", "no bus", "no service", "running", "loading"])
  func closes(_ moment: String) throws {
    var daemon: ScriptedBlueZ?
    switch moment {
    case "no bus": fixture.stepped.killBus()
    case "running":
      daemon = try fixture.newDaemon([
        (SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
      ])
    case "loading":
      daemon = ScriptedBlueZ(fixture.loop, try fixture.stepped.address)
      var kept: [MethodCall] = []
      daemon?.answerTree = { kept.append($0) }
      try fixture.stepped.run { try await daemon?.start() }
    default: break
    }
    start()
    // The session is also closed while it is opening.
    if moment == "starting" { try? fixture.loop.dispatch() } else { fixture.settle() }
    fixture.bluez.close()
    fixture.changes.entries = []
    fixture.settle()
    fixture.bluez.close()
    daemon?.add(SampleMachine.device, [SampleMachine.deviceInterface: SampleMachine.deviceProperties])
    fixture.stepped.pass(.seconds(100))
    #expect(fixture.takeChanges() == [])
    #expect(fixture.cache.adapters.isEmpty && fixture.cache.devices.isEmpty)
    #expect(fixture.loop.nextDeadline == nil)
  }

  @Test("a closed session leaves nothing on the bus or in memory")
  func released() throws {
    let daemon = try fixture.newDaemon([
      (SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    ])
    weak var bluez: BlueZClient?
    weak var cache: ObjectCache?
    weak var adapter: Adapter?
    do {
      let inner = BlueZClient(loop: fixture.loop, address: try fixture.stepped.address) { _ in }
      inner.start()
      fixture.settle()
      (bluez, cache, adapter) = (inner, inner.cache, inner.cache.adapters.first)
      #expect(adapter != nil)
      #expect(try peers() == 3)
      inner.close()
      fixture.settle()
    }
    #expect(bluez == nil && cache == nil && adapter == nil)
    #expect(try peers() == 2)
    withExtendedLifetime(daemon) {}
  }
}
