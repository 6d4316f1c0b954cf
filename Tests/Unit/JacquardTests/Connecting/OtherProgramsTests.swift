import EventLoop
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

/// Other managers and other programs that use the same adapter and the same tag.
@Suite("Other programs on the machine")
struct OtherProgramsTests {
  private let fixture: WorldFixture

  init() throws {
    fixture = try WorldFixture()
    fixture.world.complain = { Issue.record("\($0)") }
  }

  private func works(_ watch: ConnectionWatch) throws -> Bool {
    let tag = try #require(watch.tag)
    return code(fixture.outcome { try await tag.readBattery() }) == nil
  }

  private final class Sightings {
    var count = 0
    var ends = 0
  }

  private func scan(_ manager: Manager) -> (Scan, Sightings) {
    let sightings = Sightings()
    var options = Scan.Options()
    options.everyReport = true
    let scan = manager.scan(options) { _ in
      sightings.count += 1
    } onEnd: { _, _ in
      sightings.ends += 1
    }
    fixture.stepped.pass(.seconds(1))
    return (scan, sightings)
  }

  // MARK: Scans

  @Test(
    "a scan continues and finds its tags, whatever other programs scan for",
    arguments: ["foreign scan", "foreign scan rssi 0", "foreign scan for 5s", "foreign scan rssi 0 for 5s"])
  func foreignScanner(_ line: String) throws {
    try fixture.happen(line)
    let (scan, seen) = scan(fixture.manager)
    #expect(seen.count > 0)
    fixture.stepped.pass(.seconds(6))
    seen.count = 0
    fixture.stepped.pass(.seconds(1))
    #expect(seen.count > 0)
    scan.stop()
    fixture.settle()
    #expect(seen.ends == 1)
  }

  @Test("a scan outlives another manager's scan and that manager", arguments: [false, true])
  func otherScanEnds(_ shutsDown: Bool) throws {
    let other = try fixture.anotherManager()
    let (otherScan, otherSeen) = scan(other)
    let (scan, seen) = scan(fixture.manager)
    #expect(otherSeen.count > 0 && seen.count > 0)
    if shutsDown { other.close() } else { otherScan.stop() }
    fixture.stepped.pass(.seconds(1))
    seen.count = 0
    fixture.stepped.pass(.seconds(1))
    #expect(seen.count > 0)
    #expect(seen.ends == 0)
    scan.stop()
  }

  // MARK: Connections

  @Test("another program's scan and its end do not affect a connection")
  func connectBesideScanner() throws {
    try fixture.happen("foreign scan")
    let watch = try fixture.connected()
    #expect(watch.reasons == [])
    try fixture.happen("foreign scan stop")
    fixture.stepped.pass(.seconds(5))
    #expect(watch.isConnected)
    #expect(try works(watch))
  }

  @Test("a link established by another program is used, and re-established when that program drops it")
  func foreignLink() throws {
    let (scan, _) = scan(fixture.manager)
    scan.stop()
    try fixture.happen("foreign connect")
    fixture.stepped.pass(.seconds(1))
    let watch = try fixture.connected()
    #expect(watch.reasons == [])
    let old = watch.tag
    try fixture.happen("foreign disconnect")
    fixture.run(until: { watch.isConnected && watch.tag !== old }, within: .seconds(30))
    #expect(try works(watch))
    #expect(fixture.tag.violations == [])
  }

  @Test("a tag that another program removes from BlueZ is found and connected again")
  func foreignRemove() throws {
    let watch = try fixture.connected()
    let old = watch.tag
    try fixture.happen("foreign remove")
    fixture.run(until: { watch.isConnected && watch.tag !== old }, within: .seconds(30))
    #expect(watch.isConnected)
    #expect(try works(watch))
  }

  @Test("other programs that subscribe, scan and leave do not disturb a shutdown")
  func shutdown() throws {
    let watch = try fixture.connected()
    for line in ["foreign subscribe", "foreign 2 scan"] { try fixture.happen(line) }
    let other = try fixture.anotherManager()
    fixture.manager.close()
    fixture.stepped.pass(.seconds(3))
    #expect(!fixture.tag.isConnected)
    _ = watch
    let next = ConnectionWatch(try other.connect(WorldFixture.identifier))
    fixture.run(until: { next.isConnected }, within: .seconds(30))
    #expect(try works(next))
    for line in ["foreign exit", "foreign 2 exit"] { try fixture.happen(line) }
    #expect(try works(next))
  }

  // MARK: Binding

  @Test("a tag that another program has paired with is bound without pairing again")
  func pairedBefore() throws {
    let (scan, _) = scan(fixture.manager)
    scan.stop()
    try fixture.happen("foreign connect")
    try fixture.happen("foreign pair")
    fixture.stepped.pass(.seconds(2))
    let binding = try Binding(code: "0000AAAAA0" + fixture.tag.profile.serial)
    let watch = ConnectionWatch(try fixture.manager.bind(WorldFixture.identifier, binding))
    fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(30))
    #expect(watch.isConnected)
    #expect(try works(watch))
  }

  @Test("a pairing that another program begins during binding does not disturb it")
  func pairingBeside() throws {
    try fixture.happen("pairing takes 2s")
    let binding = try Binding(code: "0000AAAAA0" + fixture.tag.profile.serial)
    let watch = ConnectionWatch(try fixture.manager.bind(WorldFixture.identifier, binding))
    fixture.run(until: { watch.connection.state.phase == .authenticating }, within: .seconds(30))
    let refusals = Recorder<String>()
    fixture.world.complain = { refusals.note("\($0)") }
    try fixture.happen("foreign pair")
    fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(60))
    #expect(watch.isConnected)
    #expect(try works(watch))
    #expect(refusals.entries.count == 1)
    #expect(fixture.tag.violations == [])
  }

  private func bound(_ manager: Manager) throws -> ConnectionWatch {
    let binding = try Binding(code: "0000AAAAA0" + fixture.tag.profile.serial)
    let watch = ConnectionWatch(try manager.bind(WorldFixture.identifier, binding))
    fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(30))
    try #require(watch.isConnected)
    return watch
  }

  private func known(to manager: Manager) throws -> Int {
    try manager.knownTags().count
  }

  @Test("a tag unbound by another manager is no longer connected or known, and can be bound again")
  func unboundElsewhere() throws {
    let other = try fixture.anotherManager()
    let watch = try bound(fixture.manager)
    try fixture.outcome { try await other.unbind(WorldFixture.identifier) }.get()
    fixture.stepped.pass(.seconds(30))
    #expect(try known(to: other) == 0)
    #expect(try known(to: fixture.manager) == 0)
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded }, within: .seconds(30))
    #expect(watch.hasEnded)
    #expect(try works(bound(other)))
  }

  @Test("a tag whose bond another program has removed is unbound like any other")
  func unbindAfterForeignRemove() throws {
    let watch = try bound(fixture.manager)
    try fixture.happen("foreign remove")
    fixture.stepped.pass(.seconds(5))
    try fixture.outcome { [fixture] in try await fixture.manager.unbind(WorldFixture.identifier) }.get()
    fixture.run(until: { watch.hasEnded }, within: .seconds(30))
    #expect(watch.hasEnded)
    #expect(try known(to: fixture.manager) == 0)
    #expect(try works(bound(fixture.manager)))
  }

  // MARK: Restoration

  @Test("a restored tag that another program uses is reported as in use, and stays wanted")
  func restoreBesideAnother() throws {
    let fixture = try WorldFixture(restoreID: "app")
    let other = try fixture.anotherManager()
    let holder = ConnectionWatch(try other.connect(WorldFixture.identifier))
    fixture.run(until: { holder.isConnected }, within: .seconds(30))
    let refused = ConnectionWatch(try fixture.manager.connect(WorldFixture.identifier, .restored))
    fixture.run(until: { refused.hasEnded }, within: .seconds(30))
    #expect(refused.connection.state.reason?.code == .inUse)
    #expect(holder.isConnected)
    let restorations = try fixture.outcome { try await fixture.manager.restorations() }.get()
    #expect(restorations.map(\.identifier) == [WorldFixture.identifier])
    holder.connection.end(.disconnected)
    fixture.run(until: { holder.hasEnded }, within: .seconds(30))
    let restored = ConnectionWatch(try fixture.manager.connect(WorldFixture.identifier, .restored))
    fixture.run(until: { restored.isConnected || restored.hasEnded }, within: .seconds(30))
    #expect(restored.isConnected)
  }

  // MARK: Touch

  @Test("touch frames are delivered once while another program is subscribed from the start")
  func touch() throws {
    let first = try fixture.connected()
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    try fixture.happen("foreign subscribe")
    try fixture.happen("gear attach levis-trucker")
    let watch = try fixture.connected()
    fixture.run(until: { watch.connection.gear.gear != nil }, within: .seconds(5))
    let gear = try #require(watch.connection.gear.gear)
    let component = try #require(gear)
    #expect(code(fixture.outcome { try await component.setTouchMode(.continuous) }) == nil)
    let frames = Recorder<UInt32>()
    watch.connection.notifications.touches.add { frames.note($0.frame.sequence) }
    try fixture.happen("battery 50")
    for _ in 0..<120 {
      try fixture.happen("touch 9 1 2 3 4 5 6 7 8 9 10 11 12")
      fixture.stepped.pass(.milliseconds(16))
    }
    #expect(frames.entries.count == 120)
    #expect(Set(frames.entries).count == 120)
  }
}
