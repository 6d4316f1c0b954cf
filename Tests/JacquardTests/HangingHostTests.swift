import EventLoop
import Glibc
import Sharing
import TestWorld
import Testing

@testable import Jacquard

/// A host that hangs is noticed by programs that only wait for the tag.
@Suite("A host that hangs before the tag is connected")
struct HangingHostTests {
  private let bench: WorldFixture

  init() throws {
    bench = try WorldFixture(sharing: true)
    bench.world.complain = { Issue.record("\($0)") }
    try bench.happen("gear attach levis-trucker")
  }

  private func connect() throws -> ConnectionWatch {
    var options = Connection.Options()
    options.timeout = .unlimited
    return ConnectionWatch(try bench.manager.connect(WorldFixture.identifier, options))
  }

  /// Calls that establish or drop the link, from now on.
  private func linkCalls() -> Recorder<String> {
    let calls = Recorder<String>()
    bench.daemon.called = { _, member in
      if ["Connect", "Disconnect"].contains(member) { calls.note(member) }
    }
    return calls
  }

  private func gestures(_ watch: ConnectionWatch) -> Recorder<UInt32> {
    let heard = Recorder<UInt32>()
    watch.connection.notifications.gestures.add { heard.note($0.gesture.rawValue) }
    return heard
  }

  @Test(
    "is replaced by a guest, and becomes a guest when it continues",
    arguments: [
      Step.adapterReady, .tagKnown, .linkUp, .servicesResolved, .firstNotificationsEnabled, .secondNotificationsEnabled,
      .thirdNotificationsEnabled, .helloWritten, .beginAnswered, .deviceInfoAnswered,
    ])
  func replaced(_ step: Step) throws {
    try bench.happen("out-of-range")
    let host = try HangingProgram(bench)
    #expect(host.run(until: { host.watch.connection.state.step == Step.adapterReady.rawValue }))
    let guest = try connect()
    #expect(host.run(until: { guest.connection.state.hostProcess != 0 }))
    try bench.happen("in-range")
    #expect(host.run(until: { host.watch.connection.state.step >= step.rawValue }))
    #expect(!host.watch.isConnected)

    let start = bench.now
    bench.run(until: { guest.isConnected }, within: .seconds(30))
    #expect(guest.connection.state.hostProcess == 0)
    #expect(start.duration(to: bench.now) <= .seconds(8))
    #expect(bench.run(until: { (guest.connection.gear.gear ?? nil) != nil }, within: .seconds(2)))
    let alone = gestures(guest)
    try bench.happen("gesture brush-in")
    #expect(alone.entries == [2])
    // Beyond all time limits of the attempt.
    bench.stepped.pass(.seconds(30))

    let calls = linkCalls()
    #expect(host.run(until: { host.watch.isConnected }))
    #expect(host.watch.connection.state.hostProcess == getpid())
    bench.run(until: { guest.isConnected }, within: .seconds(10))
    #expect(guest.isConnected && guest.connection.state.hostProcess == 0)
    #expect(calls.entries == [])
    let both = [guest, host.watch].map(gestures)
    try bench.happen("gesture brush-out")
    host.run(until: { both[1].entries.count > 0 }, within: .seconds(1))
    for heard in both { #expect(heard.entries == [3]) }
    #expect(bench.tag.violations == [])
  }

  /// A host that hung while it connected, and the guest that has replaced it.
  private func replacedHost() throws -> (host: HangingProgram, guest: ConnectionWatch) {
    try bench.happen("out-of-range")
    let host = try HangingProgram(bench)
    #expect(host.run(until: { host.watch.connection.state.step == Step.adapterReady.rawValue }))
    let guest = try connect()
    #expect(host.run(until: { guest.connection.state.hostProcess != 0 }))
    try bench.happen("in-range")
    #expect(host.run(until: { host.watch.connection.state.step >= Step.helloWritten.rawValue }))
    #expect(bench.run(until: { guest.isConnected }, within: .seconds(30)))
    return (host, guest)
  }

  @Test("leaves the link alone if its manager ends when it continues")
  func managerEnds() throws {
    let (host, guest) = try replacedHost()
    let calls = linkCalls()
    host.manager.close()
    host.run(until: { false }, within: .milliseconds(100))
    bench.stepped.pass(.seconds(5))
    #expect(guest.isConnected && calls.entries == [])
    #expect(bench.tag.violations == [])
  }

  @Test("leaves the link alone if its connection ends when it continues")
  func endsWhenItContinues() throws {
    let (host, guest) = try replacedHost()
    let calls = linkCalls()
    // Its limit for the first connection has passed.
    bench.stepped.pass(.seconds(100))
    #expect(host.run(until: { host.watch.hasEnded }))
    #expect(host.watch.connection.state.reason?.code == .timeout)
    bench.stepped.pass(.seconds(5))
    #expect(guest.isConnected && calls.entries == [])
    #expect(bench.tag.violations == [])
  }

  // MARK: Inquiries

  /// A host that only says what the test wants, and answers inquiries.
  private final class ScriptedHost {
    let inquiries = Recorder<LoopInstant>()
    private(set) var channel: Channel?
    private var seat: HostSeat?

    init(_ bench: WorldFixture) throws {
      let bus = try #require(bench.manager.core.bluez.busID)
      let directory = try RuntimeDirectory(in: bench.scratch.path + "/run")
      let place = MeetingPlace(directory, bus: bus, tag: WorldFixture.identifier.text, loop: bench.loop)
      let role = try bench.stepped.run { try await place.enter() }
      guard case .host(let seat) = role else { throw CancellationError() }
      self.seat = seat
      seat.open(
        onGuest: { [unowned self] in welcome($0, bench) }, onSuperseded: { Issue.record("It was replaced.") })
    }

    private func welcome(_ channel: Channel, _ bench: WorldFixture) {
      self.channel = channel
      channel.start(
        onMessage: { [unowned self, unowned bench, unowned channel] message in
          guard case .inquire(let id) = message else { return }
          inquiries.note(bench.now)
          channel.send(.accepted(id: id))
        }, onEnd: { _ in })
      report(.tagKnown)
    }

    func report(_ step: Step, phase: Phase = .connecting) {
      channel?.send(.state(SharedState(phase: phase.rawValue, step: step.rawValue, attempt: 1)))
    }

    func leave() { seat?.leave() }
  }

  /// The seconds until each inquiry of the next hour.
  private func inquiries(_ host: ScriptedHost) -> [Int64] {
    bench.settle()
    let start = bench.now
    host.inquiries.entries = []
    bench.stepped.pass(.seconds(3600))
    return host.inquiries.entries.map { start.duration(to: $0).components.seconds }
  }

  @Test("is asked for a sign of life with growing pauses, and no more while the tag is connected")
  func pauses() throws {
    let host = try ScriptedHost(bench)
    let guest = try connect()
    bench.run(until: { guest.connection.state.hostProcess != 0 }, within: .seconds(1))
    #expect(inquiries(host) == [1, 3, 7, 15, 31, 63, 127, 255, 511, 1023])
    host.report(.tagKnown)
    #expect(inquiries(host) == [512])
    host.report(.linkUp)
    #expect(inquiries(host).prefix(3) == [1, 3, 7])
    host.report(.connected, phase: .connected)
    #expect(inquiries(host) == [])
    host.report(.adapterReady)
    #expect(inquiries(host).prefix(3) == [1, 3, 7])
    #expect(guest.connection.state.hostProcess != 0)
    host.leave()
  }

  @Test("is asked nothing in the long run if it reports states while it waits for the tag")
  func reportingHost() throws {
    let host = try ScriptedHost(bench)
    let guest = try connect()
    bench.run(until: { guest.connection.state.hostProcess != 0 }, within: .seconds(1))
    for _ in 0..<10 {
      bench.stepped.pass(.seconds(60))
      host.report(.tagKnown)
    }
    bench.settle()
    host.inquiries.entries = []
    for _ in 0..<10 {
      bench.stepped.pass(.seconds(60))
      host.report(.tagKnown)
    }
    #expect(host.inquiries.entries.isEmpty)
    host.leave()
  }

  @Test("is not what a guest sees that was stopped itself before it read the answer")
  func stoppedGuest() throws {
    let host = try ScriptedHost(bench)
    let guest = try HangingProgram(bench)
    #expect(guest.run(until: { host.inquiries.entries.count == 1 }))
    bench.stepped.pass(.seconds(10))
    guest.run(until: { host.inquiries.entries.count == 2 })
    #expect(host.inquiries.entries.count == 2)
    #expect(guest.watch.connection.state.hostProcess == getpid())
    host.leave()
  }
}
