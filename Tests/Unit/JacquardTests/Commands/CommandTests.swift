import EventLoop
import JacquardWire
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

@Suite("Commands to a tag")
struct CommandTests {
  let fixture: WorldFixture
  let watch: ConnectionWatch
  private let tag: Jacquard.Tag
  let outcome = Recorder<String>()

  init() throws {
    fixture = try WorldFixture()
    watch = try fixture.connected()
    tag = try #require(watch.tag)
  }

  /// Sends a command and records its result under `name`.
  func give(_ name: String, _ body: @escaping () async throws -> Any) {
    fixture.loop.spawn { [outcome] in
      do {
        let answer = try await body()
        outcome.note(answer is Void ? name : "\(name) \(answer)")
      } catch let error as JacquardError {
        outcome.note("\(name) \(error.code)")
      } catch {
        outcome.note("\(name) \(error)")
      }
    }
    fixture.settle()
  }

  func giveBattery(_ name: String, deadline: Duration? = nil) {
    give(name) { [tag] in try await tag.readBattery(deadline: deadline).percent }
  }

  var kinds: [RequestKind] { Array(fixture.tag.journal.kinds.dropFirst(4)) }

  var attached: Component? { watch.connection.gear.gear ?? nil }

  private func key(_ name: String) throws -> ConfigurationKey {
    try ConfigurationKey(vendorID: 0, productID: 0, key: name)
  }

  // MARK: Order

  @Test("a repeated read keeps its place")
  func repeatedInPlace() throws {
    let key = try key("k")
    try fixture.outcome { [tag] in try await tag.setValue(.uint32(1), at: key) }.get()
    try fixture.happen("on request config-get once: drop")
    give("get") { [tag] in try await tag.value(at: key) as Any }
    give("set") { [tag] in try await tag.setValue(.uint32(2), at: key) }
    fixture.stepped.pass(.seconds(20))
    #expect(outcome.entries == ["get Optional(Jacquard.ConfigurationValue.uint32(1))", "set"])
    #expect(kinds == [.configSet, .configGet, .configGet, .configSet])
    #expect(fixture.tag.violations == [])
  }

  @Test("a command of several requests keeps its place")
  func severalRequests() throws {
    try fixture.happen("gear attach levis-trucker")
    let gear = try #require(attached)
    try fixture.happen("latency 30ms")
    give("touch") { try await gear.setTouchMode(.continuous) }
    giveBattery("battery")
    fixture.stepped.pass(.seconds(1))
    #expect(outcome.entries == ["touch", "battery 80"])
  }

  @Test("a command that waits for a report of the tag keeps its place")
  func report() throws {
    try fixture.happen("module installed")
    let modules = try fixture.outcome { [tag] in try await tag.modules() }.get()
    let module = try #require(modules.first)
    try fixture.happen("load-report never")
    give("load") { [tag] in try await tag.load(module) }
    giveBattery("battery")
    fixture.stepped.pass(.seconds(20))
    #expect(outcome.entries == ["load timeout", "battery 80"])
  }

  @Test("a command that cannot be sent completes in its turn")
  func unsupported() throws {
    try fixture.happen("on request battery once: delay 1s")
    giveBattery("battery")
    let haptic = try Haptic(.constant, onMilliseconds: 1, offMilliseconds: 1, amplitude: 1, repeats: 0)
    give("haptic") { [tag] in try await tag.component.play(haptic) }
    give("raw") { [tag] in try await tag.sendRaw([]) }
    give("name") { [tag] in try await tag.rename("") }
    #expect(outcome.entries == [])
    fixture.stepped.pass(.seconds(2))
    #expect(outcome.entries == ["battery 80", "haptic unsupported", "raw invalidArgument", "name invalidArgument"])
  }

  @Test("packets of the raw data channel are commands like any other")
  func rawData() throws {
    try fixture.happen("on request battery once: delay 1s")
    giveBattery("battery")
    give("raw") { [tag] in try await tag.sendRaw([1, 2]) }
    giveBattery("again")
    #expect(fixture.tag.journal.rawPackets == [])
    fixture.stepped.pass(.seconds(2))
    #expect(outcome.entries == ["battery 80", "raw", "again 80"])
    #expect(fixture.tag.journal.rawPackets == [[1, 2]])
  }

  @Test("on a lost link the command in flight fails before the waiting ones, in order")
  func lostLink() throws {
    try fixture.happen("on request any: drop")
    for name in ["a", "b", "c"] { giveBattery(name) }
    give("raw") { [tag] in try await tag.sendRaw([1]) }
    try fixture.happen("drop link")
    #expect(outcome.entries == ["a", "b", "c", "raw"].map { $0 + " connectionLost" })
  }

  @Test("a command that waits for a report when the link is lost fails immediately, before later ones")
  func lostLinkDuringReport() throws {
    try fixture.happen("module installed")
    let modules = try fixture.outcome { [tag] in try await tag.modules() }.get()
    let module = try #require(modules.first)
    try fixture.happen("load-report never")
    give("load") { [tag] in try await tag.load(module) }
    giveBattery("battery")
    let before = fixture.now
    try fixture.happen("drop link")
    #expect(outcome.entries == ["load connectionLost", "battery connectionLost"])
    #expect(fixture.now == before)
    give("load") { [tag] in try await tag.load(module) }
    #expect(outcome.entries.last == "load staleTag")
  }

  // MARK: Time limits

  @Test("a short time limit ends the wait, not the request: no response is late, no request too early")
  func shortLimit() throws {
    try fixture.happen("on request battery once: delay 1s")
    let before = fixture.now
    giveBattery("short", deadline: .milliseconds(500))
    giveBattery("patient")
    fixture.run(until: { outcome.entries.count == 1 })
    #expect(before.duration(to: fixture.now) == .milliseconds(500))
    fixture.run(until: { outcome.entries.count == 2 })
    #expect(before.duration(to: fixture.now) == .seconds(1))
    #expect(outcome.entries == ["short timeout", "patient 80"])
    #expect(kinds == [.battery, .battery])
    #expect(fixture.tag.violations == [])
  }

  @Test("a command whose caller no longer waits blocks the tag no longer than the tag's time limit")
  func abandoned() throws {
    try fixture.happen("on request battery once: drop")
    let before = fixture.now
    giveBattery("short", deadline: .milliseconds(500))
    giveBattery("patient")
    fixture.run(until: { outcome.entries.count == 2 })
    #expect(before.duration(to: fixture.now) == .seconds(8))
    #expect(outcome.entries == ["short timeout", "patient 80"])
    #expect(fixture.tag.violations == [])
  }

  @Test("a time limit covers every repetition")
  func limitOfRepetitions() throws {
    try fixture.happen("on request battery: drop")
    let before = fixture.now
    giveBattery("read", deadline: .seconds(10))
    fixture.run(until: { outcome.entries.count == 1 })
    #expect(before.duration(to: fixture.now) == .seconds(10))
    #expect(outcome.entries == ["read timeout"])
    #expect(kinds == [.battery, .battery])
    #expect(fixture.tag.violations == [])
  }

  @Test("a time limit longer than the tag's is honoured")
  func longLimit() throws {
    try fixture.happen("on request led once: delay 50s")
    let before = fixture.now
    let light = try LEDPattern(.solid, [], haltsAll: true)
    give("light") { [tag] in try await tag.component.play(light, deadline: .seconds(60)) }
    fixture.run(until: { outcome.entries.count == 1 })
    #expect(outcome.entries == ["light"])
    #expect(before.duration(to: fixture.now) == .seconds(50))
  }

  @Test("a read without a time limit is sent three times, eight seconds apart")
  func repetitions() throws {
    try fixture.happen("on request battery: drop")
    let before = fixture.now
    giveBattery("read")
    fixture.run(until: { outcome.entries.count == 1 })
    #expect(before.duration(to: fixture.now) == .seconds(24))
    #expect(kinds == [.battery, .battery, .battery])
  }

  @Test("only reads are repeated")
  func whatIsRepeated() throws {
    let key = try key("k")
    let module = Module(vendorID: 1, productID: 2, moduleID: 3)
    try fixture.happen("on request any: drop")
    give("battery") { [tag] in try await tag.readBattery() }
    give("info") { [tag] in try await tag.component.readInfo() }
    give("configuration") { [tag] in try await tag.readConfiguration() }
    give("get") { [tag] in try await tag.value(at: key) as Any }
    give("modules") { [tag] in try await tag.modules() }
    let light = try LEDPattern(.solid, [], haltsAll: true)
    give("light") { [tag] in try await tag.component.play(light) }
    give("set") { [tag] in try await tag.setValue(.bool(true), at: key) }
    give("load") { [tag] in try await tag.load(module) }
    give("delete") { [tag] in try await tag.delete(module) }
    give("disconnect") { [tag] in try await tag.requestDisconnect() }
    fixture.stepped.pass(.seconds(200))
    #expect(outcome.entries.count == 10 && outcome.entries.allSatisfy { $0.hasSuffix(" timeout") })
    let reads: [RequestKind] = [.battery, .deviceInfo, .configRead, .configGet, .listModules]
    #expect(
      kinds == reads.flatMap { [$0, $0, $0] } + [.led, .configSet, .loadModule, .deleteModule, .disconnect])
    #expect(fixture.tag.violations == [])
  }

  @Test("a request to disconnect completes when the link is down; with a delay, when the tag has accepted it")
  func requestDisconnect() throws {
    func linkIsDown(_ tag: Jacquard.Tag, _ delay: UInt32) throws -> Bool {
      try fixture.outcome { [connection = watch.connection] in
        try await tag.requestDisconnect(afterSeconds: delay)
        return tag.isStale && connection.state.tag == nil
      }.get()
    }
    #expect(try !linkIsDown(tag, 3))
    fixture.run(until: { watch.isConnected && tag.isStale }, within: .seconds(20))
    #expect(try linkIsDown(try #require(watch.tag), 0))
  }

  @Test("a response to an earlier attempt completes the command, and the next one waits for the response to the last")
  func earlierAttempt() throws {
    try fixture.happen("on request battery once: delay 9s")
    try fixture.happen("on request battery once: delay 3s")
    let before = fixture.now
    giveBattery("read")
    giveBattery("next")
    fixture.run(until: { outcome.entries.count == 1 })
    #expect(before.duration(to: fixture.now) == .seconds(9))
    #expect(kinds.count == 2)
    fixture.run(until: { outcome.entries.count == 2 })
    #expect(before.duration(to: fixture.now) == .seconds(11))
    #expect(outcome.entries == ["read 80", "next 80"])
    #expect(fixture.tag.violations == [])
  }

  // MARK: Responses that cannot be decoded

  @Test("a response that cannot be decoded is reported immediately")
  func garbage() throws {
    try fixture.happen("on request battery once: garbage")
    let before = fixture.now
    giveBattery("garbage")
    #expect(outcome.entries == ["garbage malformedResponse"])
    #expect(fixture.now == before)
    #expect(watch.connection.notifications.statistics.counts.droppedResponses == 1)
    giveBattery("next")
    fixture.stepped.pass(.seconds(8))
    #expect(outcome.entries == ["garbage malformedResponse", "next 80"])
    #expect(fixture.tag.violations == [])
  }

  @Test("a wrong or damaged response is ignored", arguments: ["wrong-id", "corrupt truncated", "corrupt header"])
  func wrong(_ reaction: String) throws {
    try fixture.happen("on request battery once: \(reaction)")
    giveBattery("read")
    fixture.stepped.pass(.seconds(9))
    #expect(outcome.entries == ["read 80"])
    #expect(kinds.count == 2)
  }
}
