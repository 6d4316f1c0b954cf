import BlueZ
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

/// bluetoothd signals a value once for each StartNotify of any program, and keeps the session beyond the link.
@Suite("The end of a connection's subscriptions")
struct EndOfSubscriptionTests {
  private let fixture: WorldFixture

  init() throws {
    fixture = try WorldFixture()
    try fixture.happen("gear attach levis-trucker")
  }

  private func listen(_ watch: ConnectionWatch) -> Recorder<String> {
    let heard = Recorder<String>()
    watch.connection.notifications.gestures.add { heard.note("gesture \($0.gesture.rawValue)") }
    watch.connection.notifications.battery.add { heard.note("battery \($0.percent)") }
    watch.connection.notifications.raw.packets.add { heard.note("raw \(Array($0))") }
    return heard
  }

  private func connected(_ manager: Manager) throws -> ConnectionWatch {
    let watch = ConnectionWatch(try manager.connect(WorldFixture.identifier))
    #expect(fixture.run(until: { watch.isConnected }, within: .seconds(30)))
    return watch
  }

  private func speakAndListen(_ watch: ConnectionWatch) throws {
    let heard = listen(watch)
    for line in ["gesture brush-in", "gesture brush-in", "battery 41", "raw-packet 1 07"] { try fixture.happen(line) }
    #expect(heard.entries == ["gesture 2", "gesture 2", "battery 41", "raw [7]"])
    let tag = try #require(watch.tag)
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
    let counts = watch.connection.notifications.statistics.counts
    #expect(counts.droppedResponses == 0)
    #expect(counts.droppedFragments == 0)
  }

  @Test("the next manager receives every value once while the previous one still exists", arguments: [1, 2, 5])
  func handOver(_ times: Int) throws {
    var managers = [fixture.manager!]
    for _ in 0..<times { managers.append(try fixture.anotherManager()) }
    for manager in managers {
      let watch = try connected(manager)
      try speakAndListen(watch)
      watch.connection.end(.disconnected)
      #expect(fixture.run(until: { watch.hasEnded }, within: .seconds(30)))
    }
    #expect(fixture.tag.violations == [])
  }

  @Test(
    "the next manager receives every value once, however the previous connection ended",
    arguments: ["out-of-range", "connect hangs", "resolve incomplete"])
  func handOverAfter(_ event: String) throws {
    let first = try connected(fixture.manager)
    let second = try fixture.anotherManager()
    try fixture.happen(event)
    try fixture.happen("drop link")
    fixture.stepped.pass(.seconds(30))
    first.connection.end(.disconnected)
    #expect(fixture.run(until: { first.hasEnded }, within: .seconds(60)))
    for line in ["in-range", "connect works", "resolve works"] { try fixture.happen(line) }
    try speakAndListen(try connected(second))
  }

  @Test("each subscription is ended once, when the link is down, except for a lost link that is re-established")
  func calls() throws {
    let calls = Recorder<String>()
    let watch = try fixture.connected()
    fixture.daemon.called = { [fixture] _, member in
      if member == "StopNotify" { calls.note("connected: \(fixture.manager.cache.devices.contains { $0.connected })") }
    }
    for event in ["drop link", "out-of-range for 5s", "adapter removed for 2s", "bluetoothd restart after 1s"] {
      let old = watch.tag
      try fixture.happen(event)
      #expect(fixture.run(until: { watch.isConnected && watch.tag !== old }, within: .seconds(60)))
    }
    #expect(calls.entries == [])
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
    fixture.settle()
    #expect(calls.entries == Array(repeating: "connected: false", count: 3))
    #expect(fixture.daemon.whatClientsKeep == [])
  }

  @Test("a link that was probed and not taken over leaves no subscription either")
  func askedAbout() throws {
    let first = try fixture.connected()
    let second = try fixture.anotherManager()
    fixture.manager.close()
    let watch = ConnectionWatch(try second.connect(WorldFixture.identifier))
    fixture.stepped.pass(.milliseconds(500))
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
    _ = first
    try speakAndListen(try connected(try fixture.anotherManager()))
  }
}
