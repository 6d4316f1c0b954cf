import EventLoop
import Glibc
import JacquardWire
import Sharing
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

/// Several managers, like those of several programs, that use one tag over one link.
@Suite("A shared tag")
struct SharedTagTests {
  private let bench: WorldFixture

  init() throws {
    bench = try WorldFixture(sharing: true)
    bench.world.complain = { Issue.record("\($0)") }
    try bench.happen("gear attach levis-trucker")
  }

  private func connect(
    _ manager: Manager, _ options: Connection.Options = Connection.Options()
  ) throws -> ConnectionWatch {
    ConnectionWatch(try manager.connect(WorldFixture.identifier, options))
  }

  private func connected(_ manager: Manager) throws -> ConnectionWatch {
    let watch = try connect(manager)
    #expect(bench.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(60)))
    try #require(watch.isConnected, "\(String(describing: watch.connection.state.reason))")
    return watch
  }

  /// A host and a guest, both connected, with their gear announced.
  private func pair() throws -> (host: ConnectionWatch, guest: ConnectionWatch, guestManager: Manager) {
    let other = try bench.anotherManager()
    let host = try connected(bench.manager)
    let guest = try connected(other)
    #expect(
      bench.run(
        until: { [host, guest].allSatisfy { ($0.connection.gear.gear ?? nil) != nil } }, within: .seconds(10)))
    return (host, guest, other)
  }

  private func listen(_ watch: ConnectionWatch) -> Recorder<String> {
    let heard = Recorder<String>()
    let notifications = watch.connection.notifications
    notifications.gestures.add { heard.note("gesture \($0.gesture.rawValue)") }
    notifications.battery.add { heard.note("battery \($0.percent)") }
    notifications.rawData.add { heard.note("raw \(Array($0))") }
    return heard
  }

  private func battery(_ watch: ConnectionWatch) throws -> Result<UInt32, any Error> {
    let tag = try #require(watch.tag)
    return bench.outcome { try await tag.readBattery().percent }
  }

  private func works(_ watch: ConnectionWatch) throws {
    try bench.happen("battery 42")
    #expect(try battery(watch).get() == 42)
  }

  // MARK: Known tags

  private func hosts(_ manager: Manager) throws -> [Int32] {
    try bench.outcome { try await manager.knownTags() }.get().map(\.hostProcess)
  }

  @Test("known tags are listed with the process of their host, also by a manager that is not connected")
  func listedHost() throws {
    let other = try bench.anotherManager()
    let binding = try Binding(code: "0000AAAAA0" + bench.tag.profile.serial)
    let host = ConnectionWatch(try bench.manager.bind(WorldFixture.identifier, binding))
    bench.run(until: { host.isConnected })
    for manager in [bench.manager!, other] { #expect(try hosts(manager) == [getpid()]) }
    #expect(host.isConnected)
    host.connection.disconnect()
    bench.run(until: { host.hasEnded })
    for manager in [bench.manager!, other] { #expect(try hosts(manager) == [0]) }
  }

  @Test("host and guest mark the same gestures as possible copies")
  func possibleCopies() throws {
    let (host, guest, _) = try pair()
    let heard = Recorder<String>()
    for (name, watch) in [("host", host), ("guest", guest)] {
      watch.connection.notifications.gestures.add {
        heard.note("\(name) \($0.gesture.rawValue)\($0.mayBeCopy ? ", may be a copy" : "")")
      }
    }
    try bench.happen("foreign subscribe")
    try bench.happen("gesture cover")
    for name in ["host", "guest"] {
      #expect(heard.entries.filter { $0.hasPrefix(name) } == ["\(name) 7", "\(name) 7, may be a copy"])
    }
  }

  // MARK: States

  @Test("a second program is a guest: same states, same tag, one link")
  func guest() throws {
    let (host, guest, _) = try pair()
    #expect(host.connection.state.hostProcess == 0)
    #expect(guest.connection.state.hostProcess == getpid())
    let (mine, theirs) = (try #require(host.tag?.info), try #require(guest.tag?.info))
    #expect(mine == theirs)
    #expect(guest.connection.state.step == Step.connected.rawValue)
    #expect(guest.connection.state.reason == nil)
    #expect(guest.connection.name.name == host.connection.name.name)
    let gear = [host, guest].map { $0.connection.gear.gear??.info }
    #expect(gear[0]?.uuid == gear[1]?.uuid && gear[0]?.id == gear[1]?.id)
    #expect(bench.tag.violations == [])
  }

  @Test("programs that begin at the same moment: one has the link")
  func together() throws {
    let others = try (0..<5).map { _ in try bench.anotherManager() }
    let watches = try ([bench.manager!] + others).map { try connect($0) }
    bench.run(until: { watches.allSatisfy(\.isConnected) }, within: .seconds(60))
    #expect(watches.allSatisfy { $0.isConnected })
    #expect(watches.filter { $0.connection.state.hostProcess == 0 }.count == 1)
    for watch in watches { try works(watch) }
    #expect(bench.tag.violations == [])
  }

  private func strength(_ watch: ConnectionWatch) -> Int16? {
    watch.connection.notifications.statistics.counts.rssi
  }

  /// Returns when the manager has received an advertisement with about this strength.
  private func scan(_ manager: Manager, strength: Int16) throws {
    try bench.happen("rssi \(strength)")
    var options = Scan.Options()
    options.everyReport = true
    var isHeard = false
    let scan = manager.scan(options) {
      if let rssi = $0.rssi, abs(rssi - strength) <= 2 { isHeard = true }
    } onEnd: { _, _ in
    }
    #expect(bench.run(until: { isHeard }, within: .seconds(10)))
    scan.stop()
    bench.settle()
  }

  @Test("a guest has the signal strength that the host received last, also when it has become the host")
  func signalStrength() throws {
    let other = try bench.anotherManager()
    try scan(other, strength: -80)
    try scan(bench.manager, strength: -42)
    #expect(other.cache.devices.first?.lastRSSI ?? 0 < -70)
    let host = try connected(bench.manager)
    let guest = try connected(other)
    let received = try #require(strength(host))
    #expect((-44 ... -40).contains(received))
    #expect(strength(guest) == received)
    host.connection.disconnect()
    bench.run(until: { guest.isConnected && guest.connection.state.hostProcess == 0 }, within: .seconds(10))
    #expect(strength(guest) == received)
  }

  @Test("a guest has the signal strength before the tag is connected")
  func earlySignalStrength() throws {
    try bench.happen("connect hangs once")
    let host = try connect(bench.manager)
    let guest = try connect(try bench.anotherManager())
    bench.run(until: { host.connection.state.step == Step.tagKnown.rawValue }, within: .seconds(10))
    bench.settle()
    #expect(strength(host) != nil)
    #expect(strength(guest) == strength(host))
    #expect(!guest.isConnected)
  }

  @Test("a lost link is reported to guests with its reason, and the next one connects them again")
  func lostLink() throws {
    let (host, guest, _) = try pair()
    let old = guest.tag
    guest.forget()
    try bench.happen("drop link")
    bench.run(until: { host.isConnected && guest.isConnected && guest.tag !== old }, within: .seconds(60))
    #expect(guest.states.first?.phase == .preparing)
    #expect(guest.reasons == [.connectionLost])
    #expect(guest.isConnected)
    #expect(code(bench.outcome { try await old?.readBattery() }) == .staleTag)
    try works(guest)
  }

  @Test("a guest that joins while the host searches sees its states, and has its own time limit")
  func absent() throws {
    try bench.happen("out-of-range")
    let host = try connect(bench.manager)
    bench.stepped.pass(.seconds(1))
    var options = Connection.Options()
    options.timeout = .after(.seconds(5))
    let guest = try connect(try bench.anotherManager(), options)
    bench.run(until: { guest.hasEnded }, within: .seconds(10))
    #expect(guest.hasEnded)
    #expect([.timeout, .notFound].contains(guest.connection.state.reason?.code))
    #expect(!host.hasEnded)
    let third = try connect(try bench.anotherManager())
    try bench.happen("in-range")
    bench.run(until: { third.isConnected && host.isConnected }, within: .seconds(60))
    #expect(third.isConnected && host.isConnected)
  }

  // MARK: Events

  @Test("each program receives every event once")
  func events() throws {
    let (host, guest, _) = try pair()
    let heard = [host, guest].map(listen)
    for line in ["gesture brush-in", "gesture brush-in", "battery 41", "raw-packet 1 07"] { try bench.happen(line) }
    for record in heard { #expect(record.entries == ["gesture 2", "gesture 2", "battery 41", "raw [7]"]) }
    #expect(guest.connection.notifications.statistics.counts.droppedCopies == 0)
  }

  @Test(
    "an event that is damaged is counted by every program",
    arguments: ["counter", "header", "truncated", "oversized"])
  func damaged(_ damage: String) throws {
    let (host, guest, _) = try pair()
    let heard = [host, guest].map(listen)
    let before = [host, guest].map(lost)
    try bench.happen("corrupt notification \(damage)")
    for name in ["brush-in", "brush-out"] { try bench.happen("gesture \(name)") }
    #expect(heard[0].entries.last == "gesture 3" && heard[0].entries == heard[1].entries)
    let losses = zip([host, guest].map(lost), before).map { $0 - $1 }
    #expect(losses[0] > 0 && losses[0] == losses[1])
  }

  @Test("an event that cannot be understood is counted once by every program")
  func incomprehensible() throws {
    let (host, guest, _) = try pair()
    let before = [host, guest].map(lost)
    for line in ["packet notification ffff", "packet notification 08031001"] { try bench.happen(line) }
    let losses = zip([host, guest].map(lost), before).map { $0 - $1 }
    #expect(losses[0] > 0 && losses[0] == losses[1])
  }

  private func lost(_ watch: ConnectionWatch) -> UInt64 {
    let counts = watch.connection.notifications.statistics.counts
    return counts.droppedNotifications + counts.droppedFragments
  }

  @Test("gear that is detached and attached is reported to every program")
  func gear() throws {
    let (host, guest, _) = try pair()
    try bench.happen("gear detach")
    #expect([host, guest].allSatisfy { ($0.connection.gear.gear ?? nil) === nil })
    try bench.happen("gear attach levis-trucker")
    bench.run(until: { (guest.connection.gear.gear ?? nil) != nil }, within: .seconds(5))
    #expect((guest.connection.gear.gear ?? nil) != nil)
  }

  @Test("the mode that one program sets stays when another one joins, and after a lost link")
  func touchMode() throws {
    let (host, guest, _) = try pair()
    let component = try #require(guest.connection.gear.gear ?? nil)
    #expect(code(bench.outcome { try await component.setTouchMode(.continuous) }) == nil)
    let third = try connected(try bench.anotherManager())
    bench.run(until: { (third.connection.gear.gear ?? nil) != nil }, within: .seconds(5))
    let touches = [host, guest, third].map { watch in
      let touches = Recorder<UInt32>()
      watch.connection.notifications.touches.add { touches.note($0.sequence) }
      return touches
    }
    for _ in 0..<50 { try bench.happen("touch 9 1 2 3 4 5 6 7 8 9 10 11 12") }
    #expect(touches.allSatisfy { $0.entries.count == 50 })
    let old = host.tag
    try bench.happen("drop link")
    bench.run(
      until: { host.tag != nil && host.tag !== old && (host.connection.gear.gear ?? nil) != nil }, within: .seconds(60))
    try bench.happen("touch 9 1 2 3 4 5 6 7 8 9 10 11 12")
    #expect(touches.allSatisfy { $0.entries.count == 51 })
  }

  // MARK: Commands

  @Test("commands of all programs get their own responses")
  func commands() throws {
    let (host, guest, other) = try pair()
    let third = try connected(try bench.anotherManager())
    withExtendedLifetime(other) {}
    let done = Recorder<String>()
    for (name, watch) in [("host", host), ("guest", guest), ("third", third)] {
      let tag = try #require(watch.tag)
      for _ in 0..<20 {
        bench.loop.spawn {
          do { done.note("\(name) \(try await tag.readBattery().percent)") } catch { done.note("\(name) \(error)") }
        }
      }
    }
    try bench.happen("battery 77")
    bench.run(until: { done.entries.count == 60 }, within: .seconds(60))
    #expect(done.entries.count == 60)
    for name in ["host", "guest", "third"] { #expect(done.entries.filter { $0 == "\(name) 77" }.count == 20) }
    #expect(bench.tag.violations == [])
  }

  @Test("no program waits for all commands of another")
  func fairness() throws {
    let (host, guest, _) = try pair()
    let done = Recorder<String>()
    for (name, watch, count) in [("host", host, 30), ("guest", guest, 1)] {
      let tag = try #require(watch.tag)
      for _ in 0..<count {
        bench.loop.spawn {
          _ = try? await tag.readBattery()
          done.note(name)
        }
      }
    }
    bench.run(until: { done.entries.count == 31 }, within: .seconds(60))
    #expect((done.entries.firstIndex(of: "guest") ?? 31) < 5)
  }

  @Test("an error response reaches the guest unchanged")
  func errorResponse() throws {
    let (_, guest, _) = try pair()
    try bench.happen("on request battery once: status 5")
    let tag = try #require(guest.tag)
    let outcome = bench.outcome { try await tag.readBattery() }
    #expect(code(outcome) == .tagStatus)
    try works(guest)
  }

  @Test("the time limit of a guest's command starts when the tag has the request")
  func ownTimeLimit() throws {
    let (_, guest, _) = try pair()
    try bench.happen("on request battery once: delay 400ms")
    let tag = try #require(guest.tag)
    let began = bench.loop.now
    #expect(code(bench.outcome { try await tag.readBattery(deadline: .milliseconds(200)) }) == .timeout)
    #expect((200...250).contains(began.duration(to: bench.loop.now) / .milliseconds(1)))
    try works(guest)
  }

  @Test("the end of a guest withdraws its commands, and leaves the others alone")
  func guestEnds() throws {
    let (host, guest, _) = try pair()
    let done = Recorder<String>()
    let (mine, theirs) = (try #require(host.tag), try #require(guest.tag))
    bench.loop.spawn { done.note("host \((try? await mine.readBattery()) != nil)") }
    for _ in 0..<5 {
      bench.loop.spawn {
        do { _ = try await theirs.readBattery() } catch { done.note("guest \(error)") }
      }
    }
    guest.connection.disconnect()
    bench.run(until: { guest.hasEnded && done.entries.count >= 6 }, within: .seconds(30))
    #expect(guest.hasEnded)
    #expect(guest.connection.state.reason == nil)
    #expect(done.entries.contains("host true"))
    #expect(host.isConnected && host.reasons == [])
    try works(host)
  }

  @Test("a cancelled command of a guest that waits for its turn is not sent")
  func withdrawn() throws {
    let (host, guest, _) = try pair()
    let (mine, theirs) = (try #require(host.tag), try #require(guest.tag))
    try bench.happen("latency 1s")
    bench.loop.spawn { _ = try? await mine.readBattery() }
    bench.stepped.pass(.milliseconds(100))
    let light = try LEDPattern(.solid, [], haltsAll: true)
    let blink = bench.loop.spawn { _ = try? await theirs.component.play(light) }
    bench.stepped.pass(.milliseconds(100))
    blink.cancel()
    bench.stepped.pass(.seconds(5))
    try bench.happen("latency 0ms")
    try works(guest)
    #expect(bench.tag.journal.lights.isEmpty)
  }

  @Test("the host renames the tag for all programs")
  func rename() throws {
    let (host, guest, _) = try pair()
    let tag = try #require(guest.tag)
    let outcome = bench.outcome { try await tag.rename("Jacket") }
    #expect(code(outcome) == nil)
    bench.run(
      until: { [host, guest].allSatisfy { $0.isConnected && $0.connection.name.name == "Jacket" } },
      within: .seconds(60))
    #expect([host, guest].map(\.connection.name.name) == ["Jacket", "Jacket"])
  }

  // MARK: Hand-over

  @Test("when the host disconnects, a guest continues with the link")
  func hostDisconnects() throws {
    let (host, guest, _) = try pair()
    let third = try connected(try bench.anotherManager())
    let calls = Recorder<String>()
    bench.daemon.called = { _, member in
      if ["Connect", "Disconnect"].contains(member) { calls.note(member) }
    }
    host.connection.disconnect()
    bench.settle()
    #expect(host.hasEnded)
    bench.run(until: { guest.isConnected && third.isConnected }, within: .seconds(10))
    let watches = [guest, third]
    #expect(watches.allSatisfy { $0.isConnected })
    #expect(watches.filter { $0.connection.state.hostProcess == 0 }.count == 1)
    #expect(calls.entries == [])
    let heard = watches.map(listen)
    try bench.happen("gesture brush-in")
    for record in heard { #expect(record.entries == ["gesture 2"]) }
    for watch in watches { try works(watch) }
    #expect(bench.tag.violations == [])
  }

  @Test("a program that connects while the host drops its link is connected once, over the next link")
  func hostIsEnding() throws {
    let other = try bench.anotherManager()
    let host = try connected(bench.manager)
    try bench.happen("disconnect takes 2s")
    host.connection.disconnect()
    bench.run(until: { false }, within: .milliseconds(200))
    let next = try connected(other)
    #expect(host.hasEnded)
    #expect(next.states.filter { $0.phase == .connected }.count == 1)
    #expect(next.connection.state.hostProcess == 0)
    try works(next)
    #expect(bench.tag.violations == [])
  }

  @Test("when the host's manager ends, a guest continues")
  func managerEnds() throws {
    let (host, guest, _) = try pair()
    bench.manager.close()
    bench.run(until: { guest.isConnected && guest.connection.state.hostProcess == 0 }, within: .seconds(30))
    #expect(guest.isConnected)
    try works(guest)
    withExtendedLifetime(host) {}
  }

  @Test("when the host's manager ends before the tag has responded, a guest awaits the response and continues")
  func managerEndsInCommand() throws {
    let (host, guest, _) = try pair()
    let tag = try #require(host.tag)
    try bench.happen("on request battery once: delay 200ms")
    bench.loop.spawn { _ = try? await tag.readBattery() }
    bench.stepped.pass(.milliseconds(50))
    let calls = Recorder<String>()
    bench.daemon.called = { _, member in
      if ["Connect", "Disconnect"].contains(member) { calls.note(member) }
    }
    bench.manager.close()
    bench.run(until: { guest.isConnected && guest.connection.state.hostProcess == 0 }, within: .seconds(30))
    #expect(guest.isConnected)
    #expect(calls.entries == [])
    try works(guest)
    #expect(bench.tag.violations == [])
  }

  @Test("programs take over from each other until the last one drops the link")
  func chain() throws {
    let watches = try (0..<5).map { _ in try connected(try bench.anotherManager()) }
    for (index, watch) in watches.enumerated() {
      watch.connection.disconnect()
      bench.run(
        until: { watch.hasEnded && watches[(index + 1)...].allSatisfy(\.isConnected) }, within: .seconds(30))
      #expect(watch.hasEnded)
      for next in watches[(index + 1)...] {
        #expect(next.isConnected)
        try works(next)
      }
    }
    #expect(!bench.tag.isConnected)
    #expect(bench.tag.violations == [])
  }

  @Test("a guest that disconnects leaves the link to the others; the last program drops it")
  func lastEnds() throws {
    let (host, guest, _) = try pair()
    guest.connection.disconnect()
    bench.settle()
    #expect(guest.hasEnded && host.isConnected && bench.tag.isConnected)
    host.connection.disconnect()
    bench.run(until: { host.hasEnded }, within: .seconds(10))
    #expect(!bench.tag.isConnected)
  }

  // MARK: Hosts that end or hang

  private enum PacketSize {
    case singleValue, severalValues
  }

  /// As with SIGKILL: the bus connection and the sockets end without a word.
  private func kill(_ watch: ConnectionWatch, _ manager: Manager, writing: PacketSize? = nil) {
    watch.onState = { _ in }
    manager.core.bluez.close()
    if let writing { watch.connection.host?.announcement.announce(isSingleValue: writing == .singleValue) }
    watch.connection.host?.leave()
    watch.connection.close()
  }

  @Test("when the host is killed, a guest continues with the link within a second")
  func killed() throws {
    let (host, guest, _) = try pair()
    let third = try connected(try bench.anotherManager())
    let start = bench.now
    let calls = Recorder<String>()
    bench.daemon.called = { _, member in
      if ["Connect", "Disconnect"].contains(member) { calls.note(member) }
    }
    kill(host, bench.manager)
    bench.run(
      until: { [guest, third].allSatisfy { $0.isConnected && $0.states.last?.phase == .connected } },
      within: .seconds(10))
    let hasHost = { [guest, third].contains { $0.isConnected && $0.connection.state.hostProcess == 0 } }
    bench.run(until: { hasHost() && third.isConnected && guest.isConnected }, within: .seconds(10))
    #expect(start.duration(to: bench.now) <= .seconds(1))
    #expect(calls.entries == [])
    for watch in [guest, third] { try works(watch) }
    let heard = [guest, third].map(listen)
    for line in ["gesture brush-in", "gesture brush-in", "raw-packet 1 07"] { try bench.happen(line) }
    for record in heard { #expect(record.entries == ["gesture 2", "gesture 2", "raw [7]"]) }
    #expect(bench.tag.violations == [])
  }

  @Test(
    "a guest continues with the gear, announced once, if bluetoothd learns late of the host's end",
    arguments: TagBehaviour.Greeting.allCases)
  func gearStays(_ greeting: TagBehaviour.Greeting) throws {
    let (host, guest, _) = try pair()
    try bench.happen("greeting \(greeting)")
    let report = try #require(guest.connection.notifications.lastAttachment)
    let gear = Recorder<Bool>()
    guest.connection.gear.changes.add { gear.note($0 != nil) }
    host.connection.leaveSeat()
    bench.run(until: { guest.isConnected && guest.connection.state.hostProcess == 0 }, within: .seconds(20))
    bench.manager.core.bluez.close()
    host.connection.close()
    bench.stepped.pass(.seconds(2))
    if greeting == .subscribed {
      // The tag has not reported it to this program yet, and does so late.
      let bytes = report.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      try bench.happen("packet notification \(bytes.joined())")
      bench.stepped.pass(.seconds(2))
    }
    #expect(gear.entries == [false, true])
    let component = try #require(guest.connection.gear.gear ?? nil)
    _ = try bench.outcome { try await component.readInfo() }.get()
    #expect(bench.tag.violations == [])
  }

  @Test("a guest gets the gear if bluetoothd learns late of the end of a host that has not set the tag up")
  func gearIsReportedAgain() throws {
    try bench.happen("latency 50ms")
    let host = try connect(bench.manager)
    let guest = try connect(try bench.anotherManager())
    bench.run(until: { host.connection.state.step >= Step.beginAnswered.rawValue }, within: .seconds(20))
    host.onState = { _ in }
    host.connection.leaveSeat()
    var isLate = true
    bench.loop.schedule(after: .milliseconds(400)) { [bench] in
      isLate = false
      bench.manager.core.bluez.close()
    }
    bench.run(until: { guest.isConnected && guest.connection.state.hostProcess == 0 }, within: .seconds(20))
    #expect(!isLate)
    bench.stepped.pass(.seconds(2))
    host.connection.close()
    #expect((guest.connection.gear.gear ?? nil) != nil)
    try works(guest)
  }

  @Test("a guest that takes over receives no event from before a loss")
  func eventsBeforeLoss() throws {
    let (host, guest, _) = try pair()
    let heard = listen(guest)
    var calls = 0
    bench.daemon.called = { [bench] _, member in
      guard member == "StartNotify" else { return }
      calls += 1
      // The end of the host is known by now.
      if calls == 3 { _ = try? bench.world.control("gesture 102") }
    }
    guest.onState = { [bench] state in
      guard state.step == Step.characteristicsFound.rawValue else { return }
      _ = try? bench.world.control("gesture 101")
      bench.manager.core.bluez.close()
    }
    host.connection.leaveSeat()
    bench.run(until: { guest.isConnected && guest.connection.state.hostProcess == 0 }, within: .seconds(20))
    guest.onState = { _ in }
    host.connection.close()
    try bench.happen("gesture 103")
    let gestures = heard.entries.filter { $0.hasPrefix("gesture") }
    #expect(gestures == ["gesture 103"] || gestures == ["gesture 101", "gesture 102", "gesture 103"], "\(gestures)")
  }

  @Test("a link on which a packet may be incomplete is dropped")
  func killedWhileWriting() throws {
    let (host, guest, _) = try pair()
    let calls = Recorder<String>()
    bench.daemon.called = { _, member in
      if ["Connect", "Disconnect"].contains(member) { calls.note(member) }
    }
    kill(host, bench.manager, writing: .severalValues)
    bench.run(until: { guest.isConnected && guest.connection.state.hostProcess == 0 }, within: .seconds(20))
    #expect(guest.isConnected)
    #expect(calls.entries == ["Disconnect", "Connect"])
    try works(guest)
  }

  @Test("a link stays if the host was writing a packet of a single value")
  func killedWhileWritingValue() throws {
    let (host, guest, _) = try pair()
    let calls = Recorder<String>()
    bench.daemon.called = { _, member in
      if ["Connect", "Disconnect"].contains(member) { calls.note(member) }
    }
    kill(host, bench.manager, writing: .singleValue)
    bench.run(until: { guest.isConnected && guest.connection.state.hostProcess == 0 }, within: .seconds(20))
    #expect(guest.isConnected)
    #expect(calls.entries == [])
    try works(guest)
  }

  /// The percentages or the errors of battery requests, in the order in which they complete.
  private func readBatteries(_ count: Int, of tag: Jacquard.Tag) -> Recorder<String> {
    let results = Recorder<String>()
    for number in 1...count {
      bench.loop.spawn {
        do throws(JacquardError) {
          results.note("\(number): \(try await tag.readBattery().percent) %")
        } catch {
          results.note("\(number): \(error.code)")
        }
      }
    }
    return results
  }

  @Test("commands that wait for their turns when the host ends are carried over")
  func carriedOver() throws {
    let (host, guest, _) = try pair()
    let tag = try #require(guest.tag)
    try bench.happen("battery 42")
    try bench.happen("on request battery once: delay 100ms")
    let results = readBatteries(3, of: tag)
    bench.stepped.pass(.milliseconds(20))
    kill(host, bench.manager)
    // It completes after those that were called before it.
    let late = Recorder<Int>()
    bench.loop.spawn {
      _ = try? await tag.readBattery()
      late.note(results.entries.count)
    }
    bench.run(until: { late.entries.count == 1 }, within: .seconds(20))
    #expect(results.entries == ["1: connectionLost", "2: 42 %", "3: 42 %"])
    #expect(late.entries == [3])
    #expect(guest.isConnected)
    #expect(bench.tag.violations == [])
  }

  @Test("commands that are carried over can be cancelled, and fail if no program gets the link")
  func carriedInVain() throws {
    let (host, guest, _) = try pair()
    let tag = try #require(guest.tag)
    try bench.happen("on request battery once: delay 100ms")
    let results = readBatteries(2, of: tag)
    let cancelled = bench.loop.spawn {
      do throws(JacquardError) { _ = try await tag.readBattery() } catch { results.note("3: \(error.code)") }
    }
    bench.stepped.pass(.milliseconds(20))
    kill(host, bench.manager)
    bench.settle()
    try bench.happen("out-of-range")
    cancelled.cancel()
    bench.settle()
    #expect(results.entries == ["1: connectionLost", "3: closed"])
    bench.run(until: { results.entries.count == 3 }, within: .seconds(20))
    #expect(results.entries.last == "2: connectionLost")
    guest.connection.disconnect()
    bench.run(until: { guest.hasEnded })
  }

  @Test("the next host waits for the response to the request of a killed one")
  func killedBeforeResponse() throws {
    let (host, guest, _) = try pair()
    try bench.happen("on request battery once: delay 150ms")
    let results = readBatteries(1, of: try #require(host.tag))
    bench.stepped.pass(.milliseconds(20))
    kill(host, bench.manager)
    let start = bench.now
    bench.run(until: { guest.isConnected && guest.connection.state.hostProcess == 0 }, within: .seconds(20))
    #expect(start.duration(to: bench.now) <= .seconds(1))
    #expect(results.entries.count == 1)
    try works(guest)
    #expect(bench.tag.violations == [])
  }

  @Test("a command in flight ends with the host, and its late response is not taken for another")
  func killedInCommand() throws {
    let (host, guest, _) = try pair()
    let tag = try #require(guest.tag)
    try bench.happen("on request battery once: delay 500ms")
    let results = Recorder<String>()
    bench.loop.spawn {
      do { results.note("\(try await tag.readBattery().percent)") } catch {
        results.note("\((error as? JacquardError)?.code as Any)")
      }
    }
    bench.stepped.pass(.milliseconds(100))
    kill(host, bench.manager)
    bench.run(until: { guest.isConnected && guest.connection.state.hostProcess == 0 }, within: .seconds(20))
    #expect(results.entries == ["Optional(Jacquard.JacquardError.Code.connectionLost)"])
    try works(guest)
    bench.stepped.pass(.seconds(1))
    try works(guest)
  }

  @Test("a slow tag does not look like a host that hangs")
  func slowTag() throws {
    let (host, guest, _) = try pair()
    try bench.happen("on request battery once: delay 7s")
    let calls = Recorder<String>()
    bench.daemon.called = { _, member in calls.note(member) }
    #expect(try battery(guest).get() > 0)
    #expect(host.isConnected && guest.connection.state.hostProcess == getpid())
    #expect(calls.entries.filter { $0 != "WriteValue" } == [])
  }

  // MARK: Programs that do not share

  @Test("a program with another library is reported, and prevents nothing")
  func foreignProgram() throws {
    let first = try connected(bench.manager)
    first.connection.disconnect()
    bench.run(until: { first.hasEnded })
    try bench.happen("foreign connect")
    bench.stepped.pass(.seconds(5))
    try bench.happen("foreign subscribe")
    let watch = try connected(bench.manager)
    #expect(watch.states.contains { $0.phase != .connected && $0.reason == .inUseByUnknown })
    #expect(watch.connection.state.reason == nil)
    try works(watch)
  }

  // MARK: Exclusive programs

  @Test("a program that cannot share the tag excludes others as soon as it connects")
  func alone() throws {
    try bench.happen("connect takes 3s")
    let first = try connect(try bench.anotherManager(sharing: false))
    bench.run(until: { first.connection.state.step == Step.tagKnown.rawValue })
    let second = try connect(bench.manager)
    bench.run(until: { first.isConnected && second.hasEnded }, within: .seconds(20))
    #expect(second.connection.state.reason == .inUse(by: getpid()))
    try works(first)
    first.connection.disconnect()
    bench.run(until: { first.hasEnded })
    try works(connected(bench.manager))
    #expect(bench.tag.violations == [])
  }

  @Test("a host that is exclusive refuses others, and the error names its process")
  func exclusiveHost() throws {
    let exclusive = try bench.anotherManager(exclusive: true)
    let host = try connected(exclusive)
    let second = try connect(bench.manager)
    bench.run(until: { second.hasEnded }, within: .seconds(10))
    #expect(second.connection.state.reason == .inUse(by: getpid()))
    #expect(host.isConnected)
    host.connection.disconnect()
    bench.run(until: { host.hasEnded })
    try works(connected(bench.manager))
  }

  @Test("an exclusive program is refused while others share the tag")
  func exclusiveGuest() throws {
    let host = try connected(bench.manager)
    let second = try connect(try bench.anotherManager(exclusive: true))
    bench.run(until: { second.hasEnded }, within: .seconds(10))
    #expect(second.connection.state.reason == .inUse(by: getpid()))
    try works(host)
  }

  // MARK: Reservations

  @Test("motion of one program excludes that of another, and the error names the program")
  func reservation() throws {
    let (host, guest, _) = try pair()
    let error = Recorder<JacquardError?>()
    let reservation = guest.connection.reservation
    #expect(code(bench.outcome { try await reservation.take(.stream) }) == nil)
    let tag = try #require(host.tag)
    let outcome = bench.outcome { try await tag.stopMotion() }
    #expect(code(outcome) == .busy)
    if case .failure(let failure as JacquardError) = outcome { error.note(failure) }
    #expect(error.entries.first??.message.includes("process \(getpid())") == true)
    reservation.release(.stream)
    bench.settle()
    let mine = host.connection.reservation
    #expect(code(bench.outcome { try await mine.take(.firmware) }) == nil)
    #expect(code(bench.outcome { try await reservation.take(.modules) }) == .busy)
    mine.release(.firmware)
    #expect(code(bench.outcome { try await reservation.take(.modules) }) == nil)
    guest.connection.disconnect()
    bench.run(until: { guest.hasEnded })
    #expect(code(bench.outcome { try await mine.take(.recording) }) == nil)
  }

  @Test(
    "a check of another component by another program does not end an update", arguments: UpdateOptions.Mode.allCases)
  func firmware(_ mode: UpdateOptions.Mode) throws {
    let (host, guest, _) = try pair()
    let image = try FirmwareTests.image(bytes: FirmwareTests.short)
    let other = try FirmwareTests.gear()
    var options = UpdateOptions()
    options.mode = mode
    let second = Recorder<JacquardError.Code?>()
    let connection = host.connection
    let results = try bench.outcome { [bench, guest, options] in
      try await connection.updateFirmware([image]) { progress in
        guard progress.phase == .transferring, progress.done == 256, second.entries.isEmpty else { return }
        bench.loop.spawn {
          do throws(JacquardError) {
            _ = try await guest.connection.updateFirmware([other], options)
            second.note(nil)
          } catch {
            second.note(error.code)
          }
        }
      }
    }.get()
    #expect(results.map(\.outcome) == [.installed])
    #expect(second.entries == [.busy])
    #expect(bench.tag.journal.installed == [FirmwareTests.short])
    #expect(bench.tag.violations == [])
  }
}
