import DBus
import EventLoop
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

/// Known problems of other libraries, listed in docs/reliability.md.
@Suite("Recovery of links")
struct RecoveryTests {
  let fixture: WorldFixture

  init() throws { fixture = try WorldFixture() }

  func works(_ watch: ConnectionWatch) throws -> Bool {
    let tag = try #require(watch.tag)
    return code(fixture.outcome { try await tag.readBattery() }) == nil
  }

  // MARK: Connect

  @Test("a Connect without a reply does no harm if the link is up")
  func unansweredConnect() throws {
    try fixture.happen("quirk unanswered-connect on")
    let start = fixture.now
    let watch = try fixture.connected()
    #expect(watch.states.map(\.attempt).max() == 1)
    #expect(start.duration(to: fixture.now) < .seconds(2))
    #expect(try works(watch))
  }

  @Test(
    "a failed link is retried whatever BlueZ's error, and the advice names possible interference",
    arguments: [
      "le-connection-abort-by-local", "le-connection-timeout", "le-connection-refused", "le-connection-busy",
      "br-connection-canceled", "br-connection-busy", "Software-caused-connection-abort", "Host-is-down",
    ])
  func failures(_ text: String) throws {
    try fixture.happen("connect fails \(text) 5 times")
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    #expect(watch.states.map(\.attempt).max() == 6)
    let reason = try #require(watch.states.compactMap(\.reason).first)
    #expect(reason.code == .connectFailed)
    #expect(reason.message == "The link could not be established: \(text).")
    #expect(reason.advice.contains("Wi-Fi"))
  }

  @Test("a link that comes up briefly after a failure is not reported", arguments: [50, 200, 300, 600, 1000])
  func flap(_ milliseconds: Int) throws {
    fixture.daemon.setFlapLength(.milliseconds(milliseconds))
    try fixture.happen("connect flaps 2 times")
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    let reported = watch.states.filter { $0.attempt < (watch.states.last?.attempt ?? 0) }
    #expect(reported.map(\.step).max() == Step.tagKnown.rawValue)
    #expect(reported.map(\.disconnectReason).allSatisfy { $0 == .none })
    #expect(try works(watch))
  }

  /// BlueZ keeps a link for two seconds after the Disconnect of a program that has ended, and reports it as connected
  /// and resolved during that time.
  @Test(
    "a program started immediately after another waits until that link is down, and its first attempt succeeds",
    arguments: [0, 1, 500, 1_000, 1_900, 1_999, 2_000, 2_001])
  func nextProgram(_ milliseconds: Int) throws {
    _ = try fixture.connected()
    fixture.manager.close()
    fixture.stepped.pass(.milliseconds(milliseconds))
    let watch = ConnectionWatch(try fixture.anotherManager().connect(WorldFixture.identifier))
    fixture.run(until: { watch.isConnected }, within: .seconds(5))
    #expect(watch.isConnected)
    #expect(watch.reasons == [])
    #expect(watch.steps == Step.allCases.map(\.rawValue))
    #expect(try works(watch))
    #expect(fixture.tag.violations == [])
  }

  @Test("a link to which no program has subscribed is dropped, and made again")
  func unusedLink() throws {
    let first = try fixture.connected()
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    let device = try #require(fixture.manager.core.cache.devices.first)
    let cache = fixture.manager.core.cache
    let following = try fixture.outcome { try await cache.follow(device) }.get()
    #expect(code(fixture.outcome { try await device.connect(deadline: .seconds(5)) }) == nil)
    fixture.run(until: { device.servicesResolved })
    withExtendedLifetime(following) {}
    var calls: Set<String> = []
    fixture.daemon.called = { _, member in calls.insert(member) }
    let watch = try fixture.connected()
    #expect(watch.reasons == [])
    #expect(calls.isSuperset(of: ["Connect", "Disconnect"]))
    #expect(try works(watch))
    #expect(fixture.tag.violations == [])
  }

  /// BlueZ keeps the link of a killed program for a while. A tag may report its gear only once on it, and may refuse a
  /// second `hello`.
  @Test(
    "hello is sent once on a link, and the gear is known, after a program was killed",
    arguments: ["greeting subscribed once", "greeting begun once", "greeting configured once"], [0, 100, 1_999])
  func killed(_ greeting: String, _ milliseconds: Int) throws {
    for line in [greeting, "second-hello refused", "gear attach levis-trucker"] { try fixture.happen(line) }
    _ = try fixture.connected()
    fixture.manager.core.bluez.close()
    fixture.manager.close()
    fixture.stepped.pass(.milliseconds(milliseconds))
    #expect(fixture.tag.isConnected)
    let watch = ConnectionWatch(try fixture.anotherManager().connect(WorldFixture.identifier))
    fixture.run(until: { watch.isConnected && watch.connection.gear.gear != nil }, within: .seconds(10))
    #expect(try #require(watch.connection.gear.gear)?.info.product.rawValue == 0x8a66_50f4)
    #expect(fixture.tag.journal.links == 2)
    #expect(fixture.tag.journal.kinds.count { $0 == .hello } == 2)
    #expect(try works(watch))
    #expect(fixture.tag.violations == [])
  }

  @Test("there is a pause between attempts")
  func spacing() throws {
    var calls: [LoopInstant] = []
    fixture.daemon.called = { [fixture] _, member in if member == "Connect" { calls.append(fixture.now) } }
    try fixture.happen("connect fails le-connection-abort-by-local 7 times")
    _ = try fixture.connected()
    #expect(calls.count == 8)
    for (before, after) in zip(calls, calls.dropFirst()) {
      #expect(before.duration(to: after) >= .milliseconds(250))
    }
    // After it has been connected, the next loss starts with the shortest pause again.
    calls = []
    try fixture.happen("drop link")
    #expect(calls.count == 1)
  }

  @Test("BR/EDR errors are explained")
  func classicRadio() throws {
    try fixture.happen("connect fails br-connection-page-timeout 2 times")
    let watch = try fixture.connected()
    let reason = try #require(watch.states.compactMap(\.reason).first)
    #expect(reason.message == "The link could not be established: br-connection-page-timeout.")
    #expect(reason.advice.contains("ControllerMode = le"))
  }

  // MARK: Messages

  @Test("a tag out of range is not reported as a Bluetooth service that does not respond")
  func outOfReach() throws {
    let watch = try fixture.connected()
    watch.forget()
    try fixture.happen("out-of-range")
    fixture.stepped.pass(.seconds(25))
    let reason = try #require(watch.connection.state.reason)
    #expect(reason.code == .timeout)
    #expect(reason.message == "The tag was not reached within 20 s.")
    #expect(reason.advice.hasPrefix("None needed"))
  }

  @Test(
    "the advice is that none is needed if the library recovers by itself",
    arguments: ["bluetoothd kill", "bluetoothd stop", "bluetoothd hang for 60s", "adapter removed"])
  func nothingToDo(_ event: String) throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    try fixture.happen(event)
    fixture.loop.spawn { _ = try? await tag.readBattery() }
    fixture.run(until: { fixture.manager.adapterStatus.state == .resetting }, within: .seconds(60))
    #expect(fixture.manager.adapterStatus.error?.advice.hasPrefix("None needed") == true)
    #expect(watch.connection.state.reason?.advice.hasPrefix("None needed") ?? true)
  }

  @Test("a tag that another program removes is searched for, and no action is needed")
  func removedByAnother() throws {
    let watch = try fixture.connected()
    let core = fixture.manager.core
    let device = try #require(core.devices(of: WorldFixture.identifier).first)
    let adapter = try #require(core.cache.adapters.first)
    watch.forget()
    try fixture.outcome { try await adapter.remove(device) }.get()
    fixture.run(until: { watch.isConnected }, within: .seconds(20))
    #expect(watch.isConnected)
    #expect(!watch.states.compactMap(\.reason).isEmpty)
    #expect(watch.states.compactMap(\.reason).allSatisfy { $0.advice.hasPrefix("None needed") })
  }

  // MARK: The adapter

  @Test("an adapter chosen by its address is the same under another name")
  func otherName() throws {
    let chosen = try WorldFixture(adapter: "00:1A:7D:DA:71:13")
    let watch = try chosen.connected()
    for name in ["hci2", "hci0", "hci7"] {
      let old = watch.tag
      try chosen.happen("adapter removed")
      chosen.stepped.pass(.seconds(2))
      try chosen.happen("adapter added as \(name)")
      chosen.run(until: { watch.isConnected && watch.tag !== old }, within: .seconds(30))
      #expect(watch.isConnected)
    }
  }

  @Test("a scan and a connection continue after suspend")
  func suspended() throws {
    let two = try WorldFixture(tags: 2)
    let watch = try two.connected()
    var others = 0
    var options = Scan.Options()
    options.everyReport = true
    let scan = two.manager.scan(options) {
      if $0.serial == "T001" { others += 1 }
    } onEnd: { _, _ in
    }
    two.stepped.pass(.seconds(1))
    try two.happen("suspend for 300s")
    two.stepped.pass(.seconds(299))
    #expect(!watch.isConnected)
    let before = others
    two.run(until: { watch.isConnected }, within: .seconds(30))
    #expect(watch.isConnected)
    #expect(others > before)
    scan.stop()
  }

  // MARK: Discovery

  @Test("if the controller refuses to scan, discovery is stopped and retried", arguments: [1, 3, 6])
  func refusedDiscovery(_ times: Int) throws {
    try fixture.happen("discovery refused \(times) times")
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    #expect(watch.states.map(\.attempt).max() == 1)
  }

  @Test("the filter is set again after a tag has been connected during a scan")
  func filterAfterConnect() throws {
    let scan = fixture.manager.scan { _ in
    } onEnd: { _, _ in
    }
    fixture.stepped.pass(.seconds(1))
    let members = Recorder<String>()
    fixture.daemon.called = { _, member in members.note(member) }
    _ = try fixture.connected()
    #expect(members.entries.filter { $0 == "SetDiscoveryFilter" }.count == 1)
    #expect(!members.entries.contains("StopDiscovery") && !members.entries.contains("StartDiscovery"))
    scan.stop()
  }
}
