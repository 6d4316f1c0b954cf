import EventLoop
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

extension ConnectionTests {
  // MARK: Events at every step

  /// Continues until `step` is reached for the first time, and then triggers `event`.
  func connect(
    upTo step: Step, _ options: Connection.Options = Connection.Options(), _ event: @escaping () throws -> Void
  ) throws -> ConnectionWatch {
    let watch = try fixture.connect(options)
    var happened = false
    watch.onState = { state in
      guard state.step == step.rawValue, !happened else { return }
      happened = true
      do { try event() } catch { Issue.record(error) }
    }
    fixture.run(until: { happened }, within: .seconds(30))
    #expect(happened)
    return watch
  }

  @Test(
    "a connection that the user ends is disconnected without a reason, and its link is down", arguments: Step.allCases)
  func userDisconnects(_ step: Step) throws {
    var connection: Connection?
    let watch = try connect(upTo: step) { connection?.end(.disconnected) }
    connection = watch.connection
    if step == .adapterReady { watch.connection.end(.disconnected) }
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded }, within: .seconds(60))
    #expect(watch.states.last?.phase == .disconnected)
    #expect(watch.states.last?.reason == nil)
    #expect(watch.states.filter { $0.phase == .disconnected }.count == 1)
    #expect(!fixture.tag.isConnected)
    let reported = watch.states.count
    fixture.stepped.pass(.seconds(120))
    #expect(watch.states.count == reported)
    #expect(!fixture.tag.isConnected)
    #expect(fixture.tag.violations == [])
  }

  @Test(
    "the link is lost: it is re-established", arguments: Step.allCases.filter { $0.rawValue >= Step.linkUp.rawValue })
  func linkLost(_ step: Step) throws {
    let watch = try connect(upTo: step) { [fixture] in _ = try fixture.world.control("drop link") }
    fixture.settle()
    fixture.run(until: { watch.isConnected && fixture.tag.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
    #expect(watch.reasons.allSatisfy { $0 == .connectionLost })
    let tag = try #require(watch.tag)
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
    #expect(fixture.tag.violations == [])
  }

  @Test("bluetoothd crashes and is restarted: it reconnects", arguments: Step.allCases)
  func daemonKilled(_ step: Step) throws {
    let watch = try connect(upTo: step) { [fixture] in _ = try fixture.world.control("bluetoothd restart after 3s") }
    fixture.stepped.pass(.seconds(2))
    #expect(!watch.isConnected)
    fixture.run(until: { watch.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
    let tag = try #require(watch.tag)
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
    #expect(fixture.tag.violations == [])
  }

  @Test("the bus is restarted: it reconnects", arguments: Step.allCases)
  func busKilled(_ step: Step) throws {
    let watch = try connect(upTo: step) { [fixture] in fixture.stepped.killBus() }
    fixture.stepped.pass(.seconds(2))
    #expect(!watch.isConnected && !watch.hasEnded)
    fixture.daemon.kill()
    try fixture.stepped.startBus()
    try fixture.startDaemon()
    fixture.run(until: { watch.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
    let tag = try #require(watch.tag)
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
  }

  @Test("the adapter is powered off: it ends with that reason", arguments: Step.allCases)
  func poweredOff(_ step: Step) throws {
    let watch = try connect(upTo: step) { [fixture] in _ = try fixture.world.control("adapter off") }
    fixture.run(until: { watch.hasEnded }, within: .seconds(30))
    #expect(watch.states.last?.phase == .disconnected)
    #expect(watch.states.last?.reason?.code == .poweredOff)
    #expect(watch.states.filter { $0.phase == .disconnected }.count == 1)
    try fixture.happen("adapter on")
    fixture.stepped.pass(.seconds(60))
    #expect(!fixture.tag.isConnected)
  }

  @Test("the adapter is powered off and on, and it waits: it reconnects", arguments: Step.allCases)
  func poweredOffAndOn(_ step: Step) throws {
    var options = Connection.Options()
    options.waitForAdapter = true
    let watch = try connect(upTo: step, options) { [fixture] in _ = try fixture.world.control("adapter off") }
    fixture.stepped.pass(.seconds(20))
    #expect(!watch.hasEnded && !watch.isConnected)
    try fixture.happen("adapter on")
    fixture.run(until: { watch.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
    #expect(fixture.tag.violations == [])
  }

  @Test("the adapter is unplugged and plugged in again: it reconnects", arguments: Step.allCases)
  func adapterReplugged(_ step: Step) throws {
    let watch = try connect(upTo: step) { [fixture] in _ = try fixture.world.control("adapter removed") }
    fixture.stepped.pass(.seconds(5))
    #expect(!watch.hasEnded && !watch.isConnected)
    try fixture.happen("adapter added")
    fixture.run(until: { watch.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
  }

  // MARK: Machines without usable Bluetooth

  @Test(
    "ends immediately if the adapter is off or missing, or org.bluez has no owner",
    arguments: [
      ("adapter off", JacquardError.Code.poweredOff), ("adapter removed", .noAdapter),
      ("bluetoothd kill", .bluezUnavailable),
    ])
  func noAdapter(_ event: String, _ reason: JacquardError.Code) throws {
    try fixture.happen(event)
    fixture.stepped.pass(.seconds(60))
    // A manager waits for a bluetoothd that it has used, so use a new one.
    var options = Manager.Options()
    options.busAddress = fixture.stepped.bus.address
    let manager = try Manager(options, loop: fixture.loop)
    manager.start()
    fixture.settle()
    let watch = ConnectionWatch(try manager.connect(WorldFixture.identifier))
    fixture.run(until: { watch.hasEnded }, within: .seconds(30))
    #expect(watch.connection.state.reason?.code == reason)
    manager.close()
  }

  @Test("a connection begun before the manager knows the adapter waits for it")
  func beforeStart() throws {
    let late = try WorldFixture(started: true)
    var options = Manager.Options()
    options.busAddress = late.stepped.bus.address
    let manager = try Manager(options, loop: late.loop)
    let watch = ConnectionWatch(try manager.connect(WorldFixture.identifier))
    manager.start()
    late.run(until: { watch.isConnected }, within: .seconds(30))
    #expect(watch.isConnected)
    manager.close()
  }

  // MARK: The name

  @Test(
    "a renamed tag reconnects under its new name, even if BlueZ keeps the old one",
    arguments: ["5.66", "5.87"])
  func renamed(_ release: String) throws {
    try fixture.happen("bluez \(release)")
    let watch = try fixture.connected()
    let names = Recorder<String>()
    _ = watch.connection.name.changes.add { names.note($0) }
    for name in ["Left sleeve", "Right sleeve", "Jacquard-01ZK"] {
      let tag = try #require(watch.tag)
      let connection = watch.connection
      // The link is down when this completes, so the following calls use the next one.
      let isDown = fixture.outcome {
        try await tag.rename(name)
        return tag.isStale && connection.state.tag == nil
      }
      #expect(try isDown.get())
      #expect(code(fixture.outcome { try await connection.currentTag().readBattery() }) == nil)
      #expect(watch.tag !== tag)
      #expect(watch.tag?.info.name == name)
    }
    #expect(names.entries == ["Left sleeve", "Right sleeve", "Jacquard-01ZK"])
    // A new name from BlueZ takes effect again.
    try fixture.happen("bluez 5.66")
    try fixture.happen("name Collar")
    try fixture.happen("drop link")
    fixture.run(until: { watch.isConnected && names.entries.count == 4 })
    #expect(names.entries.last == "Collar")
  }
}
