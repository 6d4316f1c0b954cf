import EventLoop
import Glibc
import JacquardWire
import Sharing
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

/// Its link stays up, and bluetoothd keeps its sessions. Its guests use both.
@Suite("A host that hangs while the tag is connected")
struct ReplacedHostTests {
  private let bench: WorldFixture

  init() throws {
    bench = try WorldFixture(sharing: true)
    bench.world.complain = { Issue.record("\($0)") }
    try bench.happen("gear attach levis-trucker")
  }

  private func connect(_ manager: Manager? = nil) throws -> ConnectionWatch {
    ConnectionWatch(try (manager ?? bench.manager).connect(WorldFixture.identifier))
  }

  private func hasGear(_ watch: ConnectionWatch) -> Bool { (watch.connection.gear.gear ?? nil) != nil }

  private func works(_ watch: ConnectionWatch) throws {
    try bench.happen("battery 42")
    let tag = try #require(watch.tag)
    #expect(try bench.outcome { try await tag.readBattery().percent }.get() == 42)
  }

  /// The host, which runs no more, and its guest.
  private func pair() throws -> (host: HangingProgram, guest: ConnectionWatch) {
    let host = try HangingProgram(bench)
    #expect(host.run(until: { host.watch.isConnected }))
    let guest = try connect()
    #expect(host.run(until: { guest.isConnected && hasGear(guest) }))
    return (host, guest)
  }

  /// A command shows the guest that its host hangs.
  private func replace(_ host: HangingProgram, by guest: ConnectionWatch) throws {
    let old = try #require(guest.tag)
    #expect(code(bench.outcome { try await old.readBattery() }) == .connectionLost)
    #expect(bench.run(until: { guest.isConnected && guest.tag !== old }, within: .seconds(10)))
    #expect(guest.connection.state.hostProcess == 0)
  }

  /// Calls that establish or drop the link, from now on.
  private func linkCalls() -> Recorder<String> {
    let calls = Recorder<String>()
    bench.daemon.called = { _, member in
      if ["Connect", "Disconnect"].contains(member) { calls.note(member) }
    }
    return calls
  }

  private func isGuest(_ host: HangingProgram) -> Bool {
    host.watch.isConnected && host.watch.connection.state.hostProcess == getpid()
  }

  @Test("is replaced, without a second subscription, and becomes a guest when it continues")
  func hangs() throws {
    let host = try HangingProgram(bench)
    #expect(host.run(until: { host.watch.isConnected }))
    let guest = try connect()
    #expect(host.run(until: { guest.isConnected && hasGear(guest) }))
    #expect(guest.connection.state.hostProcess == getpid())
    let old = try #require(guest.tag)
    let calls = Recorder<String>()
    bench.daemon.called = { _, member in
      if ["StartNotify", "Connect", "Disconnect"].contains(member) { calls.note(member) }
    }
    let start = bench.now
    #expect(code(bench.outcome { try await old.readBattery() }) == .connectionLost)
    bench.run(until: { guest.isConnected && guest.tag !== old }, within: .seconds(10))
    #expect(guest.isConnected)
    #expect(guest.connection.state.hostProcess == 0)
    #expect(start.duration(to: bench.now) <= .seconds(3))
    #expect(calls.entries == [])
    #expect(bench.run(until: { hasGear(guest) }, within: .seconds(1)))
    let heard = numbers(guest)
    try bench.happen("gesture brush-in")
    #expect(heard.entries == [2])
    try works(guest)
    #expect(host.run(until: { host.watch.connection.state.hostProcess == getpid() && host.watch.isConnected }))
    #expect(host.watch.isConnected)
    #expect(guest.isConnected)
    let both = [guest, host.watch].map(numbers)
    try bench.happen("gesture brush-out")
    _ = host.run(until: { both[1].entries.count > 0 }, within: .seconds(1))
    for record in both { #expect(record.entries == [3]) }
    #expect(!calls.entries.contains("Disconnect"))
    #expect(bench.tag.violations == [])
  }

  @Test("is replaced within three seconds after it has accepted a request")
  func hangsWithRequest() throws {
    let host = try HangingProgram(bench)
    #expect(host.run(until: { host.watch.isConnected }))
    let guest = try connect()
    #expect(host.run(until: { guest.isConnected && hasGear(guest) }))
    let old = try #require(guest.tag)
    try bench.happen("battery 42")
    try bench.happen("on request battery once: delay 7s")
    let results = Recorder<String>()
    for number in 1...2 {
      bench.loop.spawn {
        do throws(JacquardError) {
          results.note("\(number): \(try await old.readBattery().percent) %")
        } catch {
          results.note("\(number): \(error.code)")
        }
      }
    }
    _ = host.run(until: { false }, within: .milliseconds(500))
    let start = bench.now
    bench.run(until: { results.entries.count > 0 }, within: .seconds(7))
    #expect(start.duration(to: bench.now) <= .milliseconds(3100))
    bench.run(until: { results.entries.count == 2 }, within: .seconds(10))
    #expect(results.entries == ["1: connectionLost", "2: 42 %"])
    #expect(guest.connection.state.hostProcess == 0)
    // Before its loop is closed.
    _ = host.run(until: { host.watch.isConnected && host.watch.connection.state.hostProcess != 0 })
  }

  /// The numbers of a connection's gestures; nil is a gap.
  private func numbers(_ watch: ConnectionWatch) -> Recorder<UInt32?> {
    let heard = Recorder<UInt32?>()
    watch.connection.notifications.gestures.add { heard.note($0.gesture.rawValue) }
    watch.connection.states.add { if $0.phase != .connected { heard.note(nil) } }
    return heard
  }

  /// Each number is higher than the one before, and the next one unless there is a gap between them.
  private func isComplete(_ heard: Recorder<UInt32?>) -> Bool {
    var last: UInt32?
    var isGap = true
    for number in heard.entries {
      if let number {
        if let last, number <= last || number > last + 1 && !isGap { return false }
        (last, isGap) = (number, false)
      } else {
        isGap = true
      }
    }
    return true
  }

  @Test(
    "continues while its successor sets the link up: no event is repeated, and none is lost without a gap",
    arguments: [.adapterReady, .tagKnown, .linkUp, .firstNotificationsEnabled, .helloWritten, .connected] as [Step])
  func continuesDuringSetUp(_ moment: Step) throws {
    let host = try HangingProgram(bench)
    #expect(host.run(until: { host.watch.isConnected }))
    let guest = try connect()
    let third = try connect(try bench.anotherManager())
    let watches = [host.watch, guest, third]
    #expect(
      host.run(until: { watches.allSatisfy { $0.isConnected && hasGear($0) } }))
    let heard = watches.map(numbers)
    var sent: UInt32 = 100
    func send() {
      sent += 1
      _ = try? bench.world.control("gesture \(sent)")
    }
    var isHanging = true
    guest.onState = { state in
      send()
      guard state.step >= moment.rawValue, isHanging else { return }
      isHanging = false
      // What was sent has to pass through the bus.
      usleep(5000)
      for _ in 0..<50 { try? host.loop.dispatch() }
      send()
    }
    for _ in 0..<3 { send() }
    let old = try #require(guest.tag)
    bench.loop.spawn { _ = try? await old.readBattery() }
    bench.run(until: { !isHanging }, within: .seconds(10))
    #expect(!isHanging)
    #expect(
      host.run(until: { watches.allSatisfy(\.isConnected) && host.watch.connection.state.hostProcess == getpid() }))
    send()
    _ = host.run(until: { heard.allSatisfy { $0.entries.last == sent } }, within: .seconds(2))
    for (name, record) in zip(["host", "guest", "third"], heard) {
      #expect(record.entries.last == sent, "\(name): \(record.entries)")
      #expect(isComplete(record), "\(name): \(record.entries)")
    }
    for watch in watches { #expect(watch.connection.notifications.statistics.counts.droppedCopies == 0) }
    try works(guest)
    #expect(bench.tag.violations == [])
  }

  @Test("does not stop the motion of a guest that another program serves when it continues")
  func continuesBesideMotion() throws {
    let host = try HangingProgram(bench)
    #expect(host.run(until: { host.watch.isConnected }))
    let guest = try connect()
    #expect(host.run(until: { guest.isConnected && hasGear(guest) }))
    let reservation = guest.connection.reservation
    bench.loop.spawn { _ = try? await reservation.take(.download) }
    #expect(host.run(until: { reservation.held == [.download] }))
    // Commands of the host, which would be written before the request to stop.
    let own = try #require(host.watch.tag)
    try bench.happen("on request battery once: delay 100ms")
    for _ in 0..<4 { host.loop.spawn { _ = try? await own.readBattery() } }
    _ = host.run(until: { bench.tag.journal.kinds.last == .battery }, within: .seconds(1))
    let old = try #require(guest.tag)
    #expect(code(bench.outcome { try await old.readBattery() }) == .connectionLost)
    bench.run(until: { guest.isConnected && guest.tag !== old }, within: .seconds(10))
    // As between the parts of a download on two links.
    reservation.release(.download)
    #expect(host.run(until: { host.watch.connection.state.hostProcess == getpid() && host.watch.isConnected }))
    _ = host.run(until: { false }, within: .seconds(2))
    #expect(!bench.tag.journal.kinds.contains(.recordingStop))
    #expect(host.watch.connection.reservation.held == [])
    #expect(bench.tag.violations == [])
  }

  @Test("has just written a command: the link stays, and its successor receives the response")
  func hangsAfterWriting() throws {
    let (host, guest) = try pair()
    let calls = linkCalls()
    let own = try #require(host.watch.tag)
    host.loop.spawn { _ = try? await own.readBattery() }
    let before = bench.tag.journal.kinds.count
    try host.loop.dispatch()
    #expect(bench.tag.journal.kinds.count == before)
    bench.settle()
    #expect(bench.tag.journal.kinds.dropFirst(before) == [.battery])
    try replace(host, by: guest)
    try works(guest)
    #expect(calls.entries == [])
    #expect(bench.tag.violations == [])
    #expect(host.run(until: { isGuest(host) }))
  }

  @Test("has written a part of a packet: the link is dropped, and the rest is not written on the next one")
  func hangsInPacket() throws {
    let (host, guest) = try pair()
    let light = try LEDPattern(.custom, (1...20).map { .init(red: $0, green: 0, blue: 0, milliseconds: 100) })
    let component = try #require(host.watch.tag).component
    host.loop.spawn { try? await component.play(light) }
    try host.loop.dispatch()
    bench.settle()
    let calls = linkCalls()
    try replace(host, by: guest)
    #expect(calls.entries == ["Disconnect", "Connect"])
    #expect(host.run(until: { isGuest(host) && guest.isConnected }))
    try works(guest)
    #expect(!bench.tag.journal.kinds.contains(.led))
    #expect(bench.tag.violations == [])
  }

  @Test("has gear that was detached in the meantime: its successor does not report it")
  func detached() throws {
    let (host, guest) = try pair()
    let announced = Recorder<Bool>()
    guest.connection.gear.changes.add { announced.note($0 != nil) }
    try bench.happen("gear detach")
    try replace(host, by: guest)
    bench.stepped.pass(.seconds(2))
    #expect(!hasGear(guest))
    #expect(!announced.entries.contains(true))
    #expect(host.run(until: { isGuest(host) }))
    #expect(host.run(until: { guest.isConnected }))
    try works(guest)
  }

  @Test("continues after the link was lost: it leaves the link of its successor alone")
  func linkIsLost() throws {
    let (host, guest) = try pair()
    try bench.happen("drop link")
    bench.stepped.pass(.seconds(3))
    try replace(host, by: guest)
    let calls = linkCalls()
    #expect(host.run(until: { isGuest(host) }))
    #expect(host.run(until: { guest.isConnected && hasGear(guest) }))
    #expect(calls.entries == [])
    let both = [guest, host.watch].map(numbers)
    try bench.happen("gesture brush-out")
    _ = host.run(until: { both[1].entries.count > 0 }, within: .seconds(1))
    for record in both { #expect(record.entries == [3]) }
    #expect(bench.tag.violations == [])
  }

  @Test("continues: commands of its successor's guests that end with the link are not sent on the next one")
  func guestOfSuccessor() throws {
    let (host, guest) = try pair()
    try replace(host, by: guest)
    let third = try connect(try bench.anotherManager())
    #expect(bench.run(until: { third.isConnected }, within: .seconds(10)))
    let tag = try #require(third.tag)
    let own = try #require(guest.tag)
    try bench.happen("on request config-read once: delay 200ms")
    let results = Recorder<String>()
    bench.loop.spawn { _ = try? await own.readConfiguration() }
    for _ in 0..<2 {
      bench.loop.spawn {
        do throws(JacquardError) {
          results.note("\(try await tag.readBattery().percent)")
        } catch {
          results.note("\(error.code)")
        }
      }
    }
    bench.stepped.pass(.milliseconds(50))
    let before = bench.tag.journal.kinds.count
    #expect(host.run(until: { isGuest(host) }))
    #expect(host.run(until: { guest.isConnected && third.isConnected }))
    bench.stepped.pass(.seconds(2))
    #expect(results.entries == ["connectionLost", "connectionLost"])
    #expect(!bench.tag.journal.kinds.dropFirst(before).contains(.battery))
    try works(third)
    #expect(bench.tag.violations == [])
  }
}
