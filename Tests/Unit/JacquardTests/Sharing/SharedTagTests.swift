import EventLoop
import Glibc
import JacquardWire
import Sharing
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

/// Several managers, like those of several programs, that use one tag through the service.
@Suite("A shared tag")
struct SharedTagTests {
  let fixture: WorldFixture

  init(timeMoves: Bool = false) throws {
    fixture = try WorldFixture(sharing: true, timeMoves: timeMoves)
    fixture.world.complain = { Issue.record("\($0)") }
    try fixture.happen("gear attach levis-trucker")
  }

  func connect(
    _ manager: Manager, _ options: Connection.Options = Connection.Options()
  ) throws -> ConnectionWatch {
    ConnectionWatch(try manager.connect(WorldFixture.identifier, options))
  }

  func connected(_ manager: Manager) throws -> ConnectionWatch {
    let watch = try connect(manager)
    #expect(fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(60)))
    try #require(watch.isConnected, "\(String(describing: watch.connection.state.reason))")
    return watch
  }

  /// Two programs, both connected, with their gear announced.
  func pair() throws -> (first: ConnectionWatch, second: ConnectionWatch, secondManager: Manager) {
    let other = try fixture.anotherManager()
    let first = try connected(fixture.manager)
    let second = try connected(other)
    #expect(
      fixture.run(
        until: { [first, second].allSatisfy { ($0.connection.gear.gear ?? nil) != nil } }, within: .seconds(10)))
    return (first, second, other)
  }

  func listen(_ watch: ConnectionWatch) -> Recorder<String> {
    let heard = Recorder<String>()
    let notifications = watch.connection.notifications
    notifications.gestures.add { heard.note("gesture \($0.gesture.rawValue)") }
    notifications.battery.add { heard.note("battery \($0.percent)") }
    notifications.raw.packets.add { heard.note("raw \(Array($0))") }
    return heard
  }

  func battery(_ watch: ConnectionWatch) throws -> Result<UInt32, any Error> {
    let tag = try #require(watch.tag)
    return fixture.outcome { try await tag.readBattery().percent }
  }

  func works(_ watch: ConnectionWatch) throws {
    try fixture.happen("battery 42")
    #expect(try battery(watch).get() == 42)
  }

  // MARK: States

  @Test("programs see the same states and the same tag, over one link of the service")
  func together() throws {
    let others = try (0..<5).map { _ in try fixture.anotherManager() }
    let watches = try ([fixture.manager!] + others).map { try connect($0) }
    fixture.run(until: { watches.allSatisfy { ($0.connection.gear.gear ?? nil) != nil } }, within: .seconds(60))
    for watch in watches {
      #expect(watch.connection.state.serviceProcess == getpid())
      #expect(watch.connection.state.step == Step.connected.rawValue)
      #expect(watch.tag?.info == watches[0].tag?.info)
      #expect(watch.connection.name.name == watches[0].connection.name.name)
      #expect(watch.connection.gear.gear??.info.uuid == watches[0].connection.gear.gear??.info.uuid)
      #expect(watch.phases == watches[0].phases)
      try works(watch)
    }
    #expect(fixture.tag.violations == [])
  }

  private func strength(_ watch: ConnectionWatch) -> Int16? {
    watch.connection.notifications.statistics.counts.rssi
  }

  /// Returns when the manager has received an advertisement with about this strength.
  private func scan(_ manager: Manager, strength: Int16) throws {
    try fixture.happen("rssi \(strength)")
    var options = Scan.Options()
    options.everyReport = true
    var isHeard = false
    let scan = manager.scan(options) {
      if let rssi = $0.rssi, abs(rssi - strength) <= 2 { isHeard = true }
    } onEnd: { _, _ in
    }
    #expect(fixture.run(until: { isHeard }, within: .seconds(10)))
    scan.stop()
    fixture.settle()
  }

  @Test("a program has the signal strength that the service received last")
  func signalStrength() throws {
    let other = try fixture.anotherManager()
    try scan(other, strength: -80)
    let first = try connected(fixture.manager)
    try fixture.happen("rssi -42")
    let second = try connected(other)
    #expect(strength(first) != nil)
    #expect(strength(second) == strength(first))
  }

  @Test("a program has the signal strength before the tag is connected")
  func earlySignalStrength() throws {
    try fixture.happen("connect hangs once")
    let first = try connect(fixture.manager)
    let second = try connect(try fixture.anotherManager())
    fixture.run(until: { first.connection.state.step == Step.tagKnown.rawValue }, within: .seconds(10))
    fixture.settle()
    #expect(strength(first) != nil)
    #expect(strength(second) == strength(first))
    #expect(!second.isConnected)
  }

  @Test("a lost link is reported to all programs with its reason, and the next one connects them again")
  func lostLink() throws {
    let (first, second, _) = try pair()
    let old = second.tag
    second.forget()
    try fixture.happen("drop link")
    fixture.run(until: { first.isConnected && second.isConnected && second.tag !== old }, within: .seconds(60))
    #expect(second.states.first?.phase == .preparing)
    #expect(second.reasons == [.connectionLost])
    #expect(second.isConnected)
    #expect(code(fixture.outcome { try await old?.readBattery() }) == .staleTag)
    try works(second)
  }

  @Test("a program that joins while the service searches sees its states, and has its own time limit")
  func absent() throws {
    try fixture.happen("out-of-range")
    let first = try connect(fixture.manager)
    fixture.stepped.pass(.seconds(1))
    var options = Connection.Options()
    options.timeout = .after(.seconds(5))
    let second = try connect(try fixture.anotherManager(), options)
    fixture.run(until: { second.hasEnded }, within: .seconds(10))
    #expect(second.hasEnded)
    #expect([.timeout, .notFound].contains(second.connection.state.reason?.code))
    #expect(!first.hasEnded)
    let third = try connect(try fixture.anotherManager())
    try fixture.happen("in-range")
    fixture.run(until: { third.isConnected && first.isConnected }, within: .seconds(60))
    #expect(third.isConnected && first.isConnected)
  }

  // MARK: Commands

  @Test("commands of all programs get their own responses")
  func commands() throws {
    let (first, second, other) = try pair()
    let third = try connected(try fixture.anotherManager())
    withExtendedLifetime(other) {}
    let done = Recorder<String>()
    for (name, watch) in [("first", first), ("second", second), ("third", third)] {
      let tag = try #require(watch.tag)
      for _ in 0..<20 {
        fixture.loop.spawn {
          do { done.note("\(name) \(try await tag.readBattery().percent)") } catch { done.note("\(name) \(error)") }
        }
      }
    }
    try fixture.happen("battery 77")
    fixture.run(until: { done.entries.count == 60 }, within: .seconds(60))
    #expect(done.entries.count == 60)
    for name in ["first", "second", "third"] { #expect(done.entries.filter { $0 == "\(name) 77" }.count == 20) }
    #expect(fixture.tag.violations == [])
  }

  @Test("no program waits for all commands of another")
  func fairness() throws {
    let (first, second, _) = try pair()
    let done = Recorder<String>()
    for (name, watch, count) in [("first", first, 30), ("second", second, 1)] {
      let tag = try #require(watch.tag)
      for _ in 0..<count {
        fixture.loop.spawn {
          _ = try? await tag.readBattery()
          done.note(name)
        }
      }
    }
    fixture.run(until: { done.entries.count == 31 }, within: .seconds(60))
    #expect((done.entries.firstIndex(of: "second") ?? 31) < 5)
  }

  @Test("an error response reaches the program unchanged")
  func errorResponse() throws {
    let (_, second, _) = try pair()
    try fixture.happen("on request battery once: status 5")
    let tag = try #require(second.tag)
    let outcome = fixture.outcome { try await tag.readBattery() }
    #expect(code(outcome) == .tagStatus)
    try works(second)
  }

  @Test("the time limit of a program's command starts when the tag has the request")
  func ownTimeLimit() throws {
    let (_, second, _) = try pair()
    try fixture.happen("on request battery once: delay 400ms")
    let tag = try #require(second.tag)
    let began = fixture.loop.now
    #expect(code(fixture.outcome { try await tag.readBattery(deadline: .milliseconds(200)) }) == .timeout)
    #expect((200...250).contains(began.duration(to: fixture.loop.now) / .milliseconds(1)))
    try works(second)
  }

  @Test("the end of a program withdraws its commands, and leaves the others alone")
  func guestEnds() throws {
    let (first, second, _) = try pair()
    let done = Recorder<String>()
    let (mine, theirs) = (try #require(first.tag), try #require(second.tag))
    fixture.loop.spawn { done.note("first \((try? await mine.readBattery()) != nil)") }
    for _ in 0..<5 {
      fixture.loop.spawn {
        do { _ = try await theirs.readBattery() } catch { done.note("second \(error)") }
      }
    }
    second.connection.end(.disconnected)
    fixture.run(until: { second.hasEnded && done.entries.count >= 6 }, within: .seconds(30))
    #expect(second.hasEnded)
    #expect(second.connection.state.reason == nil)
    #expect(done.entries.contains("first true"))
    #expect(first.isConnected && first.reasons == [])
    try works(first)
  }

  @Test("a cancelled command of a program that waits for its turn is not sent")
  func withdrawn() throws {
    let (first, second, _) = try pair()
    let (mine, theirs) = (try #require(first.tag), try #require(second.tag))
    try fixture.happen("latency 1s")
    fixture.loop.spawn { _ = try? await mine.readBattery() }
    fixture.stepped.pass(.milliseconds(100))
    let light = try LEDPattern(.solid, [], haltsAll: true)
    let blink = fixture.loop.spawn { _ = try? await theirs.component.play(light) }
    fixture.stepped.pass(.milliseconds(100))
    blink.cancel()
    fixture.stepped.pass(.seconds(5))
    try fixture.happen("latency 0ms")
    try works(second)
    #expect(fixture.tag.journal.lights.isEmpty)
  }

  @Test("a program renames the tag for all programs")
  func rename() throws {
    let (first, second, _) = try pair()
    let tag = try #require(second.tag)
    let outcome = fixture.outcome { try await tag.rename("Jacket") }
    #expect(code(outcome) == nil)
    fixture.run(
      until: { [first, second].allSatisfy { $0.isConnected && $0.connection.name.name == "Jacket" } },
      within: .seconds(60))
    #expect([first, second].map(\.connection.name.name) == ["Jacket", "Jacket"])
  }
}
