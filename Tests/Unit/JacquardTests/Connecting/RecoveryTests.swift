import DBus
import EventLoop
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

/// Known problems of other libraries, listed in docs/reliability.md.
@Suite("Recovery of links")
struct RecoveryTests {
  private let fixture: WorldFixture

  init() throws { fixture = try WorldFixture() }

  private func works(_ watch: ConnectionWatch) throws -> Bool {
    let tag = try #require(watch.tag)
    return code(fixture.outcome { try await tag.readBattery() }) == nil
  }

  // MARK: Connect

  @Test("a Connect without a reply does no harm if the link is up")
  func unansweredConnect() throws {
    try fixture.happen("quirk unanswered-connect on")
    let start = fixture.now
    let watch = try fixture.connected()
    #expect(watch.states.map(\.attempt).max() == 1)
    #expect(start.duration(to: fixture.now) < .seconds(2))
    #expect(try works(watch))
  }

  @Test(
    "a failed link is retried whatever BlueZ's error, and the advice names possible interference",
    arguments: [
      "le-connection-abort-by-local", "le-connection-timeout", "le-connection-refused", "le-connection-busy",
      "br-connection-canceled", "br-connection-busy", "Software-caused-connection-abort", "Host-is-down",
    ])
  func failures(_ text: String) throws {
    try fixture.happen("connect fails \(text) 5 times")
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    #expect(watch.states.map(\.attempt).max() == 6)
    let reason = try #require(watch.states.compactMap(\.reason).first)
    #expect(reason.code == .connectFailed)
    #expect(reason.message == "The link could not be established: \(text).")
    #expect(reason.advice.contains("Wi-Fi"))
  }

  @Test("a link that comes up briefly after a failure is not reported", arguments: [50, 200, 300, 600, 1000])
  func flap(_ milliseconds: Int) throws {
    fixture.daemon.setFlapLength(.milliseconds(milliseconds))
    try fixture.happen("connect flaps 2 times")
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    let reported = watch.states.filter { $0.attempt < (watch.states.last?.attempt ?? 0) }
    #expect(reported.map(\.step).max() == Step.tagKnown.rawValue)
    #expect(reported.map(\.disconnectReason).allSatisfy { $0 == .none })
    #expect(try works(watch))
  }

  /// BlueZ keeps a link for two seconds after the Disconnect of a program that has ended, and reports it as connected
  /// and resolved during that time.
  @Test(
    "a program started immediately after another waits until that link is down, and its first attempt succeeds",
    arguments: [0, 1, 500, 1_000, 1_900, 1_999, 2_000, 2_001])
  func nextProgram(_ milliseconds: Int) throws {
    _ = try fixture.connected()
    fixture.manager.close()
    fixture.stepped.pass(.milliseconds(milliseconds))
    let watch = ConnectionWatch(try fixture.anotherManager().connect(WorldFixture.identifier))
    fixture.run(until: { watch.isConnected }, within: .seconds(5))
    #expect(watch.isConnected)
    #expect(watch.reasons == [])
    #expect(watch.steps == Step.allCases.map(\.rawValue))
    #expect(try works(watch))
    #expect(fixture.tag.violations == [])
  }

  @Test("a link to which no program has subscribed is dropped, and made again")
  func unusedLink() throws {
    let first = try fixture.connected()
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    let device = try #require(fixture.manager.core.cache.devices.first)
    let cache = fixture.manager.core.cache
    let following = try fixture.outcome { try await cache.follow(device) }.get()
    #expect(code(fixture.outcome { try await device.connect(deadline: .seconds(5)) }) == nil)
    fixture.run(until: { device.servicesResolved })
    withExtendedLifetime(following) {}
    var calls: Set<String> = []
    fixture.daemon.called = { _, member in calls.insert(member) }
    let watch = try fixture.connected()
    #expect(watch.reasons == [])
    #expect(calls.isSuperset(of: ["Connect", "Disconnect"]))
    #expect(try works(watch))
    #expect(fixture.tag.violations == [])
  }

  /// BlueZ keeps the link of a killed program for a while. A tag may report its gear only once on it, and may refuse a
  /// second `hello`.
  @Test(
    "hello is sent once on a link, and the gear is known, after a program was killed",
    arguments: ["greeting subscribed once", "greeting begun once", "greeting configured once"], [0, 100, 1_999])
  func killed(_ greeting: String, _ milliseconds: Int) throws {
    for line in [greeting, "second-hello refused", "gear attach levis-trucker"] { try fixture.happen(line) }
    _ = try fixture.connected()
    fixture.manager.core.bluez.close()
    fixture.manager.close()
    fixture.stepped.pass(.milliseconds(milliseconds))
    #expect(fixture.tag.isConnected)
    let watch = ConnectionWatch(try fixture.anotherManager().connect(WorldFixture.identifier))
    fixture.run(until: { watch.isConnected && watch.connection.gear.gear != nil }, within: .seconds(10))
    #expect(try #require(watch.connection.gear.gear)?.info.product.rawValue == 0x8a66_50f4)
    #expect(fixture.tag.journal.links == 2)
    #expect(fixture.tag.journal.kinds.count { $0 == .hello } == 2)
    #expect(try works(watch))
    #expect(fixture.tag.violations == [])
  }

  @Test("there is a pause between attempts")
  func spacing() throws {
    var calls: [LoopInstant] = []
    fixture.daemon.called = { [fixture] _, member in if member == "Connect" { calls.append(fixture.now) } }
    try fixture.happen("connect fails le-connection-abort-by-local 7 times")
    _ = try fixture.connected()
    #expect(calls.count == 8)
    for (before, after) in zip(calls, calls.dropFirst()) {
      #expect(before.duration(to: after) >= .milliseconds(250))
    }
    // After it has been connected, the next loss starts with the shortest pause again.
    calls = []
    try fixture.happen("drop link")
    #expect(calls.count == 1)
  }

  @Test("BR/EDR errors are explained")
  func classicRadio() throws {
    try fixture.happen("connect fails br-connection-page-timeout 2 times")
    let watch = try fixture.connected()
    let reason = try #require(watch.states.compactMap(\.reason).first)
    #expect(reason.message == "The link could not be established: br-connection-page-timeout.")
    #expect(reason.advice.contains("ControllerMode = le"))
  }

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

  @Test("services that change during a link cause a new link with a new tag", arguments: [1, 4])
  func renumbered(_ times: Int) throws {
    let watch = try fixture.connected()
    for _ in 0..<times {
      let old = try #require(watch.tag)
      watch.forget()
      try fixture.happen("services renumbered")
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
      "services renumbered",
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

  // MARK: Messages

  @Test("a tag out of range is not reported as a Bluetooth service that does not respond")
  func outOfReach() throws {
    let watch = try fixture.connected()
    watch.forget()
    try fixture.happen("out-of-range")
    fixture.stepped.pass(.seconds(25))
    let reason = try #require(watch.connection.state.reason)
    #expect(reason.code == .timeout)
    #expect(reason.message == "The tag was not reached within 20 s.")
    #expect(reason.advice.hasPrefix("None needed"))
  }

  @Test(
    "the advice is that none is needed if the library recovers by itself",
    arguments: ["bluetoothd kill", "bluetoothd stop", "bluetoothd hang for 60s", "adapter removed"])
  func nothingToDo(_ event: String) throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    try fixture.happen(event)
    fixture.loop.spawn { _ = try? await tag.readBattery() }
    fixture.run(until: { fixture.manager.adapterStatus.state == .resetting }, within: .seconds(60))
    #expect(fixture.manager.adapterStatus.error?.advice.hasPrefix("None needed") == true)
    #expect(watch.connection.state.reason?.advice.hasPrefix("None needed") ?? true)
  }

  @Test("a tag that another program removes is searched for, and no action is needed")
  func removedByAnother() throws {
    let watch = try fixture.connected()
    let core = fixture.manager.core
    let device = try #require(core.devices(of: WorldFixture.identifier).first)
    let adapter = try #require(core.cache.adapters.first)
    watch.forget()
    try fixture.outcome { try await adapter.remove(device) }.get()
    fixture.run(until: { watch.isConnected }, within: .seconds(20))
    #expect(watch.isConnected)
    #expect(!watch.states.compactMap(\.reason).isEmpty)
    #expect(watch.states.compactMap(\.reason).allSatisfy { $0.advice.hasPrefix("None needed") })
  }

  // MARK: A hanging bluetoothd

  /// Reads the battery, and records the error or nil.
  private func read(_ tag: Jacquard.Tag, _ results: Recorder<JacquardError.Code?>) {
    fixture.loop.spawn {
      do throws(JacquardError) {
        _ = try await tag.readBattery()
        results.note(nil)
      } catch {
        results.note(error.code)
      }
    }
  }

  @Test("a hanging bluetoothd is reported; the link and its commands continue with it")
  func hangWhileConnected() throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    try fixture.happen("bluetoothd hang")
    let began = fixture.now
    let results = Recorder<JacquardError.Code?>()
    read(tag, results)
    // Ten seconds for the write, five for the probe.
    fixture.run(until: { fixture.manager.adapterStatus.state == .resetting }, within: .seconds(60))
    #expect(began.duration(to: fixture.now) == .seconds(15))
    #expect(fixture.manager.adapterStatus.state == .resetting)
    #expect(fixture.manager.adapterStatus.error?.code == .bluezUnavailable)
    #expect(fixture.manager.adapterStatus.error?.message.contains("does not respond") == true)
    fixture.stepped.pass(.seconds(300))
    #expect(fixture.manager.adapterStatus.state == .resetting)
    #expect(results.entries == [.timeout])
    try fixture.happen("bluetoothd continue")
    #expect(fixture.manager.adapterStatus.state == .poweredOn)
    #expect(watch.isConnected)
    #expect(watch.tag === tag)
    #expect(try works(watch))
    #expect(fixture.tag.violations == [])
  }

  @Test("a bluetoothd that hangs for a minute delays commands, and fails none", arguments: [false, true])
  func hangForAMinute(_ isWritten: Bool) throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    let states = Recorder<AdapterState>()
    fixture.manager.adapterChanges.add { states.note($0.state) }
    try fixture.happen("latency 100ms")
    let results = Recorder<JacquardError.Code?>()
    if isWritten { read(tag, results) }
    fixture.stepped.pass(.milliseconds(50))
    try fixture.happen("bluetoothd hang for 60s")
    for _ in 0..<3 { read(tag, results) }
    fixture.stepped.pass(.seconds(59))
    #expect(results.entries == [])
    #expect(states.entries == [.resetting])
    fixture.stepped.pass(.seconds(2))
    #expect(results.entries == Array(repeating: nil, count: isWritten ? 4 : 3))
    #expect(states.entries == [.resetting, .poweredOn])
    #expect(watch.tag === tag)
    #expect(fixture.tag.violations == [])
  }

  @Test("a bluetoothd that hangs during a touch is noticed by a program that only listens")
  func hangWhileTouched() throws {
    let watch = try listening()
    let tag = try #require(watch.tag)
    let touches = Recorder<UInt32>()
    watch.connection.notifications.touches.add { touches.note($0.frame.sequence) }
    let states = Recorder<AdapterState>()
    fixture.manager.adapterChanges.add { states.note($0.state) }
    try fixture.happen("every 16ms touch sweep for 90s")
    fixture.stepped.pass(.seconds(10))
    try fixture.happen("bluetoothd hang for 60s")
    fixture.stepped.pass(.seconds(8))
    #expect(states.entries == [.resetting])
    #expect(watch.isConnected)
    fixture.stepped.pass(.seconds(51))
    #expect(states.entries == [.resetting])
    fixture.stepped.pass(.seconds(60))
    #expect(states.entries == [.resetting, .poweredOn])
    #expect(watch.tag === tag)
    #expect(watch.connection.notifications.statistics.counts.interruptions == 1)
    // The kernel kept the first few seconds.
    let sent = try #require(touches.entries.last)
    #expect(sent > 5000 && Int(sent) - touches.entries.count > 3000)
    #expect(fixture.tag.violations == [])
  }

  @Test("each touch costs one probe at its end, and nothing afterwards")
  func probeAfterTouch() throws {
    let watch = try listening()
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    for count in 1...3 {
      try fixture.happen("every 16ms touch sweep for 5s")
      fixture.stepped.pass(.seconds(10))
      #expect(calls.entries == Array(repeating: "Introspect", count: count))
    }
    let wakeUps = fixture.stepped.wakeUps
    fixture.stepped.pass(.seconds(300))
    #expect(fixture.stepped.wakeUps == wakeUps)
    #expect(watch.connection.notifications.statistics.counts.interruptions == 0)
    #expect(fixture.manager.adapterStatus.state == .poweredOn)
  }

  @Test("gestures arrive late if bluetoothd hangs while nothing is expected, and nothing is reported")
  func hangWhileIdle() throws {
    let watch = try fixture.connected()
    try fixture.happen("gear attach levis-trucker")
    fixture.run(until: { (watch.connection.gear.gear ?? nil) != nil }, within: .seconds(5))
    var gestures = 0
    watch.connection.notifications.gestures.add { _ in gestures += 1 }
    try fixture.happen("bluetoothd hang for 60s")
    for _ in 0..<50 {
      try fixture.happen("gesture brush-in")
      fixture.stepped.pass(.seconds(1))
    }
    #expect(gestures == 0)
    fixture.stepped.pass(.seconds(20))
    #expect(gestures == 50)
    #expect(watch.connection.notifications.statistics.counts.interruptions == 0)
  }

  /// Connected, with gear in continuous mode, and with no command in flight.
  private func listening() throws -> ConnectionWatch {
    let watch = try fixture.connected()
    try fixture.happen("gear attach levis-trucker")
    fixture.run(until: { (watch.connection.gear.gear ?? nil) != nil }, within: .seconds(5))
    let gear = try #require(watch.connection.gear.gear ?? nil)
    try fixture.outcome { try await gear.setTouchMode(.continuous) }.get()
    fixture.stepped.pass(.seconds(5))
    return watch
  }

  @Test("a write to which a bluetoothd that responds never replies ends the link, after the limit of ATT")
  func lostWrite() throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    let adapterStates = Recorder<AdapterState>()
    fixture.manager.adapterChanges.add { adapterStates.note($0.state) }
    try fixture.happen("quirk unanswered-write on")
    let began = fixture.now
    // The response arrives; the write blocks the next command.
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
    fixture.run(until: { watch.tag == nil }, within: .seconds(60))
    #expect(began.duration(to: fixture.now) == .seconds(30))
    #expect(watch.states.last?.reason?.code == .connectionLost)
    try fixture.happen("quirk unanswered-write off")
    fixture.run(until: { watch.isConnected }, within: .seconds(20))
    #expect(try works(watch))
    #expect(adapterStates.entries == [])
  }

  @Test("a bluetoothd that hangs during an attempt fails the attempt", arguments: Step.allCases.dropLast(2))
  func hangDuringSetUp(_ step: Step) throws {
    let watch = try fixture.connect()
    var happened = false
    watch.onState = { [fixture] state in
      guard state.step == step.rawValue, !happened else { return }
      happened = true
      do { _ = try fixture.world.control("bluetoothd hang for 30s") } catch { Issue.record(error) }
    }
    fixture.run(until: { happened })
    fixture.run(until: { watch.isConnected }, within: .seconds(55))
    #expect(watch.isConnected)
    #expect(try works(watch))
  }

  @Test("a bluetoothd that hangs during a scan does not end it")
  func hangDuringScan() throws {
    var found = 0
    let ends = Recorder<Scan.End>()
    var options = Scan.Options()
    options.everyReport = true
    let scan = fixture.manager.scan(options) { _ in
      found += 1
    } onEnd: { reason, _ in
      ends.note(reason)
    }
    fixture.stepped.pass(.seconds(2))
    try fixture.happen("bluetoothd hang for 120s")
    fixture.stepped.pass(.seconds(119))
    let before = found
    fixture.stepped.pass(.seconds(2))
    #expect(found > before)
    #expect(ends.entries == [])
    scan.stop()
  }

  @Test("one slow reply is not a hang")
  func slowWrite() throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    let states = Recorder<AdapterState>()
    fixture.manager.adapterChanges.add { states.note($0.state) }
    fixture.daemon.setWriteTime(.seconds(25))
    // The tag's response arrives long before bluetoothd's reply that the request has been written.
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
    fixture.stepped.pass(.seconds(60))
    #expect(states.entries == [])
    #expect(watch.isConnected)
  }

  @Test("a bluetoothd that is killed while it hangs is handled like any other")
  func killedWhileHanging() throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    try fixture.happen("bluetoothd hang")
    _ = fixture.outcome { try await tag.readBattery() }
    fixture.stepped.pass(.seconds(30))
    try fixture.happen("bluetoothd restart after 1s")
    fixture.run(until: { watch.isConnected && watch.tag !== tag }, within: .seconds(30))
    #expect(try works(watch))
    #expect(fixture.manager.adapterStatus.state == .poweredOn)
  }

  // MARK: The adapter

  @Test("an adapter chosen by its address is the same under another name")
  func otherName() throws {
    let chosen = try WorldFixture(adapter: "00:1A:7D:DA:71:13")
    let watch = try chosen.connected()
    for name in ["hci2", "hci0", "hci7"] {
      let old = watch.tag
      try chosen.happen("adapter removed")
      chosen.stepped.pass(.seconds(2))
      try chosen.happen("adapter added as \(name)")
      chosen.run(until: { watch.isConnected && watch.tag !== old }, within: .seconds(30))
      #expect(watch.isConnected)
    }
  }

  @Test("a scan and a connection continue after suspend")
  func suspended() throws {
    let two = try WorldFixture(tags: 2)
    let watch = try two.connected()
    var others = 0
    var options = Scan.Options()
    options.everyReport = true
    let scan = two.manager.scan(options) {
      if $0.serial == "T001" { others += 1 }
    } onEnd: { _, _ in
    }
    two.stepped.pass(.seconds(1))
    try two.happen("suspend for 300s")
    two.stepped.pass(.seconds(299))
    #expect(!watch.isConnected)
    let before = others
    two.run(until: { watch.isConnected }, within: .seconds(30))
    #expect(watch.isConnected)
    #expect(others > before)
    scan.stop()
  }

  // MARK: Discovery

  @Test("if the controller refuses to scan, discovery is stopped and retried", arguments: [1, 3, 6])
  func refusedDiscovery(_ times: Int) throws {
    try fixture.happen("discovery refused \(times) times")
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    #expect(watch.states.map(\.attempt).max() == 1)
  }

  @Test("the filter is set again after a tag has been connected during a scan")
  func filterAfterConnect() throws {
    let scan = fixture.manager.scan { _ in
    } onEnd: { _, _ in
    }
    fixture.stepped.pass(.seconds(1))
    let members = Recorder<String>()
    fixture.daemon.called = { _, member in members.note(member) }
    _ = try fixture.connected()
    #expect(members.entries.filter { $0 == "SetDiscoveryFilter" }.count == 1)
    #expect(!members.entries.contains("StopDiscovery") && !members.entries.contains("StartDiscovery"))
    scan.stop()
  }
}

/// Cases that the simulated BlueZ does not cover.
@Suite("Recovery of links with a scripted BlueZ")
struct ScriptedRecoveryTests {
  private let fixture: ScriptedFixture

  init() throws {
    fixture = try ScriptedFixture()
    try fixture.startDaemon([("00:1A:7D:DA:71:13", powered: true)])
  }

  @Test("BlueZ is asked to use LE only if it supports that", arguments: [nil, "le", "last-used"])
  func preferredBearer(_ bearer: String?) throws {
    var properties = SampleMachine.deviceProperties
    if let bearer { properties["PreferredBearer"] = .string(bearer) }
    let sets = Recorder<[Value]>()
    fixture.daemon?.answer = { call in
      if call.member == "Set" { sets.note(call.body()) }
      if call.member == "Connect" {
        call.fail("org.bluez.Error.Failed", "br-connection-page-timeout")
      } else {
        try? call.reply()
      }
    }
    fixture.start()
    fixture.daemon?.add(SampleMachine.device, [SampleMachine.deviceInterface: properties])
    fixture.stepped.settle()
    let watch = ConnectionWatch(try fixture.manager.connect(TagIdentifier(address: "C0:FF:EE:00:00:01")))
    fixture.stepped.pass(.milliseconds(100))
    let wanted: [[Value]] =
      bearer == "last-used"
      ? [[.string(SampleMachine.deviceInterface), .string("PreferredBearer"), .variant(.string("le"))]] : []
    #expect(sets.entries == wanted)
    #expect(watch.reasons == [.connectFailed])
  }

  @Test("a link that is lost and returns is up, although Connect gets no reply")
  func unansweredFlap() throws {
    let unanswered = Recorder<MethodCall>()
    fixture.daemon?.answer = { call in
      if call.member == "Connect" { unanswered.note(call) } else { try? call.reply() }
    }
    fixture.start()
    fixture.daemon?.add(SampleMachine.device, [SampleMachine.deviceInterface: SampleMachine.deviceProperties])
    fixture.stepped.settle()
    let watch = ConnectionWatch(try fixture.manager.connect(TagIdentifier(address: "C0:FF:EE:00:00:01")))
    for isConnected in [true, false, true] {
      fixture.stepped.pass(.milliseconds(150))
      fixture.daemon?.change(SampleMachine.device, SampleMachine.deviceInterface, ["Connected": .boolean(isConnected)])
      fixture.stepped.settle()
    }
    fixture.stepped.pass(.seconds(1))
    #expect(unanswered.entries.count == 1)
    #expect(watch.states.last?.step == Step.linkUp.rawValue)
  }

  @Test("an adapter that is removed immediately after it was added is not awaited")
  func fleetingPower() throws {
    fixture.start()
    fixture.setPowered(false)
    fixture.stepped.pass(.seconds(2))
    var options = Connection.Options()
    options.waitForAdapter = true
    let watch = ConnectionWatch(try fixture.manager.connect(TagIdentifier(address: "C0:FF:EE:00:00:01"), options))
    fixture.stepped.settle()
    for isPowered in [true, false] {
      fixture.daemon?.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Powered": .boolean(isPowered)])
    }
    fixture.stepped.pass(.seconds(2))
    #expect(watch.reasons.last == .poweredOff)
    #expect(watch.states.last?.step == 0)
    fixture.setPowered(true)
    fixture.stepped.pass(.milliseconds(100))
    #expect(watch.states.last?.step == Step.adapterReady.rawValue)
  }

  @Test("a device without the Jacquard service is not a tag, whatever BlueZ reports")
  func foreignDevices() throws {
    fixture.start()
    let found = Recorder<String>()
    let scan = fixture.manager.scan {
      found.note($0.name)
    } onEnd: { _, _ in
    }
    fixture.stepped.settle()
    for (index, uuids) in [[], ["0000180f-0000-1000-8000-00805f9b34fb"], ["D2F2BF0D-D165-445C-B0E1-2D6B642EC57B"]]
      .enumerated()
    {
      fixture.daemon?.add(
        "/org/bluez/hci0/dev_C0_FF_EE_00_00_0\(index)",
        [
          SampleMachine.deviceInterface: [
            "Adapter": .objectPath(SampleMachine.adapter), "Address": .string("C0:FF:EE:00:00:0\(index)"),
            "Name": .string("device \(index)"), "RSSI": .int16(-50), "UUIDs": .strings(uuids),
          ]
        ])
    }
    fixture.stepped.settle()
    #expect(found.entries == ["device 2"])
    scan.stop()
  }

  @Test("a second adapter does not replace the first; it is used when it is the only one")
  func severalAdapters() throws {
    fixture.start()
    #expect(fixture.status.address == "00:1A:7D:DA:71:13")
    fixture.daemon?.add("/org/bluez/hci1", ScriptedFixture.interfaces("00:1A:7D:DA:71:14", powered: true))
    fixture.stepped.settle()
    #expect(fixture.status.address == "00:1A:7D:DA:71:13")
    fixture.daemon?.remove("/org/bluez/hci0", [SampleMachine.adapterInterface])
    fixture.stepped.pass(.seconds(11))
    #expect(fixture.status.address == "00:1A:7D:DA:71:14")
    #expect(fixture.status.state == .poweredOn)
  }
}
