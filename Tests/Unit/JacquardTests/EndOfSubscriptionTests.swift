import BlueZ
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

/// bluetoothd signals a value once for each StartNotify of any program, and keeps the session beyond the link.
@Suite("The end of a connection's subscriptions")
struct EndOfSubscriptionTests {
  private let bench: WorldFixture

  init() throws {
    bench = try WorldFixture()
    try bench.happen("gear attach levis-trucker")
  }

  private func listen(_ watch: ConnectionWatch) -> Recorder<String> {
    let heard = Recorder<String>()
    watch.connection.notifications.gestures.add { heard.note("gesture \($0.gesture.rawValue)") }
    watch.connection.notifications.battery.add { heard.note("battery \($0.percent)") }
    watch.connection.notifications.rawData.add { heard.note("raw \(Array($0))") }
    return heard
  }

  private func connected(_ manager: Manager) throws -> ConnectionWatch {
    let watch = ConnectionWatch(try manager.connect(WorldFixture.identifier))
    #expect(bench.run(until: { watch.isConnected }, within: .seconds(30)))
    return watch
  }

  private func speakAndListen(_ watch: ConnectionWatch) throws {
    let heard = listen(watch)
    for line in ["gesture brush-in", "gesture brush-in", "battery 41", "raw-packet 1 07"] { try bench.happen(line) }
    #expect(heard.entries == ["gesture 2", "gesture 2", "battery 41", "raw [7]"])
    let tag = try #require(watch.tag)
    #expect(code(bench.outcome { try await tag.readBattery() }) == nil)
    let counts = watch.connection.notifications.statistics.counts
    #expect(counts.droppedResponses == 0)
    #expect(counts.droppedFragments == 0)
  }

  @Test("the next manager receives every value once while the previous one still exists", arguments: [1, 2, 5])
  func handOver(_ times: Int) throws {
    var managers = [bench.manager!]
    for _ in 0..<times { managers.append(try bench.anotherManager()) }
    for manager in managers {
      let watch = try connected(manager)
      try speakAndListen(watch)
      watch.connection.end(.disconnected)
      #expect(bench.run(until: { watch.hasEnded }, within: .seconds(30)))
    }
    #expect(bench.tag.violations == [])
  }

  @Test(
    "the next manager receives every value once, however the previous connection ended",
    arguments: ["out-of-range", "connect hangs", "resolve incomplete"])
  func handOverAfter(_ event: String) throws {
    let first = try connected(bench.manager)
    let second = try bench.anotherManager()
    try bench.happen(event)
    try bench.happen("drop link")
    bench.stepped.pass(.seconds(30))
    first.connection.end(.disconnected)
    #expect(bench.run(until: { first.hasEnded }, within: .seconds(60)))
    for line in ["in-range", "connect works", "resolve works"] { try bench.happen(line) }
    try speakAndListen(try connected(second))
  }

  @Test("each subscription is ended once, when the link is down, except for a lost link that is re-established")
  func calls() throws {
    let calls = Recorder<String>()
    let watch = try bench.connected()
    bench.daemon.called = { [bench] _, member in
      if member == "StopNotify" { calls.note("connected: \(bench.manager.cache.devices.contains { $0.connected })") }
    }
    for event in ["drop link", "out-of-range for 5s", "adapter removed for 2s", "bluetoothd restart after 1s"] {
      let old = watch.tag
      try bench.happen(event)
      #expect(bench.run(until: { watch.isConnected && watch.tag !== old }, within: .seconds(60)))
    }
    #expect(calls.entries == [])
    watch.connection.end(.disconnected)
    bench.run(until: { watch.hasEnded })
    bench.settle()
    #expect(calls.entries == Array(repeating: "connected: false", count: 3))
    #expect(bench.daemon.whatClientsKeep == [])
  }

  @Test("a link that was probed and not taken over leaves no subscription either")
  func askedAbout() throws {
    let first = try bench.connected()
    let second = try bench.anotherManager()
    bench.manager.close()
    let watch = ConnectionWatch(try second.connect(WorldFixture.identifier))
    bench.stepped.pass(.milliseconds(500))
    watch.connection.end(.disconnected)
    bench.run(until: { watch.hasEnded })
    _ = first
    try speakAndListen(try connected(try bench.anotherManager()))
  }
}
