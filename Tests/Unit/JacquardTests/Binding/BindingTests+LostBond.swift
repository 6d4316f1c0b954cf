import BlueZ
import DBus
import EventLoop
import TagSimulator
import Testing

@testable import Jacquard

extension BindingTests {
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

  @Test("a bond lost by BlueZ is reported as quickly if a scan has ended")
  func forgottenAndScanned() throws {
    finish(try bound())
    try forgetInBlueZ()
    let scan = fixture.manager.scan(onFound: { _ in }, onEnd: { _, _ in })
    fixture.stepped.pass(.seconds(1))
    scan.stop()
    let start = fixture.now
    #expect(failure(of: try fixture.connect()) == .notBound)
    #expect(start.duration(to: fixture.now) < .seconds(5))
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

  /// Returns the time until the connection suspects the loss. The suspicion does not end the connection.
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
}
