import DBus
import EventLoop
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

/// The cost of an absent tag, and how soon its return is detected. docs/reliability.md has the numbers.
@Suite("An absent tag")
struct AbsenceTests {
  /// Counts for one hour.
  private struct Cost: Equatable {
    var calls: Int
    var wakeUps: Int
    var secondsOfDiscovery: Int
  }

  // MARK: A tag that BlueZ does not know

  /// A machine without devices that measures discovery time.
  private final class DeafMachine {
    let fixture: ScriptedFixture
    private var discoveringSince: LoopInstant?
    private var discovered: Duration = .zero

    init() throws {
      fixture = try ScriptedFixture()
      try fixture.startDaemon([("00:1A:7D:DA:71:13", powered: true)])
      fixture.daemon?.answer = { [unowned self] call in
        try? call.reply()
        switch call.member {
        case "StartDiscovery": discoveringSince = fixture.stepped.time.now
        case "StopDiscovery":
          discovered += sinceStart
          discoveringSince = nil
        default: break
        }
      }
      fixture.start()
    }

    private var sinceStart: Duration { discoveringSince.map { $0.duration(to: fixture.stepped.time.now) } ?? .zero }
    private var discovery: Duration { discovered + sinceStart }
    private var calls: Int { fixture.daemon.map { $0.calls.count + $0.treesGiven } ?? 0 }

    func cost(of duration: Duration) -> Cost {
      let (calls, wakeUps, before) = (self.calls, fixture.stepped.wakeUps, discovery)
      fixture.stepped.pass(duration)
      return Cost(
        calls: self.calls - calls, wakeUps: fixture.stepped.wakeUps - wakeUps,
        secondsOfDiscovery: Int((discovery - before).components.seconds))
    }
  }

  private func unlimited() -> Connection.Options {
    var options = Connection.Options()
    options.timeout = .unlimited
    return options
  }

  @Test("is searched for continuously for two minutes, then periodically")
  func unknown() throws {
    let machine = try DeafMachine()
    let connection = try machine.fixture.manager.connect(WorldFixture.identifier, unlimited())
    #expect(machine.cost(of: .seconds(120)) == Cost(calls: 7, wakeUps: 2, secondsOfDiscovery: 120))
    let early = machine.cost(of: .seconds(480))
    #expect((21...22).contains(early.calls / 4) && (231...242).contains(early.secondsOfDiscovery))
    #expect(machine.cost(of: .seconds(3600)) == Cost(calls: 217, wakeUps: 109, secondsOfDiscovery: 599))
    #expect(connection.state.phase == .preparing)
  }

  @Test("costs no more if ten tags are absent")
  func tenUnknown() throws {
    let machine = try DeafMachine()
    let connections = try (0..<10).map {
      try machine.fixture.manager.connect(TagIdentifier(address: "C0:1A:DA:00:01:0\($0)"), unlimited())
    }
    _ = machine.cost(of: .seconds(600))
    #expect(machine.cost(of: .seconds(3600)) == Cost(calls: 217, wakeUps: 109, secondsOfDiscovery: 599))
    withExtendedLifetime(connections) {}
  }

  // MARK: A tag that BlueZ knows

  /// BlueZ knows the tag, and gives up each `Connect` after 41 s, as observed on 5.66.
  private func awayFixture(bonded: Bool = true) throws -> ScriptedFixture {
    let fixture = try ScriptedFixture(timeMoves: true)
    try fixture.startDaemon([("00:1A:7D:DA:71:13", powered: true)])
    var properties = SampleMachine.deviceProperties
    properties["Paired"] = .boolean(bonded)
    properties["Bonded"] = .boolean(bonded)
    fixture.daemon?.answer = { [unowned fixture] call in
      guard call.member == "Connect" else { return _ = try? call.reply() }
      fixture.stepped.loop.schedule(after: .seconds(41)) {
        call.fail("org.bluez.Error.Failed", "le-connection-abort-by-local")
      }
    }
    fixture.start()
    fixture.daemon?.add(SampleMachine.device, [SampleMachine.deviceInterface: properties])
    fixture.stepped.settle()
    return fixture
  }

  private static let awayTag = TagIdentifier(address: "C0:FF:EE:00:00:01")

  @Test("is awaited by BlueZ's Connect if BlueZ knows it, without scanning", arguments: [false, true])
  func known(_ bonded: Bool) throws {
    let fixture = try awayFixture(bonded: bonded)
    let connection = try fixture.manager.connect(Self.awayTag, unlimited())
    for hour in 1...10 {
      let (calls, wakeUps) = (fixture.daemon?.calls.count ?? 0, fixture.stepped.wakeUps)
      fixture.stepped.pass(.seconds(3600))
      let new = (fixture.daemon?.calls ?? []).dropFirst(calls)
      #expect(new.count <= (hour == 1 ? 91 : 90), "in hour \(hour)")
      #expect(new.filter { $0 != "Connect" }.count <= (hour == 1 ? 5 : 0), "in hour \(hour)")
      #expect(fixture.stepped.wakeUps - wakeUps <= 180, "in hour \(hour)")
    }
    #expect(connection.state.phase == .preparing)
  }

  @Test("is reported as awaited, once for each attempt")
  func statesWhileAway() throws {
    let fixture = try awayFixture()
    let connection = try fixture.manager.connect(Self.awayTag, unlimited())
    let states = Recorder<ConnectionState>()
    connection.states.add { [states] in states.note($0) }
    fixture.stepped.pass(.seconds(3600))
    #expect(states.entries.allSatisfy { $0.phase == .preparing })
    #expect(states.entries.count <= 90)
    #expect(states.entries.map(\.step).max() == Step.tagKnown.rawValue)
  }

  @Test("costs nothing while bluetoothd does not run")
  func withoutService() throws {
    let fixture = try ScriptedFixture(timeMoves: true)
    fixture.start()
    var options = unlimited()
    options.waitForAdapter = true
    let connection = try fixture.manager.connect(Self.awayTag, options)
    fixture.stepped.pass(.seconds(60))
    let wakeUps = fixture.stepped.wakeUps
    fixture.stepped.pass(.seconds(36_000))
    #expect(fixture.stepped.wakeUps == wakeUps)
    #expect(connection.state.phase == .preparing)
  }

  @Test("costs nothing when it is connected and idle")
  func idle() throws {
    let fixture = try WorldFixture(timeMoves: true)
    try fixture.happen("sleep-after 100000s")
    let watch = try fixture.connected()
    fixture.stepped.pass(.seconds(60))
    let (wakeUps, states) = (fixture.stepped.wakeUps, watch.states.count)
    fixture.stepped.pass(.seconds(36_000))
    #expect(fixture.stepped.wakeUps == wakeUps)
    #expect(watch.states.count == states)
  }

  // MARK: Its return

  @Test(
    "is reconnected soon after its return",
    arguments: [(30, 2), (300, 13), (500, 13), (3600, 56), (8 * 3600, 56)])
  func returns(_ away: Int, _ most: Int) throws {
    for moment in stride(from: 0, to: 66, by: 11) {
      let fixture = try WorldFixture()
      let watch = try fixture.connected()
      try fixture.happen("out-of-range")
      fixture.stepped.pass(.seconds(away + moment))
      try fixture.happen("in-range")
      #expect(fixture.run(until: { watch.isConnected }, within: .seconds(most)))
    }
  }

  @Test("is found immediately if another program discovers it, even between two windows")
  func seenByOthers() throws {
    let fixture = try WorldFixture()
    let watch = try fixture.connect(unlimited())
    try fixture.happen("out-of-range")
    fixture.stepped.pass(.seconds(7200))
    try fixture.happen("in-range")
    let scan = fixture.manager.scan { _ in
    } onEnd: { _, _ in
    }
    #expect(fixture.run(until: { watch.isConnected }, within: .seconds(2)))
    scan.stop()
  }

  @Test("is searched for continuously again after the adapter has returned", arguments: ["adapter", "bluetoothd"])
  func afterAdapter(_ what: String) throws {
    let fixture = try WorldFixture()
    var options = unlimited()
    options.waitForAdapter = true
    let watch = try fixture.connect(options)
    try fixture.happen("out-of-range")
    fixture.stepped.pass(.seconds(7200))
    try fixture.happen(what == "adapter" ? "adapter off" : "bluetoothd kill")
    fixture.stepped.pass(.seconds(5))
    try fixture.happen(what == "adapter" ? "adapter on" : "bluetoothd start")
    fixture.stepped.pass(.seconds(60))
    try fixture.happen("in-range")
    #expect(fixture.run(until: { watch.isConnected }, within: .seconds(2)))
  }
}
