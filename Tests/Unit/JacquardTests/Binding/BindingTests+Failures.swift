import BlueZ
import DBus
import EventLoop
import TagSimulator
import Testing

@testable import Jacquard

extension BindingTests {
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
}
