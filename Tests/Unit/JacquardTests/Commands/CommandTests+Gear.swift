import EventLoop
import JacquardWire
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

extension CommandTests {
  // MARK: Gear

  @Test("commands for detached gear are not sent and do not delay later commands")
  func staleGear() throws {
    try fixture.happen("gear attach levis-trucker")
    let gear = try #require(attached)
    try fixture.happen("on request battery once: delay 1s")
    giveBattery("battery")
    for _ in 0..<3 { give("touch") { try await gear.setTouchMode(.continuous) } }
    giveBattery("next")
    try fixture.happen("gear detach")
    fixture.stepped.pass(.seconds(1))
    #expect(outcome.entries == ["battery 80", "touch staleGear", "touch staleGear", "touch staleGear", "next 80"])
    #expect(kinds.filter { $0 == .touchMode }.count == 1)
    give("touch") { try await gear.setTouchMode(.continuous) }
    #expect(outcome.entries.last == "touch staleGear")
  }

  @Test("a command for gear of a lost link completes after the commands that failed with the link")
  func staleGearInOrder() throws {
    try fixture.happen("gear attach levis-trucker")
    let gear = try #require(attached)
    try fixture.happen("on request battery: drop")
    giveBattery("battery")
    let observation = watch.connection.gear.changes.add { component in
      if component == nil { give("touch") { try await gear.setTouchMode(.continuous) } }
    }
    try fixture.happen("drop link")
    #expect(outcome.entries == ["battery connectionLost", "touch staleGear"])
    // Otherwise the connection retains this fixture, which retains the connection.
    observation.cancel()
  }

  @Test("a bouncing contact leaves no pending commands")
  func bounces() throws {
    try fixture.happen("latency 30ms")
    for _ in 0..<60 {
      try fixture.happen("gear attach levis-trucker")
      try fixture.happen("gear detach")
    }
    giveBattery("battery")
    let before = fixture.now
    fixture.run(until: { outcome.entries.count == 1 })
    #expect(before.duration(to: fixture.now) < .milliseconds(200))
    #expect(kinds.count <= 3)
  }

  @Test("busy gear is set to its mode when it is no longer busy")
  func busyGear() throws {
    try fixture.happen("on request touch-mode 3 times: status 10")
    try fixture.happen("gear attach levis-trucker")
    fixture.run(until: { watch.connection.gear.gear != nil }, within: .seconds(30))
    #expect(kinds.filter { $0 == .touchMode }.count == 4)
    try fixture.happen("gesture double-tap")
    let gestures = Recorder<UInt32>()
    watch.connection.notifications.gestures.add { gestures.note($0.gesture.rawValue) }
    try fixture.happen("gesture double-tap")
    #expect(gestures.entries.count == 1)
  }

  @Test("gear that stays busy is announced anyway, and not used after it is detached")
  func alwaysBusyGear() throws {
    try fixture.happen("on request touch-mode: status 10")
    try fixture.happen("gear attach levis-trucker")
    fixture.run(until: { watch.connection.gear.gear != nil }, within: .seconds(30))
    #expect(attached != nil)
    let tried = kinds.filter { $0 == .touchMode }.count
    #expect((3...6).contains(tried))
    fixture.stepped.pass(.seconds(60))
    #expect(kinds.filter { $0 == .touchMode }.count == tried)
    try fixture.happen("gear detach")
    try fixture.happen("gear attach levis-trucker")
    try fixture.happen("gear detach")
    fixture.stepped.pass(.seconds(60))
    #expect(kinds.filter { $0 == .touchMode }.count == tried + 1)
  }
}
