import DBus
import EventLoop
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

extension RecoveryTests {
  // MARK: Services

  @Test("incompletely resolved services are removed and discovered again", arguments: [1, 3])
  func incompleteServices(_ times: Int) throws {
    var removed = 0
    fixture.daemon.called = { _, member in if member == "RemoveDevice" { removed += 1 } }
    try fixture.happen("resolve incomplete \(times) times")
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    #expect(watch.reasons == [.incompleteGatt])
    #expect(removed == times)
    #expect(try works(watch))
  }

  @Test(
    "services that change during a link cause a new link with a new tag",
    arguments: [("renumbered", 1), ("renumbered", 4), ("removed", 2)])
  func changed(_ change: String, _ times: Int) throws {
    let watch = try fixture.connected()
    for _ in 0..<times {
      let old = try #require(watch.tag)
      watch.forget()
      try fixture.happen("services \(change)")
      #expect(watch.states.first?.phase == .preparing)
      #expect(watch.states.first?.reason?.code == .deviceGone)
      fixture.run(until: { watch.isConnected }, within: .seconds(10))
      #expect(watch.tag !== old)
      #expect(try works(watch))
    }
    #expect(fixture.tag.violations == [])
  }

  @Test("commands sent while services change complete once")
  func commandDuringChange() throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    try fixture.happen("on request battery: drop")
    let outcome = Recorder<JacquardError.Code?>()
    fixture.loop.spawn {
      do { _ = try await tag.readBattery() } catch { outcome.note((error as? JacquardError)?.code) }
    }
    fixture.settle()
    try fixture.happen("services renumbered")
    #expect(outcome.entries == [.deviceGone])
  }

  // MARK: Notifications

  @Test(
    "all three characteristics notify again after every loss, and each value is delivered once",
    arguments: [
      "drop link", "out-of-range for 5s", "bluetoothd restart after 1s", "adapter removed for 3s",
      "services renumbered", "services removed",
      "reboot", "suspend for 60s", "adapter off for 20s",
    ])
  func speakAgain(_ event: String) throws {
    var options = Connection.Options()
    options.waitForAdapter = true
    let watch = try fixture.connected(options)
    let heard = Recorder<String>()
    watch.connection.notifications.battery.add { heard.note("battery \($0.percent)") }
    watch.connection.notifications.raw.packets.add { heard.note("raw \(Array($0))") }
    for round in 0..<3 {
      let old = watch.tag
      try fixture.happen(event)
      #expect(fixture.run(until: { watch.isConnected && watch.tag !== old }, within: .seconds(90)))
      fixture.stepped.pass(.seconds(1))
      heard.entries = []
      try fixture.happen("battery \(40 + round)")
      try fixture.happen("raw-packet \(round) 07")
      fixture.stepped.pass(.seconds(1))
      #expect(heard.entries == ["battery \(40 + round)", "raw [7]"])
      #expect(try works(watch))
    }
  }

  @Test("a raw packet that arrives during the set-up is acknowledged once all notifications are enabled")
  func earlyRawPacket() throws {
    try fixture.connected().connection.end(.disconnected)
    fixture.stepped.pass(.seconds(5))
    try fixture.happen("foreign 1 subscribe raw")
    let watch = try fixture.connect()
    watch.onState = { [fixture] state in
      if state.step == Step.characteristicsFound.rawValue { _ = try? fixture.world.control("raw-packet 5 07") }
      if state.step < Step.thirdNotificationsEnabled.rawValue { #expect(fixture.tag.journal.rawPackets == []) }
    }
    fixture.run(until: { watch.isConnected }, within: .seconds(30))
    fixture.stepped.pass(.seconds(1))
    #expect(fixture.tag.journal.rawPackets == [[5, 0x41]])
    #expect(fixture.tag.violations == [])
  }

  @Test("a subscription that BlueZ accepts but does not execute is repeated", arguments: [1, 2, 3, 6])
  func ignoredStartNotify(_ times: Int) throws {
    var removed = 0
    fixture.daemon.called = { _, member in if member == "RemoveDevice" { removed += 1 } }
    fixture.daemon.ignoreStartNotify(times: times)
    let watch = try fixture.connect()
    fixture.run(until: { watch.isConnected }, within: .seconds(20))
    #expect(watch.isConnected)
    #expect(try works(watch))
    // After the second time the tag is removed from BlueZ.
    #expect(removed == times / 2)
    #expect(watch.reasons == (times < 2 ? [] : [.incompleteGatt]))
    #expect(watch.states.compactMap(\.reason).allSatisfy { $0.message.contains("response characteristic") })
  }

  @Test("BlueZ's unreliable methods are not used: no AcquireNotify, no StopNotify on a loss, no read")
  func avoided() throws {
    let members = Recorder<String>()
    fixture.daemon.called = { _, member in members.note(member) }
    let watch = try fixture.connected()
    for event in ["drop link", "services renumbered", "bluetoothd restart after 1s"] {
      let old = watch.tag
      try fixture.happen(event)
      fixture.run(until: { watch.isConnected && watch.tag !== old }, within: .seconds(60))
    }
    #expect(members.entries.contains("StartNotify"))
    #expect(!members.entries.contains("StopNotify"))
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
    #expect(
      Set(members.entries).isDisjoint(with: [
        "AcquireNotify", "AcquireWrite", "ReadValue", "ConnectDevice", "CancelPairing",
      ]))
  }

  @Test("no call is made on a lost link")
  func deadLink() throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    let calls = Recorder<String>()
    try fixture.happen("out-of-range")
    fixture.daemon.called = { path, member in if path.contains("/char") { calls.note(member) } }
    for _ in 0..<5 { #expect(code(fixture.outcome { try await tag.readBattery() }) == .staleTag) }
    fixture.stepped.pass(.seconds(300))
    #expect(calls.entries == [])
    #expect(!watch.isConnected)
  }

  @Test(
    "a lost link is not disconnected, which would cancel the kernel's own reconnection",
    arguments: [false, true])
  func lostLink(_ bonded: Bool) throws {
    if bonded {
      let binding = ConnectionWatch(try fixture.manager.bind(WorldFixture.identifier, try Binding(code: "01ZK")))
      fixture.run(until: { binding.isConnected })
      binding.connection.end(.disconnected)
      fixture.run(until: { binding.hasEnded })
    }
    let watch = try fixture.connected()
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    try fixture.happen("drop link")
    fixture.run(until: { watch.isConnected })
    try fixture.happen("on request hello once: disconnect")
    try fixture.happen("drop link")
    fixture.run(until: { watch.isConnected })
    if bonded {
      try fixture.happen("bond forget")
      try fixture.happen("drop link")
      fixture.run(until: { watch.reasons.last == .bondLost })
      #expect(watch.reasons.last == .bondLost)
    }
    #expect(calls.entries.filter { $0 == "Connect" }.count >= 3)
    #expect(!calls.entries.contains("Disconnect"))
  }
}
