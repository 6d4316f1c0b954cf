import EventLoop
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

@Suite("Connection")
struct ConnectionTests {
  let fixture: WorldFixture

  init() throws { fixture = try WorldFixture() }

  // MARK: Steps

  @Test("passes all fourteen steps in order, and has a tag only at the last one")
  func steps() throws {
    let watch = try fixture.connected()
    #expect(watch.steps == Array(1...14))
    #expect(watch.phases == Step.allCases.map(\.phase))
    #expect(watch.states.allSatisfy { $0.attempt == 1 && $0.reason == nil })
    #expect(watch.states.map { $0.tag != nil } == Array(repeating: false, count: 13) + [true])
    #expect(fixture.tag.violations == [])
    #expect(fixture.tag.journal.requestIDs == [1, 2, 3, 4])
  }

  @Test("knows what the tag reports about itself")
  func info() throws {
    let info = try #require(try fixture.connected().tag).info
    #expect(info.identifier == WorldFixture.identifier)
    #expect(info.address == "C0:1A:DA:00:00:00")
    #expect(info.uuid == "0-07-0000AAAAA001ZK-0000")
    #expect(info.serial == "0000AAAAA001ZK")
    #expect(info.firmware == TagInfo.Version(major: 1, minor: 96, point: 0))
    #expect(info.vendorID == 0x1178_30c8 && info.productID == 0x283b_e7a0)
  }

  @Test("is established even if BlueZ signals the link, or exports objects before they are resolved")
  func otherQuirks() throws {
    try fixture.happen("quirk silent-connected off")
    try fixture.happen("quirk resolved-first off")
    #expect(try fixture.connected().steps == Array(1...14))
  }

  @Test(
    "delivers events of the set-up after it is announced", arguments: ["subscribed", "begun", "configured"])
  func earlyNotifications(_ moment: String) throws {
    try fixture.happen("greeting \(moment)")
    try fixture.happen("battery 42")
    let watch = try fixture.connect()
    let heard = Recorder<String>()
    watch.onState = { state in if state.phase == .connected { heard.note("connected") } }
    watch.connection.notifications.battery.add { heard.note("battery \($0.percent)") }
    fixture.run(until: { heard.entries.count == 2 }, within: .seconds(10))
    #expect(heard.entries == ["connected", "battery 42"])
  }

  @Test("there is one connection to a tag at a time; the next begins when the link of the previous one is down")
  func oneAtATime() throws {
    let first = try fixture.connected()
    let refused = try fixture.connect()
    fixture.run(until: { refused.states.last?.phase == .disconnected })
    #expect(refused.states.map(\.phase) == [.disconnected])
    #expect(
      refused.states.last?.reason
        == JacquardError(.alreadyConnected, "The manager already has a connection to this tag."))
    #expect(first.isConnected)
    let heard = Recorder<UInt32>()
    first.connection.notifications.battery.add { heard.note(UInt32($0.percent)) }
    try fixture.happen("battery 41")
    #expect(heard.entries == [41])
    first.connection.end(.disconnected)
    let second = try fixture.connect()
    let order = Recorder<String>()
    first.onState = { order.note("first \($0.phase.name)") }
    second.onState = { order.note("second \($0.phase.name)") }
    fixture.run(until: { second.isConnected })
    #expect(order.entries.first == "first disconnected")
    #expect(order.entries.last == "second connected")
  }

  @Test("a second connection ended before its turn never begins")
  func endedBeforeItsTurn() throws {
    let first = try fixture.connected()
    first.connection.end(.disconnected)
    let second = try fixture.connect()
    second.connection.end(.disconnected)
    fixture.run(until: { second.hasEnded && first.hasEnded })
    #expect(second.steps == [0])
    #expect(fixture.tag.journal.links == 1)
  }

  @Test("the end of a connection does not affect those to other tags", arguments: [[0, 1, 2], [1, 2, 0], [2, 0, 1]])
  func severalTags(order: [Int]) throws {
    let fixture = try WorldFixture(tags: 3)
    let watches = try (0..<3).map {
      ConnectionWatch(try fixture.manager.connect(TagIdentifier(address: "C0:1A:DA:00:00:0\($0)")))
    }
    fixture.run(until: { watches.allSatisfy(\.isConnected) })
    var remaining = order
    for ended in order {
      watches[ended].connection.end(.disconnected)
      fixture.run(until: { watches[ended].hasEnded })
      remaining.removeFirst()
      for number in remaining {
        let heard = Recorder<Int>()
        watches[number].connection.notifications.battery.add { heard.note(Int($0.percent)) }
        try fixture.happen("tag \(number + 1) battery 4\(number)")
        #expect(heard.entries == [40 + number])
        let tag = try #require(watches[number].tag)
        _ = try fixture.outcome { try await tag.readBattery() }.get()
      }
    }
  }

  // MARK: Losing the link

  @Test("a lost link is re-established with a new tag, and the old tag is stale")
  func lostLink() throws {
    let watch = try fixture.connected()
    let old = try #require(watch.tag)
    watch.forget()
    try fixture.happen("drop link")
    #expect(watch.states.first?.phase == .preparing)
    #expect(watch.states.first?.reason?.code == .connectionLost)
    #expect(watch.states.first?.attempt == 1)
    fixture.run(until: { watch.isConnected })
    let new = try #require(watch.tag)
    #expect(new !== old)
    #expect(watch.steps == [0] + Array(1...14))
    #expect(code(fixture.outcome { try await old.readBattery() }) == .staleTag)
    #expect(try fixture.outcome { try await new.readBattery() }.get() == Battery(percent: 80, charging: false))
    #expect(fixture.tag.violations == [])
  }

  @Test("a pending command ends with the link")
  func commandAtLoss() throws {
    let tag = try #require(try fixture.connected().tag)
    try fixture.happen("on request battery: drop")
    let outcome = Recorder<JacquardError.Code?>()
    fixture.loop.spawn {
      do { _ = try await tag.readBattery() } catch { outcome.note((error as? JacquardError)?.code) }
    }
    fixture.settle()
    #expect(outcome.entries == [])
    try fixture.happen("drop link")
    #expect(outcome.entries == [.connectionLost])
  }

  @Test("a tag that is absent for an hour is connected when it returns")
  func away() throws {
    let watch = try fixture.connected()
    try fixture.happen("out-of-range")
    fixture.stepped.pass(.seconds(3600))
    #expect(!watch.isConnected && !watch.hasEnded)
    try fixture.happen("in-range")
    let returned = fixture.now
    fixture.run(until: { watch.isConnected })
    #expect(watch.isConnected)
    #expect(returned.duration(to: fixture.now) < .seconds(60))
  }

  @Test("survives twenty lost links")
  func manyLosses() throws {
    let watch = try fixture.connected()
    for _ in 0..<20 {
      try fixture.happen("drop link")
      #expect(fixture.run(until: { watch.isConnected }, within: .seconds(30)))
    }
    #expect(fixture.tag.journal.links == 21)
    #expect(fixture.tag.violations == [])
  }

  // MARK: Failed attempts

  @Test("failed attempts are reported with their reasons and repeated with growing pauses")
  func attempts() throws {
    try fixture.happen("connect fails le-connection-abort-by-local 3 times")
    let watch = try fixture.connected()
    #expect(watch.states.map(\.attempt).max() == 4)
    #expect(watch.reasons == [.connectFailed])
    #expect(watch.states.last?.reason == nil)
    #expect(watch.states.last?.attempt == 4)
  }

  @Test("a Connect without a reply is cancelled after its time limit, and the next one works")
  func hangingConnect() throws {
    try fixture.happen("connect hangs once")
    let start = fixture.now
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    #expect(watch.reasons == [.timeout])
    #expect(start.duration(to: fixture.now) < .seconds(25))
  }

  @Test(
    "each of several Connects without a reply is cancelled after 20 s while the tag is heard, or has just gone",
    arguments: [(false, 6), (true, 2)])
  func hangingConnects(_ isBonded: Bool, _ times: Int) throws {
    if isBonded {
      let binding = try Binding(code: fixture.tag.profile.serial)
      let watch = ConnectionWatch(try fixture.manager.bind(WorldFixture.identifier, binding))
      fixture.run(until: { watch.isConnected })
      watch.connection.end(.disconnected)
      fixture.run(until: { watch.hasEnded })
    }
    try fixture.happen("connect hangs \(times) times")
    var options = Connection.Options()
    options.timeout = .unlimited
    let start = fixture.now
    let watch = try fixture.connected(options)
    #expect(watch.isConnected)
    #expect(start.duration(to: fixture.now) < .seconds(22 * times + 3))
  }

  @Test("a Connect without a reply ends with the adapter's power, also to a bound tag, which BlueZ keeps")
  func hangingConnectWithoutPower() throws {
    let bound = ConnectionWatch(
      try fixture.manager.bind(WorldFixture.identifier, try Binding(code: fixture.tag.profile.serial)))
    fixture.run(until: { bound.isConnected })
    bound.connection.end(.disconnected)
    fixture.run(until: { bound.hasEnded })
    for waitsForAdapter in [false, true] {
      try fixture.happen("connect hangs")
      var options = Connection.Options()
      options.waitForAdapter = waitsForAdapter
      let watch = try fixture.connect(options)
      fixture.run(until: { watch.states.last?.step == Step.tagKnown.rawValue })
      fixture.stepped.pass(.seconds(1))
      try fixture.happen("adapter off")
      fixture.stepped.pass(.seconds(3))
      #expect(watch.states.last?.reason?.code == (waitsForAdapter ? .connectionLost : .poweredOff))
      #expect(watch.hasEnded != waitsForAdapter)
      try fixture.happen("connect works")
      try fixture.happen("adapter on")
      if waitsForAdapter { #expect(fixture.run(until: { watch.isConnected }, within: .seconds(10))) }
    }
  }

  @Test("a device that BlueZ removes during Connect is searched for again")
  func removedDuringConnect() throws {
    try fixture.happen("connect takes 5s")
    let watch = try fixture.connect()
    fixture.run(until: { watch.states.last?.step == Step.tagKnown.rawValue })
    let device = try #require(fixture.manager.cache.devices.first)
    let adapter = try #require(fixture.manager.cache.adapters.first)
    try fixture.stepped.run { try await adapter.remove(device) }
    #expect(device.isGone)
    try fixture.happen("connect takes 80ms")
    fixture.run(until: { watch.isConnected })
    #expect(watch.isConnected)
    // BlueZ fails the call before it removes the object; the bus may deliver both at once.
    #expect([[.deviceGone], [.connectFailed]].contains(watch.reasons))
  }

  @Test("services that are never resolved end the attempt, not the connection")
  func neverResolved() throws {
    try fixture.happen("resolve takes 10min")
    let watch = try fixture.connect()
    fixture.run(until: { watch.states.contains { $0.attempt == 2 } })
    #expect(watch.reasons == [.timeout])
    #expect(!fixture.tag.isConnected)
    try fixture.happen("resolve takes 100ms")
    fixture.run(until: { watch.isConnected })
    #expect(watch.isConnected)
  }

  // MARK: The time limit of the first connection

  @Test("an absent tag is not found in time")
  func notFound() throws {
    try fixture.happen("out-of-range")
    let start = fixture.now
    let watch = try fixture.connect()
    fixture.run(until: { watch.hasEnded })
    #expect(watch.connection.state.reason?.code == .notFound)
    #expect(start.duration(to: fixture.now) == .seconds(60))
  }

  @Test("a tag that is found but cannot be connected times out", arguments: 55...65)
  func late(_ seconds: Int) throws {
    // It makes no difference whether the time limit passes during an attempt or between two.
    try fixture.happen("connect fails le-connection-abort-by-local")
    var options = Connection.Options()
    options.timeout = .after(.seconds(seconds))
    let watch = try fixture.connect(options)
    fixture.run(until: { watch.hasEnded })
    #expect(watch.connection.state.reason?.code == .timeout)
    #expect(watch.connection.state.reason?.message.contains("le-connection-abort-by-local") == true)
  }

  @Test("the time limit does not apply after the first connection")
  func onlyTheFirst() throws {
    var options = Connection.Options()
    options.timeout = .after(.seconds(5))
    let watch = try fixture.connected(options)
    try fixture.happen("out-of-range")
    fixture.stepped.pass(.seconds(600))
    #expect(!watch.hasEnded)
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
    #expect(watch.connection.state.reason == nil)
  }

  @Test("without a time limit a connection waits indefinitely")
  func unlimited() throws {
    try fixture.happen("out-of-range")
    var options = Connection.Options()
    options.timeout = .unlimited
    let watch = try fixture.connect(options)
    fixture.stepped.pass(.seconds(7200))
    #expect(!watch.hasEnded)
    try fixture.happen("in-range")
    fixture.run(until: { watch.isConnected })
    #expect(watch.isConnected)
  }
}
