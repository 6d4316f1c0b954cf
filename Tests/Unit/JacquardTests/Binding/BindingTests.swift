import BlueZ
import DBus
import EventLoop
import TagSimulator
import Testing

@testable import Jacquard

@Suite("Binding")
struct BindingTests {
  let fixture: WorldFixture

  init() throws { fixture = try WorldFixture() }

  func bind(
    _ code: String = "01ZK", owner: String? = nil, profile: [ProfileEntry] = [], tag: Int = 0,
    _ options: Connection.Options = Connection.Options()
  ) throws -> ConnectionWatch {
    let identifier = TagIdentifier(address: fixture.world.tags[tag].profile.address)
    return ConnectionWatch(
      try fixture.manager.bind(identifier, try Binding(code: code, owner: owner, profile: profile), options))
  }

  func bound(_ code: String = "01ZK", owner: String? = nil, profile: [ProfileEntry] = []) throws
    -> ConnectionWatch
  {
    let watch = try bind(code, owner: owner, profile: profile)
    fixture.run(until: { watch.isConnected || watch.hasEnded })
    return watch
  }

  func failure(of watch: ConnectionWatch) -> JacquardError.Code? {
    fixture.run(until: { watch.hasEnded }, within: .seconds(120))
    return watch.connection.state.reason?.code
  }

  func finish(_ watch: ConnectionWatch) {
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
  }

  func knownTags() throws -> [KnownTag] {
    try fixture.manager.knownTags()
  }

  func unbind() -> Result<Void, any Error> {
    fixture.outcome { [fixture] in try await fixture.manager.unbind(WorldFixture.identifier) }
  }

  func update(_ identifier: TagIdentifier, _ profile: [ProfileEntry]) -> Result<Void, any Error> {
    fixture.outcome { [fixture] in try await fixture.manager.updateKnown(identifier, profile) }
  }

  var device: Device? { fixture.manager.cache.devices.first }

  // MARK: The first time

  @Test("pairs while authenticating, passes all steps, and stores the tag")
  func way() throws {
    let watch = try bound(owner: "me", profile: [ProfileEntry("colour", "blue"), ProfileEntry("empty", "")])
    #expect(watch.steps == [1, 2, 3, 4, 4] + Array(5...14))
    #expect(watch.phases.filter { $0 == .authenticating }.count == 1)
    #expect(watch.states[4].phase == .authenticating)
    #expect(device?.isBonded == true && device?.trusted == true)
    #expect(fixture.tag.violations == [])
    let known = try #require(try knownTags().first)
    #expect(known.identifier == WorldFixture.identifier)
    #expect(known.address == "C0:1A:DA:00:00:00")
    #expect(known.serial == "0000AAAAA001ZK")
    #expect(known.name == "Jacquard-01ZK")
    #expect(known.owner == "me")
    #expect(known.profile == [ProfileEntry("colour", "blue"), ProfileEntry("empty", "")])
    #expect(abs(known.boundAt - KnownTags.now) < 60 && known.lastConnected == known.boundAt)
    #expect(!known.isWanted)
  }

  @Test("works if the tag requires a bond")
  func bondRequired() throws {
    try fixture.happen("bond required")
    #expect(try bound().isConnected)
    #expect(fixture.tag.violations == [])
  }

  @Test(
    "accepts the printed number or its end, case-insensitively",
    arguments: ["01ZK", "001ZK", "0000AAAAA001ZK", "01zk", "0000aaaaA001Zk"])
  func codes(_ code: String) throws { #expect(try bound(code).isConnected) }

  @Test(
    "accepts bluetoothd's requests about the tag that need no display or keys",
    arguments: [("confirmation", true), ("authorization", true), ("pin", false), ("passkey", false)])
  func questions(_ question: String, _ works: Bool) throws {
    try fixture.happen("pairing asks \(question)")
    let watch = try bound()
    #expect(watch.isConnected == works)
    if !works { #expect(watch.connection.state.reason?.code == .pairingRefused) }
  }

  @Test("uses the library's agent, even if another one is the default agent")
  func agentOfAnother() throws {
    let desktop = BusConnection(fixture.loop, try fixture.stepped.address)
    var asked: [String] = []
    try fixture.stepped.run { try await desktop.open() }
    let agent = try desktop.export("/desktop") { call in
      asked.append(call.member)
      try? call.reply()
    }
    try fixture.stepped.run {
      for (member, more) in [("RegisterAgent", [Value.string("DisplayYesNo")]), ("RequestDefaultAgent", [])] {
        _ = try await desktop.call(
          to: "org.bluez", path: "/org/bluez", interface: "org.bluez.AgentManager1", member: member,
          [.objectPath(agent.path)] + more)
      }
    }
    try fixture.happen("pairing asks confirmation")
    #expect(try bound().isConnected)
    #expect(asked == [])
    agent.cancel()
  }

  @Test("several concurrent pairings share the agent, which is unregistered afterwards")
  func twoAtOnce() throws {
    let fixture = try WorldFixture(tags: 3)
    let watches = try fixture.world.tags.map { tag in
      let binding = try Binding(code: "0000AAAAA0" + tag.profile.serial)
      return ConnectionWatch(
        try fixture.manager.bind(TagIdentifier(address: tag.profile.address), binding))
    }
    fixture.run(until: { watches.allSatisfy(\.isConnected) }, within: .seconds(60))
    #expect(watches.filter { $0.isConnected }.count == 3)
    #expect(fixture.daemon.agentCount == 0)
  }

  @Test("an already bonded tag is bound without pairing")
  func bondedAlready() throws {
    let first = try bound()
    finish(first)
    let second = try bound(owner: "me")
    #expect(second.isConnected)
    #expect(!second.phases.contains(.authenticating))
    #expect(try knownTags().map(\.owner) == ["me"])
  }

  // MARK: Afterwards

  @Test("connects without a code, even after a restart of bluetoothd, if the tag requires a bond")
  func reconnect() throws {
    try fixture.happen("bond required")
    finish(try bound())
    finish(try fixture.connected())
    try fixture.happen("bluetoothd restart after 1s")
    let watch = try fixture.connect()
    fixture.run(until: { watch.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
    #expect(!watch.phases.contains(.authenticating))
    #expect(fixture.tag.violations == [])
  }

  @Test("another process also connects to it without a code")
  func otherProcess() throws {
    finish(try bound())
    let watch = ConnectionWatch(try fixture.anotherManager().connect(WorldFixture.identifier))
    fixture.run(until: { watch.isConnected })
    #expect(watch.isConnected)
  }

  @Test("connecting to a known tag has no time limit by default")
  func noLimit() throws {
    finish(try bound())
    try fixture.happen("out-of-range")
    let patient = try fixture.connect()
    fixture.stepped.pass(.seconds(3600))
    #expect(!patient.hasEnded)
    finish(patient)
    var options = Connection.Options()
    options.timeout = .after(.seconds(60))
    let impatient = try fixture.connect(options)
    fixture.stepped.pass(.seconds(66))
    #expect(impatient.hasEnded)
  }

  @Test("a connection is recorded with the known tag")
  func noted() throws {
    finish(try bound())
    try fixture.happen("name Sleeve")
    finish(try fixture.connected())
    #expect(try knownTags().map(\.name) == ["Sleeve"])
  }

  @Test(
    "the name of a renamed tag is stored at once, and kept while BlueZ has the old one", arguments: ["5.66", "5.87"])
  func renamed(_ release: String) throws {
    try fixture.happen("bluez \(release)")
    let watch = try bound()
    let tag = try #require(watch.tag)
    try fixture.outcome { try await tag.rename("Sleeve") }.get()
    #expect(try knownTags().map(\.name) == ["Sleeve"])
    fixture.run(until: { watch.isConnected })
    finish(watch)
    let other = try fixture.anotherManager()
    let next = ConnectionWatch(try other.connect(WorldFixture.identifier))
    fixture.run(until: { next.isConnected })
    #expect(next.tag?.info.name == "Sleeve")
    finish(next)
    #expect(try knownTags().map(\.name) == ["Sleeve"])
    // A new name from BlueZ takes effect again.
    try fixture.happen("bluez 5.66")
    try fixture.happen("name Collar")
    finish(try fixture.connected())
    #expect(try knownTags().map(\.name) == ["Collar"])
  }

  @Test("a tag that requires a bond, and has none with this machine, is reported", arguments: ["5.66", "5.82", "5.87"])
  func notBound(_ release: String) throws {
    try fixture.happen("bluez \(release)")
    if release == "5.87" { try fixture.happen("quirk disconnected-signal on") }
    try fixture.happen("bond required")
    let watch = try fixture.connect()
    let start = fixture.now
    #expect(failure(of: watch) == .notBound)
    #expect(start.duration(to: fixture.now) < .seconds(20))
    #expect(watch.states.map(\.attempt).max() == 3)
    #expect(watch.states.contains { $0.reason?.code == .notBound && $0.reason?.isSuspicion == true })
  }

  @Test("a required bond is reported immediately if BlueZ passes the error on")
  func notBoundError() throws {
    try fixture.happen("bond required")
    try fixture.happen("quirk unanswered-security off")
    let watch = try fixture.connect()
    #expect(failure(of: watch) == .notBound)
    #expect(watch.states.map(\.attempt).max() == 1)
    #expect(watch.connection.state.reason?.attCode == 0x05)
  }

  @Test("a required bond is not assumed if bluetoothd hangs while notifications are enabled", arguments: [5, 30])
  func notTheTag(_ seconds: Int) throws {
    var options = Connection.Options()
    options.timeout = .unlimited
    let watch = try fixture.connect(options)
    var hangs = 0
    watch.onState = { [fixture] state in
      guard state.step == Step.characteristicsFound.rawValue, hangs < 3 else { return }
      hangs += 1
      do { _ = try fixture.world.control("bluetoothd hang for \(seconds)s") } catch { Issue.record(error) }
    }
    fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(300))
    #expect(watch.isConnected)
    #expect(hangs == 3)
  }
}
