import BlueZ
import TagSimulator
import Testing

@testable import Jacquard

/// Events that look like an error that only a person can resolve, but have another cause: no connection ends. The table
/// in docs/reliability.md names the verdict of each event.
@Suite("A false witness")
struct FalseWitnessTests {
  let fixture: WorldFixture

  init() throws { fixture = try WorldFixture() }

  var unlimited: Connection.Options {
    var options = Connection.Options()
    options.timeout = .unlimited
    return options
  }

  var isBonded: Bool { fixture.manager.cache.devices.first?.isBonded == true }

  private func bind(in fixture: WorldFixture) throws {
    let watch = ConnectionWatch(
      try fixture.manager.bind(WorldFixture.identifier, try Binding(code: fixture.tag.profile.serial)))
    fixture.run(until: { watch.isConnected }, within: .seconds(60))
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
  }

  /// The connection becomes connected, and has never ended.
  func expectConnection(_ watch: ConnectionWatch, within limit: Duration = .seconds(60)) {
    fixture.run(until: { watch.isConnected || watch.hasEnded }, within: limit)
    #expect(watch.isConnected)
    #expect(!watch.phases.contains(.disconnected))
  }

  // MARK: A bond that seems to be lost

  @Test("an intact bond is kept although links end as soon as they are encrypted", arguments: [3, 4, 7, 12])
  func linksEndEarly(_ links: Int) throws {
    try bind(in: fixture)
    try fixture.happen("connect drops \(links) times")
    let watch = try fixture.connect()
    expectConnection(watch, within: .seconds(150))
    #expect(watch.states.map(\.attempt).max() == UInt32(links + 1))
    #expect(watch.connection.state.reason == nil)
    #expect(isBonded)
  }

  @Test("an intact bond is kept although links end early after a link that worked")
  func linksEndEarlyAfterLink() throws {
    try bind(in: fixture)
    let watch = try fixture.connected()
    try fixture.happen("connect drops 5 times")
    try fixture.happen("drop link")
    fixture.run(until: { watch.states.last?.phase == .preparing })
    expectConnection(watch)
    #expect(isBonded)
  }

  @Test("a tag whose bond is suspected is away for a day, and connected at its return", arguments: [7, 40])
  func suspectedAndAway(_ links: Int) throws {
    try bind(in: fixture)
    try fixture.happen("connect drops \(links) times")
    let watch = try fixture.connect()
    fixture.run(until: { watch.connection.state.reason?.isSuspicion == true || watch.connection.state.attempt > 5 })
    try fixture.happen("out-of-range")
    fixture.stepped.pass(.seconds(86_400))
    #expect(!watch.hasEnded)
    try fixture.happen("connect works")
    try fixture.happen("in-range")
    expectConnection(watch, within: .seconds(310))
  }

  /// After a long suspicion the pauses are minutes long.
  @Test(
    "what ends the pause after a suspicion",
    arguments: ["an advertisement", "the adapter", "another program", "the pause"])
  func pauseEnds(_ event: String) throws {
    let fixture = try WorldFixture(sharing: event == "another program")
    try bind(in: fixture)
    try fixture.happen("connect drops")
    var options = Connection.Options()
    options.waitForAdapter = true
    let watch = try fixture.connect(options)
    fixture.stepped.pass(.seconds(4000))
    let attempts = watch.states.map(\.attempt).max() ?? 0
    // Each attempt takes 80 ms, so it waits.
    fixture.stepped.pass(.seconds(1800))
    #expect((5...8).contains((watch.states.map(\.attempt).max() ?? 0) - attempts))
    let last = watch.states.count
    fixture.run(until: { watch.states.count > last + 1 && watch.connection.state.step == 0 })
    fixture.stepped.pass(.seconds(20))
    try fixture.happen("connect works")
    var limit = Duration.seconds(2)
    switch event {
    case "an advertisement":
      let scan = try fixture.anotherManager().scan { _ in
      } onEnd: { _, _ in
      }
      fixture.run(until: { watch.isConnected }, within: limit)
      scan.stop()
    case "the adapter":
      try fixture.happen("adapter off for 3s")
      limit = .seconds(8)
    case "another program":
      let other = ConnectionWatch(try fixture.anotherManager().connect(WorldFixture.identifier))
      fixture.run(until: { other.isConnected }, within: limit)
    default: limit = .seconds(320)
    }
    #expect(fixture.run(until: { watch.isConnected }, within: limit))
    #expect(!watch.phases.contains(.disconnected))
  }

  @Test("a release that says why a link ended raises no suspicion if it was for another reason")
  func otherReason() throws {
    try fixture.happen("bluez 5.87")
    try fixture.happen("quirk disconnected-signal on")
    try bind(in: fixture)
    try fixture.happen("connect drops 9 times")
    let watch = try fixture.connect()
    expectConnection(watch, within: .seconds(120))
    #expect(!watch.reasons.contains(.bondLost))
  }

  @Test("a machine that is suspended again and again as soon as links are up has not lost its bond")
  func suspended() throws {
    try bind(in: fixture)
    let watch = try fixture.connect()
    var times = 0
    watch.onState = { [fixture] state in
      guard state.step == Step.linkUp.rawValue, times < 6 else { return }
      times += 1
      do { _ = try fixture.world.control("suspend for 1s") } catch { Issue.record(error) }
    }
    expectConnection(watch, within: .seconds(120))
    #expect(times == 6)
  }

  // MARK: A bond that seems to be required

  @Test(
    "an attribute error that is repeated does not mean that a bond is required", arguments: ["5.66", "5.82", "5.87"],
    [1, 2])
  func oddError(_ release: String, _ times: Int) throws {
    try fixture.happen("bluez \(release)")
    try fixture.happen("notify fails \(times) times")
    let watch = try fixture.connect()
    expectConnection(watch, within: .seconds(30))
  }

  @Test("nor does one of a tag that has just worked", arguments: ["5.66", "5.87"])
  func oddErrorLater(_ release: String) throws {
    try fixture.happen("bluez \(release)")
    let watch = try fixture.connected()
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
    try fixture.happen("notify fails 2 times")
    expectConnection(try fixture.connect(), within: .seconds(30))
  }

  @Test(
    "on a release that passes ATT's errors on, an odd error never means a missing bond", arguments: ["5.66", "5.82"])
  func manyOddErrors(_ release: String) throws {
    try fixture.happen("bluez \(release)")
    try fixture.happen("notify fails")
    let watch = try fixture.connect(unlimited)
    fixture.stepped.pass(.seconds(600))
    #expect(watch.reasons == [.gatt])
    try fixture.happen("notify works")
    expectConnection(watch)
  }

  @Test(
    "two links on which a subscription gets no reply do not mean that a bond is required", arguments: ["5.66", "5.82"])
  func slowTag(_ release: String) throws {
    try fixture.happen("bluez \(release)")
    try fixture.happen("bond required")
    let watch = try fixture.connect(unlimited)
    watch.onState = { [fixture] state in
      guard state.attempt == 3, state.step == 0 else { return }
      do { _ = try fixture.world.control("bond optional") } catch { Issue.record(error) }
    }
    expectConnection(watch, within: .seconds(60))
  }

  @Test("links that another program drops do not mean that a bond is required")
  func droppedByOthers() throws {
    try fixture.happen("bluez 5.87")
    try fixture.happen("quirk disconnected-signal on")
    try fixture.happen("notify fails once")
    let watch = try fixture.connect(unlimited)
    var times = 0
    watch.onState = { [fixture] state in
      guard state.attempt > 1, state.step == Step.linkUp.rawValue, times < 2 else { return }
      times += 1
      do { _ = try fixture.world.control("foreign disconnect") } catch { Issue.record(error) }
    }
    expectConnection(watch, within: .seconds(60))
    #expect(times > 0)
  }

  // MARK: A bond that BlueZ seems to have lost

  @Test("an adapter that is unplugged at any moment has not lost its bonds", arguments: 0..<20)
  func unplugged(_ tenth: Int) throws {
    try bind(in: fixture)
    var options = Connection.Options()
    options.waitForAdapter = true
    let watch = try fixture.connected(options)
    try fixture.happen("drop link")
    fixture.stepped.pass(.milliseconds(100 * tenth))
    try fixture.happen("adapter removed")
    fixture.stepped.pass(.seconds(30))
    #expect(!watch.hasEnded)
    #expect(!watch.reasons.contains(.notBound))
    try fixture.happen("adapter added")
    expectConnection(watch)
  }

  /// bluetoothd removes the devices of an adapter before the adapter.
  @Test("the bonds of an adapter that is being removed are not lost", arguments: 3...12)
  func removedInParts(_ tenth: Int) throws {
    try bind(in: fixture)
    var options = Connection.Options()
    options.waitForAdapter = true
    let watch = try fixture.connected(options)
    try fixture.happen("out-of-range")
    fixture.stepped.pass(.seconds(10))
    let (adapter, device) = try #require(fixture.manager.core.bondedDevices(WorldFixture.identifier).first)
    try fixture.outcome { try await adapter.remove(device) }.get()
    fixture.stepped.pass(.milliseconds(100 * tenth))
    try fixture.happen("adapter removed")
    fixture.stepped.pass(.seconds(60))
    #expect(!watch.hasEnded)
    #expect(!watch.reasons.contains(.notBound))
  }

  @Test("a tag that BlueZ does not know, and that is away, may still have its bond")
  func unknownAndAway() throws {
    try bind(in: fixture)
    let (adapter, device) = try #require(fixture.manager.core.bondedDevices(WorldFixture.identifier).first)
    try fixture.outcome { try await adapter.remove(device) }.get()
    try fixture.happen("out-of-range")
    let watch = try fixture.connect()
    fixture.stepped.pass(.seconds(3600))
    #expect(!watch.hasEnded)
    #expect(watch.connection.state.reason == .bondMayBeMissing)
  }

  // MARK: Others

  @Test(
    "damaged responses to hello do not mean another version of the protocol",
    arguments: ["garbage", "drop", "without-payload", "wrong-id"])
  func damagedHello(_ damage: String) throws {
    try fixture.happen("on request hello 3 times: \(damage)")
    let watch = try fixture.connect()
    expectConnection(watch)
    #expect(!watch.reasons.contains(.protocolVersion))
  }

  @Test(
    "information about the tag that arrives damaged does not mean a wrong code",
    arguments: ["garbage", "without-payload", "wrong-id"])
  func damagedInformation(_ damage: String) throws {
    try fixture.happen("on request device-info 3 times: \(damage)")
    let watch = ConnectionWatch(
      try fixture.manager.bind(WorldFixture.identifier, try Binding(code: fixture.tag.profile.serial)))
    expectConnection(watch)
    #expect(!watch.reasons.contains(.wrongCode))
    #expect(isBonded)
  }

  @Test(
    "a link that is lost, or a bluetoothd that ends, during pairing is not a refusal",
    arguments: ["drop link", "bluetoothd restart after 1s", "suspend for 2s"])
  func pairingInterrupted(_ event: String) throws {
    try fixture.happen("pairing takes 5s")
    let watch = ConnectionWatch(
      try fixture.manager.bind(WorldFixture.identifier, try Binding(code: fixture.tag.profile.serial)))
    fixture.run(until: { watch.phases.contains(.authenticating) })
    try fixture.happen("pairing takes 400ms")
    try fixture.happen(event)
    expectConnection(watch)
  }
}
