import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

/// Any program may call StartNotify on a tag's characteristics; bluetoothd then signals each value once more to all
/// programs.
@Suite("Other programs subscribe to the tag")
struct ForeignSubscriberTests {
  private let fixture: WorldFixture

  init() throws {
    fixture = try WorldFixture()
    try fixture.happen("gear attach levis-trucker")
    fixture.world.complain = { Issue.record("\($0)") }
  }

  private static let names = [
    "double-tap", "double-tap", "brush-in", "brush-in", "brush-out", "brush-out", "double-tap",
  ]
  private static let numbers: [UInt32] = [1, 1, 2, 2, 3, 3, 1]

  /// Records the gestures that are not marked as possible copies.
  private func certain(_ watch: ConnectionWatch) -> Recorder<UInt32> {
    let heard = Recorder<UInt32>()
    watch.connection.notifications.gestures.add { if !$0.mayBeCopy { heard.note($0.gesture.rawValue) } }
    return heard
  }

  private func listen(_ watch: ConnectionWatch) -> Recorder<UInt32> {
    let heard = Recorder<UInt32>()
    watch.connection.notifications.gestures.add { heard.note($0.gesture.rawValue) }
    return heard
  }

  private func gesture(_ names: [String] = names) throws {
    for name in names {
      try fixture.happen("gesture \(name)")
      fixture.stepped.pass(.milliseconds(300))
    }
  }

  private func counts(_ watch: ConnectionWatch) -> Statistics.Counts {
    watch.connection.notifications.statistics.counts
  }

  private func expectAnswers(_ watch: ConnectionWatch) throws {
    let tag = try #require(watch.tag)
    for _ in 0..<3 { #expect(code(fixture.outcome { try await tag.readBattery() }) == nil) }
    #expect(counts(watch).droppedResponses == 0)
    #expect(counts(watch).droppedFragments == 0)
  }

  private var warnings: [String] { fixture.log.entries.filter { $0.contains("another program is subscribed") } }

  /// The other programs subscribe without a link; bluetoothd subscribes on the tag as soon as there is a link.
  private func connectedAfter(_ count: Int) throws -> ConnectionWatch {
    let first = try fixture.connected()
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    for number in 0..<count { try fixture.happen("foreign \(number + 1) subscribe") }
    return try fixture.connected()
  }

  @Test(
    "before the connection, one or two: each gesture is reported once, each response is handled", arguments: [1, 2])
  func before(_ count: Int) throws {
    let watch = try connectedAfter(count)
    try expectAnswers(watch)
    try fixture.happen("battery 50")
    let heard = listen(watch)
    try gesture()
    #expect(heard.entries == Self.numbers)
    #expect(counts(watch).droppedCopies > 0)
    #expect(warnings.count == 1)
    #expect(fixture.tag.violations == [])
  }

  @Test("during the connection: at most three gestures are duplicated and marked, later ones are not")
  func comesAndGoes() throws {
    let watch = try fixture.connected()
    let (heard, certain) = (listen(watch), certain(watch))
    try fixture.happen("foreign subscribe")
    try gesture(["cover", "brush-up", "brush-down"])
    #expect(certain.entries == [7, 13, 14])
    #expect(heard.entries == [7, 7, 13, 13, 14, 14])
    #expect(counts(watch).doubtfulValues == 3)
    for end in ["foreign unsubscribe", "foreign subscribe", "foreign exit"] {
      heard.entries = []
      if end != "foreign subscribe" {
        try gesture()
        #expect(heard.entries == Self.numbers)
      }
      try fixture.happen(end)
      if end == "foreign subscribe" { try gesture(["cover", "brush-up", "brush-down"]) }
    }
    heard.entries = []
    try gesture()
    #expect(heard.entries == Self.numbers)
    try expectAnswers(watch)
    #expect(warnings.count == 1)
  }

  @Test("packets of several fragments are reassembled once, starting with the first")
  func fragments() throws {
    let watch = try fixture.connected()
    let sizes = Recorder<Int>()
    watch.connection.notifications.packets.add { sizes.note($0.bytes.count) }
    for line in ["", "foreign subscribe", "foreign 2 subscribe", "foreign exit"] {
      if !line.isEmpty { try fixture.happen(line) }
      // An unknown field of 200 bytes.
      let unknown = "a2 06 c8 01" + String(repeating: " 55", count: 200)
      for opcode in ["17", "18"] { try fixture.happen("packet notification 08 00 10 \(opcode) \(unknown)") }
    }
    #expect(sizes.entries == Array(repeating: 208, count: 8))
    #expect(counts(watch).droppedFragments == 0)
    #expect(counts(watch).doubtfulValues == 0)
  }

  @Test("a hundred equal values in quick succession: each once, with and without another program", arguments: [0, 1])
  func equalValues(_ count: Int) throws {
    let watch = count > 0 ? try connectedAfter(count) : try fixture.connected()
    let heard = listen(watch)
    for _ in 0..<100 {
      try fixture.happen("gesture cover")
      fixture.stepped.pass(.milliseconds(16))
    }
    #expect(heard.entries == Array(repeating: 7, count: 100))
    #expect(warnings.count == count)
  }

  @Test("a late program receives each queued value once")
  func late() throws {
    let watch = try connectedAfter(1)
    try fixture.happen("battery 50")
    let heard = listen(watch)
    for name in Self.names { _ = try fixture.world.control("gesture \(name)") }
    fixture.settle()
    #expect(heard.entries == Self.numbers)
  }

  @Test("calls of another program to bluetoothd have no effect")
  func otherTraffic() throws {
    let watch = try fixture.connected()
    let heard = listen(watch)
    for name in Self.names {
      try fixture.happen("foreign scan for 100ms")
      try gesture([name])
    }
    #expect(heard.entries == Self.numbers)
    #expect((counts(watch).droppedCopies, counts(watch).doubtfulValues) == (0, 0))
    #expect(warnings == [])
  }

  @Test("after a lost link the other program is subscribed again, and each value is delivered once")
  func afterLoss() throws {
    let watch = try connectedAfter(1)
    let old = watch.tag
    try fixture.happen("drop link")
    fixture.run(until: { watch.isConnected && watch.tag !== old }, within: .seconds(30))
    try fixture.happen("gear attach levis-trucker")
    let heard = listen(watch)
    try gesture()
    #expect(heard.entries == Self.numbers)
    try expectAnswers(watch)
    #expect(warnings.count == 2)
  }
}
