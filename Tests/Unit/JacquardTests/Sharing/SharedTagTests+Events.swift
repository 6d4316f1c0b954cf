import EventLoop
import Glibc
import JacquardWire
import Sharing
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

extension SharedTagTests {
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
    // Each read of the clock returns a different time.
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

  func lost(_ watch: ConnectionWatch) -> UInt64 {
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
}
