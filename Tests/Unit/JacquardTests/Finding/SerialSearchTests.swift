import EventLoop
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

@Suite("Connecting by serial number")
struct SerialSearchTests {
  private let fixture: WorldFixture

  init() throws { fixture = try WorldFixture(tags: 2) }

  private func connect(
    _ serial: String, in manager: Manager? = nil, within limit: Duration? = nil, waitForAdapter: Bool = false,
    reserve: @escaping (TagIdentifier) throws(JacquardError) -> Void = { _ throws(JacquardError) in }
  ) throws -> ConnectionWatch {
    var options = Connection.Options()
    if let limit { options.timeout = .after(limit) }
    options.waitForAdapter = waitForAdapter
    return ConnectionWatch(try (manager ?? fixture.manager).connect(.serial(serial), options, reserve: reserve))
  }

  private func bind(tag: Int) throws {
    let identifier = TagIdentifier(address: fixture.world.tags[tag].profile.address)
    let serial = tag == 0 ? "01ZK" : "T00\(tag)"
    let watch = ConnectionWatch(try fixture.manager.bind(identifier, try Binding(code: serial)))
    fixture.run(until: { watch.isConnected || watch.hasEnded })
    #expect(watch.isConnected)
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
  }

  @Test(
    "finds the tag that advertises the end of the number, and then passes all steps",
    arguments: [("T001", 1), ("t001", 1), ("0000AAAAAT001", 1), ("01ZK", 0)])
  func found(_ serial: String, _ tag: Int) throws {
    let watch = try connect(serial)
    #expect(watch.connection.identifier == nil)
    fixture.run(until: { watch.isConnected })
    #expect(watch.connection.identifier == TagIdentifier(address: fixture.world.tags[tag].profile.address))
    // The first state is delivered again with the identifier.
    #expect(watch.steps.first == 0 && watch.steps.last == 14)
    #expect(fixture.world.tags[1 - tag].journal.links == 0)
  }

  @Test("stops discovery when the link is up")
  func discovery() throws {
    let watch = try connect("01ZK")
    fixture.run(until: { watch.connection.identifier != nil })
    #expect(fixture.manager.cache.adapters.first?.discovering == true)
    fixture.run(until: { watch.isConnected })
    fixture.settle()
    #expect(fixture.manager.cache.adapters.first?.discovering == false)
  }

  @Test("events that are subscribed to while the tag is searched for are delivered")
  func earlySubscription() throws {
    try fixture.happen("battery 42")
    let watch = try connect("01ZK")
    let heard = Recorder<UInt32>()
    watch.connection.notifications.battery.add { heard.note(UInt32($0.percent)) }
    fixture.run(until: { !heard.entries.isEmpty }, within: .seconds(30))
    #expect(heard.entries == [42])
  }

  @Test("an absent tag is not found in time, which is counted from the call")
  func notFound() throws {
    let start = fixture.now
    let watch = try connect("ZZZZ", within: .seconds(20))
    fixture.run(until: { watch.hasEnded })
    #expect(watch.states.map(\.phase) == [.disconnected])
    #expect(
      watch.connection.state.reason == JacquardError(.notFound, "Tag ZZZZ was not found in time."))
    #expect(start.duration(to: fixture.now) == .seconds(20))
    #expect(watch.connection.identifier == nil)
  }

  @Test("the time limit includes the search and the link", arguments: [1, 10, 19])
  func oneLimit(_ away: Int) throws {
    try fixture.happen("out-of-range")
    let start = fixture.now
    let watch = try connect("01ZK", within: .seconds(20))
    fixture.stepped.pass(.seconds(away))
    try fixture.happen("connect fails le-connection-abort-by-local")
    try fixture.happen("in-range")
    fixture.run(until: { watch.hasEnded })
    #expect(watch.connection.state.reason?.code == .timeout)
    #expect(start.duration(to: fixture.now) == .seconds(20))
  }

  @Test("the adapter's loss ends the search, unless the connection waits for it", arguments: [false, true])
  func adapter(_ waits: Bool) throws {
    try fixture.happen("adapter off")
    fixture.stepped.pass(.seconds(2))
    let watch = try connect("01ZK", waitForAdapter: waits)
    fixture.stepped.pass(.seconds(2))
    #expect(watch.hasEnded == !waits)
    #expect(watch.connection.state.reason?.code == (waits ? nil : .poweredOff))
    try fixture.happen("adapter on")
    fixture.run(until: { watch.isConnected }, within: .seconds(30))
    #expect(watch.isConnected == waits)
  }

  @Test("ended during the search, it reports no reason and begins nothing", arguments: [false, true])
  func ended(_ releases: Bool) throws {
    try fixture.happen("out-of-range")
    let watch = try connect("01ZK")
    fixture.stepped.pass(.seconds(5))
    watch.connection.end(releases ? .closed : .disconnected)
    fixture.run(until: { watch.hasEnded })
    #expect(watch.connection.state.reason == nil)
    try fixture.happen("in-range")
    fixture.stepped.pass(.seconds(30))
    #expect(fixture.tag.journal.links == 0)
    #expect(fixture.manager.cache.adapters.first?.discovering == false)
    #expect(watch.states.map(\.phase) == [.disconnected])
  }

  @Test("a manager that is closed ends the search")
  func closed() throws {
    try fixture.happen("out-of-range")
    weak let connection = try connect("01ZK").connection
    fixture.stepped.pass(.seconds(5))
    fixture.end()
    #expect(connection == nil)
  }

  @Test("a tag that has a connection already is refused when it is found")
  func alreadyConnected() throws {
    let first = try fixture.connected()
    let second = try connect("01ZK")
    fixture.run(until: { second.hasEnded })
    #expect(second.connection.state.reason?.code == .alreadyConnected)
    #expect(first.isConnected)
  }

  @Test("one that is not reserved ends with that error")
  func notReserved() throws {
    let watch = try connect("01ZK") { _ throws(JacquardError) in throw JacquardError(.alreadyConnected, "Taken.") }
    fixture.run(until: { watch.hasEnded })
    #expect(watch.connection.state.reason == JacquardError(.alreadyConnected, "Taken."))
    #expect(fixture.tag.journal.links == 0)
  }

  @Test("a bound tag is known by its full number or the end of it, without a search", arguments: ["01ZK", "A001ZK"])
  func bound(_ serial: String) throws {
    try bind(tag: 0)
    try fixture.happen("out-of-range")
    let watch = try connect(serial)
    fixture.stepped.pass(.seconds(100))
    #expect(watch.connection.identifier == WorldFixture.identifier)
    // Like a connection by identifier, it has no time limit.
    #expect(!watch.hasEnded)
    try fixture.happen("in-range")
    fixture.run(until: { watch.isConnected })
    #expect(watch.isConnected)
  }

  @Test("a tag is bound by its code alone")
  func binding() throws {
    let watch = ConnectionWatch(
      try fixture.manager.connect(.serial("T001"), binding: try Binding(code: "T001", owner: "me")))
    fixture.run(until: { watch.isConnected || watch.hasEnded })
    #expect(watch.isConnected)
    #expect(try fixture.manager.knownTags().map(\.owner) == ["me"])
  }
}
