import BlueZ
import DBus
import EventLoop
import TagSimulator
import Testing

@testable import Jacquard

@Suite("Binding")
struct BindingTests {
  private let fixture: WorldFixture

  init() throws { fixture = try WorldFixture() }

  private func bind(
    _ code: String = "01ZK", owner: String? = nil, profile: [ProfileEntry] = [], tag: Int = 0,
    _ options: Connection.Options = Connection.Options()
  ) throws -> ConnectionWatch {
    let identifier = TagIdentifier(address: fixture.world.tags[tag].profile.address)
    return ConnectionWatch(
      try fixture.manager.bind(identifier, try Binding(code: code, owner: owner, profile: profile), options))
  }

  private func bound(_ code: String = "01ZK", owner: String? = nil, profile: [ProfileEntry] = []) throws
    -> ConnectionWatch
  {
    let watch = try bind(code, owner: owner, profile: profile)
    fixture.run(until: { watch.isConnected || watch.hasEnded })
    return watch
  }

  private func failure(of watch: ConnectionWatch) -> JacquardError.Code? {
    fixture.run(until: { watch.hasEnded }, within: .seconds(120))
    return watch.connection.state.reason?.code
  }

  private func finish(_ watch: ConnectionWatch) {
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
  }

  private func knownTags() throws -> [KnownTag] {
    try fixture.manager.knownTags()
  }

  private func unbind() -> Result<Void, any Error> {
    fixture.outcome { [fixture] in try await fixture.manager.unbind(WorldFixture.identifier) }
  }

  private func update(_ identifier: TagIdentifier, _ profile: [ProfileEntry]) -> Result<Void, any Error> {
    fixture.outcome { [fixture] in try await fixture.manager.updateKnown(identifier, profile) }
  }

  private var device: Device? { fixture.manager.cache.devices.first }

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

  // MARK: Invalid arguments

  @Test("a code of fewer than four characters is refused", arguments: ["", "1", "1ZK"])
  func shortCode(_ code: String) {
    #expect { _ = try Binding(code: code) } throws: { ($0 as? JacquardError)?.code == .invalidArgument }
  }

  @Test("owner and profile have limits")
  func limits() throws {
    func refused(_ owner: String?, _ profile: [ProfileEntry]) -> Bool {
      do {
        _ = try Binding(code: "01ZK", owner: owner, profile: profile)
        return false
      } catch { return error.code == .invalidArgument }
    }
    func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    #expect(refused("", []))
    #expect(refused(text(257), []))
    #expect(!refused(text(256), []))
    #expect(refused(nil, [ProfileEntry("", "")]))
    #expect(refused(nil, [ProfileEntry(text(257), "")]))
    #expect(refused(nil, [ProfileEntry("key", text(4097))]))
    #expect(refused(nil, [ProfileEntry("key", "a"), ProfileEntry("key", "b")]))
    #expect(refused(nil, (0...64).map { ProfileEntry("\($0)", "") }))
    #expect(!refused(nil, (0..<64).map { ProfileEntry("\($0)", text(4096)) }))
  }

  // MARK: Failures

  @Test(
    "the code of another tag ends binding before anything is sent", arguments: ["T001", "001zj", "AAAA00000", "1ZK0"])
  func wrongCode(_ code: String) throws {
    #expect(failure(of: try bind(code)) == .wrongCode)
    #expect(fixture.tag.journal.links == 0)
    #expect(try knownTags() == [])
  }

  @Test("a code with a wrong beginning is detected by the full number, and the bond is removed")
  func wrongBeginning() throws {
    let watch = try bind("1111AAAAA001ZK")
    #expect(failure(of: watch) == .wrongCode)
    #expect(watch.phases.contains(.authenticating))
    #expect(device == nil)
    #expect(try knownTags() == [])
    #expect(!fixture.tag.isConnected)
  }

  @Test("a tag that refuses to pair ends it with advice, and nothing remains")
  func refused() throws {
    try fixture.happen("bond refused")
    let watch = try bind()
    #expect(failure(of: watch) == .pairingRefused)
    #expect(watch.states.map(\.attempt).max() == 1)
    #expect(watch.connection.state.reason?.dbusName == "org.bluez.Error.AuthenticationFailed")
    #expect(watch.connection.state.reason?.advice == JacquardError.Code.pairingRefused.advice)
    #expect(device?.isBonded != true)
    #expect(try knownTags() == [])
    #expect(fixture.daemon.agentCount == 0)
  }

  @Test("a tag that pairs without storing a bond is not bound")
  func fleeting() throws {
    try fixture.happen("bond fleeting")
    let watch = try bind()
    #expect(failure(of: watch) == .pairingRefused)
    #expect(watch.connection.state.reason?.message == "The tag paired but did not store a bond.")
    #expect(device?.paired != true)
    #expect(try knownTags() == [])
  }

  @Test("a link lost during pairing is re-established")
  func lostWhilePairing() throws {
    try fixture.happen("pairing takes 5s")
    let watch = try bind()
    fixture.run(until: { watch.phases.contains(.authenticating) })
    try fixture.happen("drop link")
    try fixture.happen("pairing takes 400ms")
    fixture.run(until: { watch.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
    #expect(watch.states.map(\.attempt).max() == 2)
  }

  @Test("if bluetoothd crashes during pairing, pairing is repeated after its restart")
  func daemonDiesWhilePairing() throws {
    try fixture.happen("pairing takes 5s")
    let watch = try bind()
    fixture.run(until: { watch.phases.contains(.authenticating) })
    try fixture.happen("pairing takes 400ms")
    try fixture.happen("bluetoothd restart after 1s")
    fixture.run(until: { watch.isConnected }, within: .seconds(60))
    #expect(watch.isConnected)
    #expect(fixture.daemon.agentCount == 0)
  }

  @Test("pairing that never ends is cancelled in time, and repeated until the time limit")
  func pairingHangs() throws {
    try fixture.happen("pairing takes 10min")
    let start = fixture.now
    let watch = try bind()
    #expect(failure(of: watch) == .timeout)
    #expect(start.duration(to: fixture.now) < .seconds(70))
    #expect(!fixture.tag.isConnected)
    #expect(device?.isBonded != true)
    #expect(fixture.daemon.agentCount == 0)
  }

  @Test("a user who ends binding at any step leaves either a bound tag or nothing", arguments: Step.allCases)
  func endedAt(_ step: Step) throws {
    let watch = try bind()
    watch.onState = { [weak watch] in if $0.step == step.rawValue { watch?.connection.end(.disconnected) } }
    fixture.run(until: { watch.hasEnded }, within: .seconds(60))
    fixture.stepped.pass(.seconds(5))
    #expect(watch.connection.state.reason == nil)
    #expect(!fixture.tag.isConnected)
    #expect(try knownTags().isEmpty == (device?.isBonded != true))
    #expect(fixture.daemon.agentCount == 0)
  }

  @Test("ending the connection during pairing cancels the pairing")
  func endedWhilePairing() throws {
    try fixture.happen("pairing takes 5s")
    let watch = try bind()
    fixture.run(until: { watch.phases.contains(.authenticating) })
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded }, within: .seconds(10))
    fixture.stepped.pass(.seconds(20))
    #expect(device?.isBonded != true)
    #expect(try knownTags() == [])
    #expect(fixture.daemon.agentCount == 0)
  }

  @Test("the end of the manager at any time leaves either a bound tag or nothing", arguments: Step.allCases)
  func managerEnds(_ step: Step) throws {
    let watch = try bind()
    var closed = false
    watch.onState = { [fixture] in
      guard $0.step == step.rawValue, !closed else { return }
      closed = true
      fixture.manager.close()
    }
    fixture.run(until: { closed })
    fixture.stepped.pass(.seconds(10))
    #expect(!fixture.tag.isConnected)
    let other = try fixture.anotherManager()
    let known = try other.knownTags()
    #expect(known.isEmpty == other.cache.devices.allSatisfy { !$0.isBonded })
    #expect(known.isEmpty == (step != .connected))
  }

  @Test("a first connection has a limit of one minute, even to a known tag")
  func aMinute() throws {
    finish(try bound())
    try fixture.happen("out-of-range")
    let start = fixture.now
    #expect(failure(of: try bind()) != nil)
    #expect(start.duration(to: fixture.now) >= .seconds(60))
    #expect(start.duration(to: fixture.now) < .seconds(66))
  }

  @Test("a state file that cannot be written ends it, and the bond is removed")
  func stateFile() throws {
    try fixture.obstructState()
    let watch = try bind()
    #expect(failure(of: watch) == .stateFile)
    #expect(device == nil)
    #expect(watch.states.map(\.attempt).max() == 1)
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

  // MARK: A bond lost by BlueZ

  private func forgetInBlueZ() throws {
    let (adapter, device) = try #require(fixture.manager.core.bondedDevices(WorldFixture.identifier).first)
    try fixture.outcome { try await adapter.remove(device) }.get()
  }

  @Test(
    "a bond lost by BlueZ is reported before a link is attempted, and binding again restores it",
    arguments: [false, true])
  func forgotten(_ isAway: Bool) throws {
    finish(try bound(owner: "me"))
    try forgetInBlueZ()
    if isAway { try fixture.happen("out-of-range") }
    let links = fixture.tag.journal.links
    let start = fixture.now
    let watch = try fixture.connect()
    fixture.run(until: { watch.connection.state.reason != nil })
    #expect(watch.connection.state.reason == .bondMayBeMissing)
    #expect(start.duration(to: fixture.now) < .seconds(2))
    if isAway { try fixture.happen("in-range") }
    #expect(failure(of: watch) == .notBound)
    #expect(start.duration(to: fixture.now) < .seconds(5))
    #expect(fixture.tag.journal.links == links)
    #expect(try knownTags().count == 1)
    finish(try bound())
    #expect(try fixture.connected().isConnected)
  }

  @Test("a bond is reported as lost if another program removes it during a connection", arguments: [false, true])
  func forgottenWhileConnected(_ isAway: Bool) throws {
    let watch = try bound()
    if isAway {
      try fixture.happen("out-of-range")
      fixture.stepped.pass(.seconds(10))
    }
    try forgetInBlueZ()
    let start = fixture.now
    if isAway {
      fixture.run(until: { watch.connection.state.reason?.code == .notBound })
      #expect(watch.connection.state.phase == .preparing)
      try fixture.happen("in-range")
    }
    #expect(failure(of: watch) == .notBound)
    #expect(start.duration(to: fixture.now) < .seconds(25))
  }

  @Test(
    "a bond is not reported as lost while bluetoothd or the adapter is returning",
    arguments: ["bluetoothd restart after 1s", "adapter removed for 3s", "bluetoothd stop for 5s"])
  func bondComesBack(_ event: String) throws {
    let watch = try bound()
    for _ in 0..<3 {
      let old = watch.tag
      try fixture.happen(event)
      fixture.run(until: { watch.hasEnded || watch.isConnected && watch.tag !== old }, within: .seconds(120))
      #expect(watch.isConnected)
    }
  }

  // MARK: A bond lost by the tag

  /// Returns after how long the connection has suspected the loss, which does not end it.
  private func suspicion(of watch: ConnectionWatch) -> Duration {
    let start = fixture.now
    fixture.run(until: { watch.hasEnded || watch.connection.state.reason?.code == .bondLost }, within: .seconds(120))
    let time = start.duration(to: fixture.now)
    #expect(watch.connection.state.phase == .preparing)
    #expect(watch.connection.state.reason?.isSuspicion == true)
    #expect(watch.connection.state.reason?.advice.contains("If the tag was reset or bound elsewhere") == true)
    return time
  }

  /// BlueZ before 5.83 does not report that the tag has refused to encrypt the link.
  @Test(
    "a bond lost by the tag is suspected after three refusals to encrypt the link, however long these links last",
    arguments: [0, 25, 250, 2000], [0, 30, 99, 150, 1000])
  func bondLost(_ refused: Int, _ ended: Int) throws {
    fixture.daemon.setKeyMissing(refused: .milliseconds(refused), ended: .milliseconds(ended))
    finish(try bound())
    try fixture.happen("bond forget")
    let watch = try fixture.connect()
    #expect(suspicion(of: watch) < .seconds(15))
    // One of four replies shows nothing if the link ends soon after the refusal. The state is that of the next attempt.
    #expect(watch.states.map(\.attempt).max() == (ended > 100 ? 4 : 5))
    fixture.stepped.pass(.seconds(600))
    #expect(watch.connection.state.phase != .disconnected)
    #expect(watch.reasons.last == .bondLost)
    #expect(try knownTags().count == 1)
  }

  @Test(
    "a lost bond is suspected although an attempt hangs, or fails without a link",
    arguments: [("connect hangs once", 45), ("connect fails le-connection-abort-by-local once", 30)],
    [1, 3, 4])
  func bondLostAmongOthers(_ fault: (event: String, seconds: Int), _ attempt: UInt32) throws {
    finish(try bound())
    try fixture.happen("bond forget")
    let watch = try fixture.connect()
    var happened = false
    watch.onState = { [fixture] state in
      guard state.attempt == attempt, state.step < Step.linkUp.rawValue, !happened else { return }
      happened = true
      do { _ = try fixture.world.control(fault.event) } catch { Issue.record(error) }
    }
    #expect(suspicion(of: watch) < .seconds(fault.seconds))
    #expect(happened)
    #expect(watch.states.map(\.attempt).max() == 6)
  }

  @Test("a suspicion ends when a link works")
  func suspicionEnds() throws {
    finish(try bound())
    try fixture.happen("connect drops 4 times")
    let watch = try fixture.connect()
    _ = suspicion(of: watch)
    fixture.run(until: { watch.isConnected })
    watch.forget()
    try fixture.happen("connect drops 2 times")
    try fixture.happen("drop link")
    fixture.run(until: { watch.isConnected })
    #expect(watch.reasons == [.connectionLost])
  }

  @Test("a bond lost by the tag is detected immediately if BlueZ reports it")
  func keyMissing() throws {
    finish(try bound())
    try fixture.happen("connect fails le-connection-key-missing")
    let watch = try fixture.connect()
    #expect(failure(of: watch) == .bondLost)
    #expect(watch.states.map(\.attempt).max() == 1)
  }

  @Test("a bond lost by the tag is detected immediately if BlueZ reports it as the reason for the end of the link")
  func authenticationFailure() throws {
    try fixture.happen("quirk disconnected-signal on")
    finish(try bound())
    try fixture.happen("bond forget")
    let watch = try fixture.connect()
    #expect(failure(of: watch) == .bondLost)
    #expect(watch.states.map(\.attempt).max() == 1)
    #expect(watch.connection.state.disconnectReason == .authentication)
  }

  @Test("a bond lost by the tag is replaced by binding again", arguments: [false, true])
  func bondReplaced(_ givesReason: Bool) throws {
    try fixture.happen("quirk disconnected-signal \(givesReason ? "on" : "off")")
    finish(try bound())
    try fixture.happen("bond forget")
    let watch = try bound()
    #expect(watch.isConnected)
    #expect(watch.phases.contains(.authenticating))
    #expect(device?.isBonded == true)
  }

  @Test("a bond lost by the tag is restored by unbinding and binding")
  func boundAgain() throws {
    finish(try bound())
    try fixture.happen("bond forget")
    _ = suspicion(of: try fixture.connect())
    try unbind().get()
    #expect(try bound().isConnected)
  }

  @Test("a lost bond is not assumed if the radio is bad, the tag is absent, or there is no bond")
  func noDoubt() throws {
    try fixture.happen("connect fails le-connection-abort-by-local 20 times")
    let unbonded = try fixture.connect()
    #expect(failure(of: unbonded) == .timeout)
    try fixture.happen("connect works")
    finish(try bound())
    try fixture.happen("out-of-range")
    let away = try fixture.connect()
    fixture.stepped.pass(.seconds(3600))
    #expect(!away.hasEnded)
    try fixture.happen("in-range")
    fixture.run(until: { away.isConnected }, within: .seconds(60))
    #expect(away.isConnected)
  }

  /// BlueZ reports these links as never up, or as up for six connection intervals.
  @Test(
    "a lost bond is not assumed if a link cannot be established 40 times in a row",
    arguments: ["connect fails le-connection-abort-by-local 40 times", "connect flaps 40 times"], [0, 45, 180, 300])
  func notEstablished(_ fault: String, _ length: Int) throws {
    finish(try bound())
    fixture.daemon.setFlapLength(.milliseconds(length))
    try fixture.happen(fault)
    let watch = try fixture.connect()
    fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(900))
    #expect(watch.isConnected)
    #expect(watch.states.map(\.attempt).max() == 41)
    #expect(watch.reasons == [.connectFailed])
  }

  @Test(
    "a lost bond is not assumed if encrypted links are lost before their services are resolved", arguments: [0, 5, 80])
  func lostEarly(_ length: Int) throws {
    finish(try bound())
    let watch = try fixture.connect()
    var losses = 0
    watch.onState = { [fixture] state in
      guard state.step == Step.linkUp.rawValue, losses < 20 else { return }
      losses += 1
      fixture.stepped.loop.schedule(after: .milliseconds(length)) {
        do { _ = try fixture.world.control("drop link") } catch { Issue.record(error) }
      }
    }
    fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(600))
    #expect(watch.isConnected && losses == 20)
    #expect(watch.reasons == [.connectionLost])
  }

  @Test("a lost bond is not assumed if links occasionally end early")
  func rareLosses() throws {
    finish(try bound())
    let watch = try fixture.connected()
    for _ in 0..<20 {
      try fixture.happen("connect flaps 5 times")
      try fixture.happen("drop link")
      fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(300))
      #expect(watch.isConnected)
    }
  }

  // MARK: Owners

  @Test("a tag is refused to another owner until it is unbound")
  func otherOwner() throws {
    finish(try bound(owner: "me"))
    #expect(failure(of: try bind(owner: "you")) == .otherOwner)
    var options = Connection.Options()
    options.owner = "you"
    #expect(failure(of: try fixture.connect(options)) == .otherOwner)
    #expect(fixture.tag.journal.links == 1)
    options.owner = "me"
    finish(try fixture.connected(options))
    try unbind().get()
    #expect(try bound(owner: "you").isConnected)
    #expect(try knownTags().map(\.owner) == ["you"])
  }

  @Test("binding without an owner keeps the current owner, if any")
  func noOwner() throws {
    finish(try bound())
    #expect(try knownTags().map(\.owner) == [nil])
    finish(try bound(owner: "me", profile: [ProfileEntry("a", "1")]))
    finish(try bound())
    #expect(try knownTags().map(\.owner) == ["me"])
    #expect(try knownTags().map(\.profile) == [[ProfileEntry("a", "1")]])
  }

  // MARK: Updating and unbinding

  @Test("a profile is replaced")
  func updating() throws {
    finish(try bound(profile: [ProfileEntry("a", "1")]))
    try update(WorldFixture.identifier, [ProfileEntry("b", "2")]).get()
    #expect(try knownTags().map(\.profile) == [[ProfileEntry("b", "2")]])
    let stranger = TagIdentifier(address: "00:00:00:00:00:01")
    #expect(code(update(stranger, [])) == .notFound)
  }

  @Test("unbinding removes the tag here and from BlueZ")
  func unbinding() throws {
    finish(try bound())
    try unbind().get()
    #expect(device == nil)
    #expect(try knownTags() == [])
    #expect(code(unbind()) == .notFound)
  }

  @Test("unbinding ends the connection first")
  func unbindConnected() throws {
    let watch = try bound()
    try unbind().get()
    #expect(watch.hasEnded)
    #expect(watch.connection.state.reason == nil)
    #expect(!fixture.tag.isConnected)
    #expect(device == nil)
    #expect(try knownTags() == [])
  }

  @Test("unbinding without a bluetoothd changes nothing, not even the connection")
  func unbindWithoutDaemon() throws {
    let watch = try bound()
    try fixture.happen("bluetoothd kill")
    let outcome = unbind()
    #expect(code(outcome) == .bluezUnavailable)
    #expect(!watch.hasEnded)
    #expect(try knownTags().count == 1)
  }

  @Test("unbinding with the adapter powered off fails and changes nothing")
  func unbindPoweredOff() throws {
    finish(try bound())
    try fixture.happen("adapter off")
    let outcome = unbind()
    #expect(code(outcome) == .poweredOff)
    #expect(try knownTags().count == 1)
  }

  @Test("unbinding a tag that is only bonded removes it from BlueZ")
  func unbindBonded() throws {
    finish(try bound())
    _ = try fixture.outcome { [fixture] in try await fixture.manager.core.knownTags.forget(WorldFixture.identifier) }
      .get()
    #expect(device?.isBonded == true)
    try unbind().get()
    #expect(device == nil)
  }

  @Test("a manager that neither binds nor lists writes no files")
  func noTrace() throws {
    finish(try fixture.connected())
    #expect(try knownTags() == [])
    #expect(fixture.stateFiles == [])
  }
}
