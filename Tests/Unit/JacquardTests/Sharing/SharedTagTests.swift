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
  private let fixture: WorldFixture

  init(timeMoves: Bool = false) throws {
    fixture = try WorldFixture(sharing: true, timeMoves: timeMoves)
    fixture.world.complain = { Issue.record("\($0)") }
    try fixture.happen("gear attach levis-trucker")
  }

  private func connect(
    _ manager: Manager, _ options: Connection.Options = Connection.Options()
  ) throws -> ConnectionWatch {
    ConnectionWatch(try manager.connect(WorldFixture.identifier, options))
  }

  private func connected(_ manager: Manager) throws -> ConnectionWatch {
    let watch = try connect(manager)
    #expect(fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(60)))
    try #require(watch.isConnected, "\(String(describing: watch.connection.state.reason))")
    return watch
  }

  /// Two programs, both connected, with their gear announced.
  private func pair() throws -> (first: ConnectionWatch, second: ConnectionWatch, secondManager: Manager) {
    let other = try fixture.anotherManager()
    let first = try connected(fixture.manager)
    let second = try connected(other)
    #expect(
      fixture.run(
        until: { [first, second].allSatisfy { ($0.connection.gear.gear ?? nil) != nil } }, within: .seconds(10)))
    return (first, second, other)
  }

  private func listen(_ watch: ConnectionWatch) -> Recorder<String> {
    let heard = Recorder<String>()
    let notifications = watch.connection.notifications
    notifications.gestures.add { heard.note("gesture \($0.gesture.rawValue)") }
    notifications.battery.add { heard.note("battery \($0.percent)") }
    notifications.raw.packets.add { heard.note("raw \(Array($0))") }
    return heard
  }

  private func battery(_ watch: ConnectionWatch) throws -> Result<UInt32, any Error> {
    let tag = try #require(watch.tag)
    return fixture.outcome { try await tag.readBattery().percent }
  }

  private func works(_ watch: ConnectionWatch) throws {
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

  // MARK: Events

  @Test("each program receives every event once")
  func events() throws {
    let (first, second, _) = try pair()
    let heard = [first, second].map(listen)
    for line in ["gesture brush-in", "gesture brush-in", "battery 41", "raw-packet 1 07"] { try fixture.happen(line) }
    for record in heard { #expect(record.entries == ["gesture 2", "gesture 2", "battery 41", "raw [7]"]) }
    #expect(second.connection.notifications.statistics.counts.droppedCopies == 0)
  }

  @Test(
    "an event that is damaged is counted by every program",
    arguments: ["counter", "header", "truncated", "oversized"])
  func damaged(_ damage: String) throws {
    let (first, second, _) = try pair()
    let heard = [first, second].map(listen)
    let before = [first, second].map(lost)
    try fixture.happen("corrupt notification \(damage)")
    for name in ["brush-in", "brush-out"] { try fixture.happen("gesture \(name)") }
    #expect(heard[0].entries.last == "gesture 3" && heard[0].entries == heard[1].entries)
    let losses = zip([first, second].map(lost), before).map { $0 - $1 }
    #expect(losses[0] > 0 && losses[0] == losses[1])
  }

  @Test("an event that cannot be understood is counted once by every program")
  func incomprehensible() throws {
    let (first, second, _) = try pair()
    let before = [first, second].map(lost)
    for line in ["packet notification ffff", "packet notification 08031001"] { try fixture.happen(line) }
    let losses = zip([first, second].map(lost), before).map { $0 - $1 }
    #expect(losses[0] > 0 && losses[0] == losses[1])
  }

  @Test("all programs mark the same gestures as possible copies")
  func possibleCopies() throws {
    let (first, second, _) = try pair()
    let heard = Recorder<String>()
    for (name, watch) in [("first", first), ("second", second)] {
      watch.connection.notifications.gestures.add {
        heard.note("\(name) \($0.gesture.rawValue)\($0.mayBeCopy ? ", may be a copy" : "")")
      }
    }
    try fixture.happen("foreign subscribe")
    try fixture.happen("gesture cover")
    for name in ["first", "second"] {
      #expect(heard.entries.filter { $0.hasPrefix(name) } == ["\(name) 7", "\(name) 7, may be a copy"])
    }
  }

  @Test("a gesture arrived when the service received it, also in an unusual form", arguments: ["", "20 01"])
  func arrival(_ unknownField: String) throws {
    // Each reading of the clock is another one.
    let suite = try Self(timeMoves: true)
    let (first, second, _) = try suite.pair()
    let arrivals = Recorder<Int64>()
    for watch in [first, second] { watch.connection.notifications.gestures.add { arrivals.note($0.arrival) } }
    try suite.fixture.happen("packet notification 08 08 10 18 18 65 aa 39 04 0a 02 08 02 \(unknownField)")
    #expect(arrivals.entries.count == 2 && arrivals.entries[0] == arrivals.entries[1])
  }

  @Test(
    "warnings about the tag reach every program, and all of them name it",
    arguments: [
      ("foreign subscribe", "another program is subscribed"), ("corrupt notification truncated", "dropped"),
    ])
  func warnings(_ event: String, _ warning: String) throws {
    let (first, second, _) = try pair()
    fixture.log.entries = []
    try fixture.happen(event)
    for name in ["cover", "cover", "brush-in"] { try fixture.happen("gesture \(name)") }
    let found = fixture.log.entries.filter { $0.contains(warning) }
    #expect(found.count { $0.hasPrefix("service: warning ") } == 1)
    #expect(found.count { $0.hasPrefix("warning ") } == 2)
    #expect(found.allSatisfy { $0.contains(" \(WorldFixture.identifier.text): ") })
    #expect(first.isConnected && second.isConnected)
  }

  private func lost(_ watch: ConnectionWatch) -> UInt64 {
    let counts = watch.connection.notifications.statistics.counts
    return counts.droppedNotifications + counts.droppedFragments
  }

  @Test("gear that is detached and attached is reported to every program")
  func gear() throws {
    let (first, second, _) = try pair()
    try fixture.happen("gear detach")
    #expect([first, second].allSatisfy { ($0.connection.gear.gear ?? nil) === nil })
    try fixture.happen("gear attach levis-trucker")
    fixture.run(until: { (second.connection.gear.gear ?? nil) != nil }, within: .seconds(5))
    #expect((second.connection.gear.gear ?? nil) != nil)
  }

  @Test("the mode that one program sets stays when another one joins, and after a lost link")
  func touchMode() throws {
    let (first, second, _) = try pair()
    let component = try #require(second.connection.gear.gear ?? nil)
    #expect(code(fixture.outcome { try await component.setTouchMode(.continuous) }) == nil)
    let third = try connected(try fixture.anotherManager())
    fixture.run(until: { (third.connection.gear.gear ?? nil) != nil }, within: .seconds(5))
    let touches = [first, second, third].map { watch in
      let touches = Recorder<UInt32>()
      watch.connection.notifications.touches.add { touches.note($0.frame.sequence) }
      return touches
    }
    for _ in 0..<50 { try fixture.happen("touch 9 1 2 3 4 5 6 7 8 9 10 11 12") }
    #expect(touches.allSatisfy { $0.entries.count == 50 })
    let old = first.tag
    try fixture.happen("drop link")
    fixture.run(
      until: { first.tag != nil && first.tag !== old && (first.connection.gear.gear ?? nil) != nil },
      within: .seconds(60))
    try fixture.happen("touch 9 1 2 3 4 5 6 7 8 9 10 11 12")
    #expect(touches.allSatisfy { $0.entries.count == 51 })
  }

  @Test("every program knows which process has set the mode, until that one no longer uses the tag")
  func setterOfTouchMode() throws {
    let (first, second, _) = try pair()
    let component = try #require(second.connection.gear.gear ?? nil)
    #expect(first.connection.gear.mode == .init(touchMode: .gesture, process: 0))
    #expect(code(fixture.outcome { try await component.setTouchMode(.continuous) }) == nil)
    let third = try connected(try fixture.anotherManager())
    fixture.run(until: { third.connection.gear.mode != nil }, within: .seconds(5))
    let ofSecond = GearMonitor.Mode(touchMode: .continuous, process: getpid())
    #expect([first, second, third].map(\.connection.gear.mode) == [ofSecond, ofSecond, ofSecond])
    let heard = Recorder<GearMonitor.Mode>()
    first.connection.gear.modes.add { heard.note($0) }
    second.connection.end(.disconnected)
    fixture.run(until: { !heard.entries.isEmpty }, within: .seconds(5))
    #expect(heard.entries == [.init(touchMode: .continuous, process: 0)])
    #expect(third.connection.gear.mode == heard.entries.first)
  }

  @Test("the mode stays when another service or the program itself has the link", arguments: [true, false])
  func touchModeWithoutService(_ returns: Bool) throws {
    let watch = try connected(fixture.manager)
    fixture.run(until: { (watch.connection.gear.gear ?? nil) != nil }, within: .seconds(5))
    let component = try #require(watch.connection.gear.gear ?? nil)
    #expect(code(fixture.outcome { try await component.setTouchMode(.continuous) }) == nil)
    let touches = Recorder<UInt32>()
    watch.connection.notifications.touches.add { touches.note($0.frame.sequence) }
    fixture.endService()
    fixture.settle()
    if returns { try fixture.startService() }
    fixture.run(until: { watch.isConnected && (watch.connection.gear.gear ?? nil) != nil }, within: .seconds(60))
    #expect((watch.connection.state.serviceProcess != 0) == returns)
    try fixture.happen("touch 9 1 2 3 4 5 6 7 8 9 10 11 12")
    #expect(touches.entries.count == 1)
    #expect(watch.connection.gear.mode == .init(touchMode: .continuous, process: getpid()))
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

  // MARK: Programs that end

  /// As with SIGKILL: the channel ends without a word.
  private func kill(_ watch: ConnectionWatch, _ manager: Manager) {
    manager.close()
    withExtendedLifetime(watch) {}
  }

  private enum End: CaseIterable {
    case disconnect, close, kill
  }

  @Test("a program that ends changes nothing for the others", arguments: End.allCases)
  private func programEnds(_ end: End) throws {
    let other = try fixture.anotherManager()
    let leaving = try connected(other)
    let (first, second, _) = try pair()
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    let heard = listen(first)
    let tag = try #require(leaving.tag)
    try fixture.happen("on request battery once: delay 200ms")
    fixture.loop.spawn { _ = try? await tag.readBattery() }
    fixture.stepped.pass(.milliseconds(20))
    let results = readBatteries(3, of: try #require(first.tag))
    switch end {
    case .disconnect: leaving.connection.end(.disconnected)
    case .close: leaving.connection.end(.closed)
    case .kill: kill(leaving, other)
    }
    first.forget()
    try fixture.happen("gesture brush-in")
    fixture.run(until: { results.entries.count == 3 }, within: .seconds(10))
    #expect(results.entries.allSatisfy { $0.hasSuffix("%") })
    #expect(heard.entries.contains("gesture 2"))
    #expect(first.states.isEmpty && first.isConnected && second.isConnected)
    #expect(calls.entries.allSatisfy { $0 == "WriteValue" })
    #expect(fixture.tag.violations == [])
  }

  /// The percentages or the errors of battery requests, in the order in which they complete.
  private func readBatteries(_ count: Int, of tag: Jacquard.Tag) -> Recorder<String> {
    let results = Recorder<String>()
    for number in 1...count {
      fixture.loop.spawn {
        do throws(JacquardError) {
          results.note("\(number): \(try await tag.readBattery().percent) %")
        } catch {
          results.note("\(number): \(error.code)")
        }
      }
    }
    return results
  }

  @Test("the link stays for a while after the last program, and the next one is connected at once")
  func warmLink() throws {
    let other = try fixture.anotherManager()
    let first = try connected(fixture.manager)
    first.connection.end(.closed)
    fixture.run(until: { first.hasEnded })
    kill(first, fixture.manager)
    fixture.stepped.pass(.seconds(5))
    #expect(fixture.tag.isConnected)
    let start = fixture.now
    let second = try connected(other)
    #expect(start.duration(to: fixture.now) < .milliseconds(100))
    try works(second)
    other.close()
    fixture.stepped.pass(.seconds(9))
    #expect(fixture.tag.isConnected)
    fixture.stepped.pass(.seconds(4))
    #expect(!fixture.tag.isConnected)
    #expect(fixture.tag.violations == [])
  }

  @Test(
    "the link is dropped when the last two programs end at almost the same time", arguments: End.allCases,
    [0, 1, 50, 100])
  private func programsEndTogether(_ end: End, _ milliseconds: Int) throws {
    let other = try fixture.anotherManager()
    let second = try connected(other)
    let first = try connected(fixture.manager)
    for (watch, manager) in [(first, fixture.manager!), (second, other)] {
      switch end {
      case .disconnect: watch.connection.end(.disconnected)
      case .close: watch.connection.end(.closed)
      case .kill: kill(watch, manager)
      }
      fixture.stepped.pass(.milliseconds(milliseconds))
    }
    fixture.stepped.pass(.seconds(13))
    #expect(!fixture.tag.isConnected)
    #expect(fixture.tag.journal.links == 1)
    #expect(fixture.tag.violations == [])
  }

  @Test("a warm link that the tag drops stays down")
  func lostWarmLink() throws {
    let first = try connected(fixture.manager)
    first.connection.end(.closed)
    fixture.run(until: { first.hasEnded })
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    try fixture.happen("drop link")
    fixture.stepped.pass(.seconds(9))
    #expect(!calls.entries.contains("Connect"))
    #expect(fixture.tag.journal.links == 1)
    try works(connected(fixture.anotherManager()))
    #expect(fixture.tag.violations == [])
  }

  @Test("a link that no program uses ends at once for a program that has links itself")
  func warmLinkForDirectProgram() throws {
    let direct = try fixture.anotherManager(sharing: false)
    let first = try connected(fixture.manager)
    first.connection.end(.closed)
    fixture.run(until: { first.hasEnded })
    let second = try connected(direct)
    #expect(second.reasons == [])
    #expect(second.connection.state.serviceProcess == 0)
    try works(second)
    #expect(fixture.tag.violations == [])
  }

  @Test("a packet that the tag sends before programs have it reaches them")
  func earlyRawPacket() throws {
    try fixture.happen("after ready raw-packet 9 01 02 03")
    let packets = Recorder<[UInt8]>()
    let connection = try connect(fixture.manager).connection
    connection.notifications.raw.packets.add { packets.note(Array($0)) }
    fixture.run(until: { packets.entries.count == 1 }, within: .seconds(30))
    #expect(packets.entries == [[1, 2, 3]])
    #expect(fixture.tag.violations == [])
  }

  @Test("raw data reaches only programs that want it, and one more packet after their last subscription")
  func rawDataOnRequest() throws {
    let (first, second, _) = try pair()
    let packets = Recorder<[UInt8]>()
    let observation = first.connection.notifications.raw.packets.add { packets.note(Array($0)) }
    func received() -> [UInt64] {
      [first, second].map { $0.connection.notifications.statistics.counts.rawPackets }
    }
    for number in 1...4 {
      if number == 3 { observation.cancel() }
      try fixture.happen("raw-packet \(number) 61")
      fixture.stepped.pass(.milliseconds(100))
    }
    #expect(packets.entries == [[0x61], [0x61]])
    #expect(received() == [3, 0])
    #expect(fixture.tag.violations == [])
  }

  @Test("a disconnect that the user requests drops the link, unless others use it")
  func requestedDisconnect() throws {
    let (first, second, _) = try pair()
    first.connection.end(.disconnected)
    fixture.stepped.pass(.seconds(3))
    #expect(first.hasEnded && second.isConnected && fixture.tag.isConnected)
    second.connection.end(.disconnected)
    fixture.stepped.pass(.seconds(3))
    #expect(!fixture.tag.isConnected)
  }

  // MARK: The service ends

  @Test("when the service ends and is started again, all programs are connected again")
  func serviceRestarts() throws {
    let (first, second, _) = try pair()
    let results = readBatteries(3, of: try #require(second.tag))
    first.forget()
    fixture.endService()
    fixture.settle()
    for watch in [first, second] { #expect(watch.connection.state.phase == .preparing) }
    #expect(first.reasons == [.serviceUnavailable])
    #expect(results.entries == (1...3).map { "\($0): connectionLost" })
    fixture.stepped.pass(.seconds(1))
    try fixture.startService()
    fixture.run(until: { first.isConnected && second.isConnected }, within: .seconds(30))
    for watch in [first, second] {
      #expect(watch.connection.state.serviceProcess == getpid())
      try works(watch)
    }
    #expect(fixture.tag.violations == [])
  }

  @Test("when the service does not return, a program has the link itself after ten seconds, until there is a service")
  func serviceStaysAway() throws {
    let first = try connected(fixture.manager)
    fixture.endService()
    let start = fixture.now
    fixture.run(until: { first.isConnected && first.connection.state.serviceProcess == 0 }, within: .seconds(60))
    #expect(first.isConnected)
    #expect(start.duration(to: fixture.now) >= .seconds(10))
    try works(first)
    let second = try connect(try fixture.anotherManager())
    fixture.run(until: { second.hasEnded }, within: .seconds(10))
    #expect(second.connection.state.reason == .inUse(by: getpid()))
    try fixture.startService()
    try fixture.happen("drop link")
    fixture.run(until: { first.isConnected && first.connection.state.serviceProcess != 0 }, within: .seconds(60))
    #expect(first.isConnected)
    #expect(fixture.tag.violations == [])
  }

  @Test("a slow tag does not look like a service that hangs")
  func slowTag() throws {
    let (first, second, _) = try pair()
    try fixture.happen("on request battery once: delay 7s")
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    #expect(try battery(second).get() > 0)
    #expect(first.isConnected && second.isConnected)
    #expect(calls.entries.filter { $0 != "WriteValue" } == [])
  }

  // MARK: Programs that do not share

  @Test("a program with another library is reported, and prevents nothing")
  func foreignProgram() throws {
    let first = try connected(fixture.manager)
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    try fixture.happen("foreign connect")
    fixture.stepped.pass(.seconds(5))
    try fixture.happen("foreign subscribe")
    let watch = try connected(fixture.manager)
    #expect(watch.states.contains { $0.phase != .connected && $0.reason == .inUseByUnknown })
    #expect(watch.connection.state.reason == nil)
    try works(watch)
  }

  // MARK: Exclusive programs

  @Test("a program without the service and the service exclude each other")
  func alone() throws {
    let first = try connected(try fixture.anotherManager(sharing: false))
    let second = try connect(fixture.manager)
    fixture.run(until: { second.hasEnded }, within: .seconds(20))
    #expect(second.connection.state.reason?.code == .inUse)
    try works(first)
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    try works(connected(fixture.manager))
    #expect(fixture.tag.violations == [])
  }

  @Test("an exclusive program is refused while others use the tag, and gets a link that no one uses")
  func exclusive() throws {
    let first = try connected(fixture.manager)
    let exclusive = try fixture.anotherManager(exclusive: true)
    let refused = try connect(exclusive)
    fixture.run(until: { refused.hasEnded }, within: .seconds(10))
    #expect(refused.connection.state.reason?.code == .inUse)
    #expect(refused.connection.state.reason?.message.contains("process \(getpid())") == true)
    try works(first)
    fixture.manager.close()
    let alone = try connected(exclusive)
    #expect(alone.connection.state.serviceProcess == 0)
    try works(alone)
    #expect(fixture.tag.violations == [])
  }

  // MARK: Binding

  @Test("a program that does not finish binding gives way to another one after a minute, and its bond is removed")
  func unfinishedBinding() throws {
    let core = fixture.manager.core
    let entrance = ServiceEntrance(core, WorldFixture.identifier, TagCode(text: "01ZK"))
    let bus = try #require(core.bluez.busID)
    let found = try fixture.outcome { try await entrance.enter(on: bus, isBound: false, streaming: nil) }.get()
    let unfinished = try #require(found)
    fixture.stepped.pass(.seconds(30))
    #expect(fixture.daemon.bonds.contains("bonded"))
    let (other, binding) = (try fixture.anotherManager(), try Binding(code: "01ZK"))
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    let early = ConnectionWatch(try other.bind(WorldFixture.identifier, binding))
    fixture.run(until: { early.hasEnded }, within: .seconds(10))
    #expect(early.connection.state.reason?.code == .busy)
    #expect(calls.entries == [])
    fixture.stepped.pass(.seconds(31))
    let late = ConnectionWatch(try other.bind(WorldFixture.identifier, binding))
    fixture.run(until: { late.isConnected || late.hasEnded }, within: .seconds(60))
    try works(late)
    #expect(calls.entries.contains("RemoveDevice") && calls.entries.contains("Pair"))
    #expect(try other.knownTags().count == 1)
    unfinished.close()
    fixture.stepped.pass(.seconds(10))
    try works(late)
    #expect(fixture.tag.violations == [])
  }

  // MARK: Reservations

  @Test("motion of one program excludes that of another, and the error names the program")
  func reservation() throws {
    let (first, second, _) = try pair()
    let error = Recorder<JacquardError?>()
    let reservation = second.connection.reservation
    let stream = try fixture.outcome { try await reservation.take(.stream) }.get()
    let tag = try #require(first.tag)
    let outcome = fixture.outcome { try await tag.stopMotion() }
    #expect(code(outcome) == .busy)
    if case .failure(let failure as JacquardError) = outcome { error.note(failure) }
    #expect(error.entries.first??.message.includes("process \(getpid())") == true)
    reservation.release(.stream, stream)
    fixture.settle()
    let mine = first.connection.reservation
    let firmware = try fixture.outcome { try await mine.take(.firmware) }.get()
    #expect(code(fixture.outcome { try await reservation.take(.modules) }) == .busy)
    mine.release(.firmware, firmware)
    #expect(code(fixture.outcome { try await reservation.take(.modules) }) == nil)
    second.connection.end(.disconnected)
    fixture.run(until: { second.hasEnded })
    #expect(code(fixture.outcome { try await mine.take(.recording) }) == nil)
  }

  private static let reservedCommands: [Command] = [
    .dfuPrepare, .dfuWrite, .dfuExecute, .collectionStart, .collectionStop, .collectionData, .collectionErase,
    .collectionEraseAll, .loadModule, .unloadModule, .deleteModule, .requestReboot,
  ]

  @Test(
    "requests and bytes that belong to what one program has reserved are refused to others, and the error names it",
    arguments: [ReservationKind.firmware, .recording, .stream, .download, .erasure, .modules])
  private func reservedPackets(_ kind: ReservationKind) throws {
    let (first, second, _) = try pair()
    let (mine, reservation) = (try #require(first.tag), first.connection.reservation)
    let tag = try #require(second.tag)
    let grant = try fixture.outcome { try await reservation.take(kind) }.get()
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    func refusal(_ outcome: Result<some Any, any Error>) {
      guard case .failure(let error as JacquardError) = outcome else {
        Issue.record("not refused")
        return
      }
      #expect(error == .reserved(kind, by: getpid()))
    }
    func exchange(_ command: Command) -> Result<WireResponse, any Error> {
      fixture.outcome { try await tag.exchange(WireRequest(command)) }
    }
    for command in Self.reservedCommands {
      refusal(exchange(command))
    }
    // Commands that this version does not know, of the domains of firmware and motion.
    for domain in [Command.dfuStatus.domain, Command.collectionStatus.domain] {
      refusal(exchange(Command(domain: domain, opcode: 200)))
    }
    refusal(fixture.outcome { try await tag.sendRaw([1, 2, 3]) })
    #expect(calls.entries == [])
    try works(second)
    for command in [Command.listModules, .collectionStatus] {
      #expect(code(fixture.outcome { try await tag.exchange(WireRequest(command)) }) == nil)
      #expect(code(fixture.outcome { try await mine.exchange(WireRequest(command)) }) == nil)
    }
    #expect(code(fixture.outcome { try await mine.exchange(WireRequest(.collectionStop)) }) == nil)
    reservation.release(kind, grant)
    fixture.settle()
    #expect(code(fixture.outcome { try await tag.exchange(WireRequest(.collectionStop)) }) == nil)
  }

  @Test(
    "a check of another component by another program does not end an update", arguments: UpdateOptions.Mode.allCases)
  func firmware(_ mode: UpdateOptions.Mode) throws {
    let (first, second, _) = try pair()
    let image = try FirmwareTests.image(bytes: FirmwareTests.short)
    let other = try FirmwareTests.gear()
    var options = UpdateOptions()
    options.mode = mode
    let outcome = Recorder<JacquardError.Code?>()
    let connection = first.connection
    let results = try fixture.outcome { [fixture, second, options] in
      try await connection.updateFirmware([image]) { progress in
        guard progress.phase == .transferring, progress.done == 256, outcome.entries.isEmpty else { return }
        fixture.loop.spawn {
          do throws(JacquardError) {
            _ = try await second.connection.updateFirmware([other], options)
            outcome.note(nil)
          } catch {
            outcome.note(error.code)
          }
        }
      }
    }.get()
    #expect(results.map(\.outcome) == [.installed])
    #expect(outcome.entries == [.busy])
    #expect(fixture.tag.journal.installed == [FirmwareTests.short])
    #expect(fixture.tag.violations == [])
  }
}
