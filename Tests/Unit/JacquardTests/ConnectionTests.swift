import EventLoop
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

@Suite("Connection")
struct ConnectionTests {
  private let bench: WorldFixture

  init() throws { bench = try WorldFixture() }

  // MARK: Steps

  @Test("passes all fourteen steps in order, and has a tag only at the last one")
  func steps() throws {
    let watch = try bench.connected()
    #expect(watch.steps == Array(1...14))
    #expect(watch.phases == Step.allCases.map(\.phase))
    #expect(watch.states.allSatisfy { $0.attempt == 1 && $0.reason == nil })
    #expect(watch.states.map { $0.tag != nil } == Array(repeating: false, count: 13) + [true])
    #expect(bench.tag.violations == [])
    #expect(bench.tag.journal.requestIDs == [1, 2, 3, 4])
  }

  @Test("knows what the tag reports about itself")
  func info() throws {
    let info = try #require(try bench.connected().tag).info
    #expect(info.identifier == WorldFixture.identifier)
    #expect(info.address == "C0:1A:DA:00:00:00")
    #expect(info.uuid == "0-07-0000AAAAA001ZK-0000")
    #expect(info.serial == "0000AAAAA001ZK")
    #expect(info.firmware == TagInfo.Version(major: 1, minor: 96, point: 0))
    #expect(info.vendorID == 0x1178_30c8 && info.productID == 0x283b_e7a0)
  }

  @Test("is established even if BlueZ signals the link, or exports objects before they are resolved")
  func otherQuirks() throws {
    try bench.happen("quirk silent-connected off")
    try bench.happen("quirk resolved-first off")
    #expect(try bench.connected().steps == Array(1...14))
  }

  @Test(
    "delivers events of the set-up after it is announced", arguments: ["subscribed", "begun", "configured"])
  func earlyNotifications(_ moment: String) throws {
    try bench.happen("greeting \(moment)")
    try bench.happen("battery 42")
    let watch = try bench.connect()
    let heard = Recorder<String>()
    watch.onState = { state in if state.phase == .connected { heard.note("connected") } }
    watch.connection.notifications.battery.add { heard.note("battery \($0.percent)") }
    bench.run(until: { heard.entries.count == 2 }, within: .seconds(10))
    #expect(heard.entries == ["connected", "battery 42"])
  }

  @Test("there is one connection to a tag at a time; the next begins when the link of the previous one is down")
  func oneAtATime() throws {
    let first = try bench.connected()
    let refused = try bench.connect()
    bench.run(until: { refused.states.last?.phase == .disconnected })
    #expect(refused.states.map(\.phase) == [.disconnected])
    #expect(refused.states.last?.reason == JacquardError(.busy, "The manager already has a connection to this tag."))
    #expect(first.isConnected)
    let heard = Recorder<UInt32>()
    first.connection.notifications.battery.add { heard.note(UInt32($0.percent)) }
    try bench.happen("battery 41")
    #expect(heard.entries == [41])
    first.connection.end(.disconnected)
    let second = try bench.connect()
    let order = Recorder<String>()
    first.onState = { order.note("first \($0.phase.name)") }
    second.onState = { order.note("second \($0.phase.name)") }
    bench.run(until: { second.isConnected })
    #expect(order.entries.first == "first disconnected")
    #expect(order.entries.last == "second connected")
  }

  @Test("a second connection ended before its turn never begins")
  func endedBeforeItsTurn() throws {
    let first = try bench.connected()
    first.connection.end(.disconnected)
    let second = try bench.connect()
    second.connection.end(.disconnected)
    bench.run(until: { second.hasEnded && first.hasEnded })
    #expect(second.steps == [0])
    #expect(bench.tag.journal.links == 1)
  }

  @Test("the end of a connection does not affect those to other tags", arguments: [[0, 1, 2], [1, 2, 0], [2, 0, 1]])
  func severalTags(order: [Int]) throws {
    let bench = try WorldFixture(tags: 3)
    let watches = try (0..<3).map {
      ConnectionWatch(try bench.manager.connect(TagIdentifier(address: "C0:1A:DA:00:00:0\($0)")))
    }
    bench.run(until: { watches.allSatisfy(\.isConnected) })
    var remaining = order
    for ended in order {
      watches[ended].connection.end(.disconnected)
      bench.run(until: { watches[ended].hasEnded })
      remaining.removeFirst()
      for number in remaining {
        let heard = Recorder<Int>()
        watches[number].connection.notifications.battery.add { heard.note(Int($0.percent)) }
        try bench.happen("tag \(number + 1) battery 4\(number)")
        #expect(heard.entries == [40 + number])
        let tag = try #require(watches[number].tag)
        _ = try bench.outcome { try await tag.readBattery() }.get()
      }
    }
  }

  // MARK: Losing the link

  @Test("a lost link is re-established with a new tag, and the old tag is stale")
  func lostLink() throws {
    let watch = try bench.connected()
    let old = try #require(watch.tag)
    watch.forget()
    try bench.happen("drop link")
    #expect(watch.states.first?.phase == .preparing)
    #expect(watch.states.first?.reason?.code == .connectionLost)
    #expect(watch.states.first?.attempt == 1)
    bench.run(until: { watch.isConnected })
    let new = try #require(watch.tag)
    #expect(new !== old)
    #expect(watch.steps == [0] + Array(1...14))
    #expect(code(bench.outcome { try await old.readBattery() }) == .staleTag)
    #expect(try bench.outcome { try await new.readBattery() }.get() == Battery(percent: 80, charging: false))
    #expect(bench.tag.violations == [])
  }

  @Test("a pending command ends with the link")
  func commandAtLoss() throws {
    let tag = try #require(try bench.connected().tag)
    try bench.happen("on request battery: drop")
    let outcome = Recorder<JacquardError.Code?>()
    bench.loop.spawn {
      do { _ = try await tag.readBattery() } catch { outcome.note((error as? JacquardError)?.code) }
    }
    bench.settle()
    #expect(outcome.entries == [])
    try bench.happen("drop link")
    #expect(outcome.entries == [.connectionLost])
  }

  @Test("a tag that is absent for an hour is connected when it returns")
  func away() throws {
    let watch = try bench.connected()
    try bench.happen("out-of-range")
    bench.stepped.pass(.seconds(3600))
    #expect(!watch.isConnected && !watch.hasEnded)
    try bench.happen("in-range")
    let returned = bench.now
    bench.run(until: { watch.isConnected })
    #expect(watch.isConnected)
    #expect(returned.duration(to: bench.now) < .seconds(60))
  }

  @Test("survives twenty lost links")
  func manyLosses() throws {
    let watch = try bench.connected()
    for _ in 0..<20 {
      try bench.happen("drop link")
      #expect(bench.run(until: { watch.isConnected }, within: .seconds(30)))
    }
    #expect(bench.tag.journal.links == 21)
    #expect(bench.tag.violations == [])
  }

  // MARK: Failed attempts

  @Test("failed attempts are reported with their reasons and repeated with growing pauses")
  func attempts() throws {
    try bench.happen("connect fails le-connection-abort-by-local 3 times")
    let watch = try bench.connected()
    #expect(watch.states.map(\.attempt).max() == 4)
    #expect(watch.reasons == [.connectFailed])
    #expect(watch.states.last?.reason == nil)
    #expect(watch.states.last?.attempt == 4)
  }

  @Test("a Connect without a reply is cancelled after its time limit, and the next one works")
  func hangingConnect() throws {
    try bench.happen("connect hangs once")
    let start = bench.now
    let watch = try bench.connected()
    #expect(watch.isConnected)
    #expect(watch.reasons == [.timeout])
    #expect(start.duration(to: bench.now) < .seconds(25))
  }

  @Test("a device that BlueZ removes during Connect is searched for again")
  func removedDuringConnect() throws {
    try bench.happen("connect takes 5s")
    let watch = try bench.connect()
    bench.run(until: { watch.states.last?.step == Step.tagKnown.rawValue })
    let device = try #require(bench.manager.cache.devices.first)
    let adapter = try #require(bench.manager.cache.adapters.first)
    try bench.stepped.run { try await adapter.remove(device) }
    #expect(device.isGone)
    try bench.happen("connect takes 80ms")
    bench.run(until: { watch.isConnected })
    #expect(watch.isConnected)
    // BlueZ fails the call before it removes the object; the bus may deliver both at once.
    #expect([[.deviceGone], [.connectFailed]].contains(watch.reasons))
  }

  @Test("services that are never resolved end the attempt, not the connection")
  func neverResolved() throws {
    try bench.happen("resolve takes 10min")
    let watch = try bench.connect()
    bench.run(until: { watch.states.contains { $0.attempt == 2 } })
    #expect(watch.reasons == [.timeout])
    #expect(!bench.tag.isConnected)
    try bench.happen("resolve takes 100ms")
    bench.run(until: { watch.isConnected })
    #expect(watch.isConnected)
  }

  // MARK: The time limit of the first connection

  @Test("an absent tag is not found in time")
  func notFound() throws {
    try bench.happen("out-of-range")
    let start = bench.now
    let watch = try bench.connect()
    bench.run(until: { watch.hasEnded })
    #expect(watch.connection.state.reason?.code == .notFound)
    #expect(start.duration(to: bench.now) == .seconds(60))
  }

  @Test("a tag that is found but cannot be connected times out", arguments: 55...65)
  func late(_ seconds: Int) throws {
    // It makes no difference whether the time limit passes during an attempt or between two.
    try bench.happen("connect fails le-connection-abort-by-local")
    var options = Connection.Options()
    options.timeout = .after(.seconds(seconds))
    let watch = try bench.connect(options)
    bench.run(until: { watch.hasEnded })
    #expect(watch.connection.state.reason?.code == .timeout)
    #expect(watch.connection.state.reason?.message.contains("le-connection-abort-by-local") == true)
  }

  @Test("the time limit does not apply after the first connection")
  func onlyTheFirst() throws {
    var options = Connection.Options()
    options.timeout = .after(.seconds(5))
    let watch = try bench.connected(options)
    try bench.happen("out-of-range")
    bench.stepped.pass(.seconds(600))
    #expect(!watch.hasEnded)
    watch.connection.end(.disconnected)
    bench.run(until: { watch.hasEnded })
    #expect(watch.connection.state.reason == nil)
  }

  @Test("without a time limit a connection waits indefinitely")
  func unlimited() throws {
    try bench.happen("out-of-range")
    var options = Connection.Options()
    options.timeout = .unlimited
    let watch = try bench.connect(options)
    bench.stepped.pass(.seconds(7200))
    #expect(!watch.hasEnded)
    try bench.happen("in-range")
    bench.run(until: { watch.isConnected })
    #expect(watch.isConnected)
  }

  // MARK: Events at every step

  /// Continues until `step` is reached for the first time, and then triggers `event`.
  private func connect(
    upTo step: Step, _ options: Connection.Options = Connection.Options(), _ event: @escaping () throws -> Void
  ) throws -> ConnectionWatch {
    let watch = try bench.connect(options)
    var happened = false
    watch.onState = { state in
      guard state.step == step.rawValue, !happened else { return }
      happened = true
      do { try event() } catch { Issue.record(error) }
    }
    bench.run(until: { happened }, within: .seconds(30))
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
    bench.run(until: { watch.hasEnded }, within: .seconds(60))
    #expect(watch.states.last?.phase == .disconnected)
    #expect(watch.states.last?.reason == nil)
    #expect(watch.states.filter { $0.phase == .disconnected }.count == 1)
    #expect(!bench.tag.isConnected)
    let reported = watch.states.count
    bench.stepped.pass(.seconds(120))
    #expect(watch.states.count == reported)
    #expect(!bench.tag.isConnected)
    #expect(bench.tag.violations == [])
  }

  @Test(
    "the link is lost: it is re-established", arguments: Step.allCases.filter { $0.rawValue >= Step.linkUp.rawValue })
  func linkLost(_ step: Step) throws {
    let watch = try connect(upTo: step) { [bench] in _ = try bench.world.control("drop link") }
    bench.settle()
    bench.run(until: { watch.isConnected && bench.tag.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
    #expect(watch.reasons.allSatisfy { $0 == .connectionLost })
    let tag = try #require(watch.tag)
    #expect(code(bench.outcome { try await tag.readBattery() }) == nil)
    #expect(bench.tag.violations == [])
  }

  @Test("bluetoothd crashes and is restarted: it reconnects", arguments: Step.allCases)
  func daemonKilled(_ step: Step) throws {
    let watch = try connect(upTo: step) { [bench] in _ = try bench.world.control("bluetoothd restart after 3s") }
    bench.stepped.pass(.seconds(2))
    #expect(!watch.isConnected)
    bench.run(until: { watch.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
    let tag = try #require(watch.tag)
    #expect(code(bench.outcome { try await tag.readBattery() }) == nil)
    #expect(bench.tag.violations == [])
  }

  @Test("the bus is restarted: it reconnects", arguments: Step.allCases)
  func busKilled(_ step: Step) throws {
    let watch = try connect(upTo: step) { [bench] in bench.stepped.killBus() }
    bench.stepped.pass(.seconds(2))
    #expect(!watch.isConnected && !watch.hasEnded)
    bench.daemon.kill()
    try bench.stepped.startBus()
    try bench.startDaemon()
    bench.run(until: { watch.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
    let tag = try #require(watch.tag)
    #expect(code(bench.outcome { try await tag.readBattery() }) == nil)
  }

  @Test("the adapter is powered off: it ends with that reason", arguments: Step.allCases)
  func poweredOff(_ step: Step) throws {
    let watch = try connect(upTo: step) { [bench] in _ = try bench.world.control("adapter off") }
    bench.run(until: { watch.hasEnded }, within: .seconds(30))
    #expect(watch.states.last?.phase == .disconnected)
    #expect(watch.states.last?.reason?.code == .poweredOff)
    #expect(watch.states.filter { $0.phase == .disconnected }.count == 1)
    try bench.happen("adapter on")
    bench.stepped.pass(.seconds(60))
    #expect(!bench.tag.isConnected)
  }

  @Test("the adapter is powered off and on, and it waits: it reconnects", arguments: Step.allCases)
  func poweredOffAndOn(_ step: Step) throws {
    var options = Connection.Options()
    options.waitForAdapter = true
    let watch = try connect(upTo: step, options) { [bench] in _ = try bench.world.control("adapter off") }
    bench.stepped.pass(.seconds(20))
    #expect(!watch.hasEnded && !watch.isConnected)
    try bench.happen("adapter on")
    bench.run(until: { watch.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
    #expect(bench.tag.violations == [])
  }

  @Test("the adapter is unplugged and plugged in again: it reconnects", arguments: Step.allCases)
  func adapterReplugged(_ step: Step) throws {
    let watch = try connect(upTo: step) { [bench] in _ = try bench.world.control("adapter removed") }
    bench.stepped.pass(.seconds(5))
    #expect(!watch.hasEnded && !watch.isConnected)
    try bench.happen("adapter added")
    bench.run(until: { watch.isConnected }, within: .seconds(60))
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
    try bench.happen(event)
    bench.stepped.pass(.seconds(60))
    // A manager waits for a bluetoothd that it has used, so use a new one.
    var options = Manager.Options()
    options.busAddress = bench.stepped.bus.address
    let manager = try Manager(options, loop: bench.loop)
    manager.start()
    bench.settle()
    let watch = ConnectionWatch(try manager.connect(WorldFixture.identifier))
    bench.run(until: { watch.hasEnded }, within: .seconds(30))
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
    try bench.happen("bluez \(release)")
    let watch = try bench.connected()
    let names = Recorder<String>()
    _ = watch.connection.name.changes.add { names.note($0) }
    for name in ["Left sleeve", "Right sleeve", "Jacquard-01ZK"] {
      let tag = try #require(watch.tag)
      let connection = watch.connection
      // The link is down when this completes, so what follows uses the next one.
      let isDown = bench.outcome {
        try await tag.rename(name)
        return tag.isStale && connection.state.tag == nil
      }
      #expect(try isDown.get())
      #expect(code(bench.outcome { try await connection.currentTag().readBattery() }) == nil)
      #expect(watch.tag !== tag)
      #expect(watch.tag?.info.name == name)
    }
    #expect(names.entries == ["Left sleeve", "Right sleeve", "Jacquard-01ZK"])
    // A new name from BlueZ takes effect again.
    try bench.happen("bluez 5.66")
    try bench.happen("name Collar")
    try bench.happen("drop link")
    bench.run(until: { watch.isConnected && names.entries.count == 4 })
    #expect(names.entries.last == "Collar")
  }
}
