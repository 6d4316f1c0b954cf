import EventLoop
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

@Suite("Scan")
struct ScanTests {
  /// A scan that records everything it reports.
  final class Watch {
    var found: [Advertisement] = []
    var ends: [(reason: Scan.End, error: JacquardError?)] = []
    var scan: Scan?
    var serials: [String] { found.map(\.serial) }
  }

  func scan(_ fixture: WorldFixture, _ change: (inout Scan.Options) -> Void = { _ in }) -> Watch {
    var options = Scan.Options()
    change(&options)
    let watch = Watch()
    watch.scan = fixture.manager.scan(options) {
      watch.found.append($0)
    } onEnd: {
      watch.ends.append(($0, $1))
    }
    return watch
  }

  func isDiscovering(_ fixture: WorldFixture) -> Bool {
    fixture.settle()
    return fixture.manager.cache.adapters.first?.discovering ?? false
  }

  // MARK: Finding

  @Test("finds each tag once, with what it advertises")
  func once() throws {
    let fixture = try WorldFixture(tags: 3)
    let watch = scan(fixture)
    fixture.stepped.pass(.seconds(5))
    #expect(watch.serials.sorted() == ["01ZK", "T001", "T002"])
    let first = try #require(watch.found.first { $0.serial == "01ZK" })
    #expect(first.identifier == WorldFixture.identifier)
    #expect(first.address.text == "C0:1A:DA:00:00:00")
    #expect(first.name == "Jacquard-01ZK")
    #expect(!first.bonded && !first.connected)
    let rssi = try #require(first.rssi)
    #expect((-62 ... -58).contains(rssi))
    #expect(watch.ends.isEmpty)
  }

  @Test("is released when it has ended")
  func released() throws {
    let fixture = try WorldFixture()
    let watch = scan(fixture)
    fixture.settle()
    weak let scan = watch.scan
    watch.scan = nil
    scan?.stop()
    #expect(watch.ends.count == 1)
    #expect(scan == nil)
  }

  @Test("that ends when its time is over reports why discovery never worked", arguments: [1, 5, 10])
  func neverWorked(_ seconds: Int) throws {
    let fixture = try WorldFixture()
    try fixture.happen("discovery refused")
    let watch = scan(fixture) { $0.timeout = .seconds(seconds) }
    fixture.stepped.pass(.seconds(seconds))
    #expect(watch.ends.map(\.reason) == [.error])
    #expect(watch.ends.first?.error?.code == .adapterRefused)
  }

  @Test("that found nothing because discovery began late has timed out")
  func workedLate() throws {
    let fixture = try WorldFixture()
    try fixture.happen("discovery refused 2 times")
    try fixture.happen("out-of-range")
    let watch = scan(fixture) { $0.timeout = .seconds(5) }
    fixture.stepped.pass(.seconds(5))
    #expect(watch.ends.map(\.reason) == [.timedOut])
    #expect(watch.ends.first?.error == nil)
  }

  @Test("finds a tag with every release of BlueZ, even if it crashes with a filter by services")
  func releases() throws {
    for release in ["5.55", "5.82", "5.87"] {
      let fixture = try WorldFixture()
      try fixture.happen("bluez \(release)")
      let watch = scan(fixture)
      fixture.stepped.pass(.seconds(20))
      #expect(watch.serials == ["01ZK"], "\(release)")
      #expect(fixture.daemon.isRunning, "\(release)")
    }
  }

  @Test("reports each advertisement on request")
  func everyReport() throws {
    let fixture = try WorldFixture()
    let watch = scan(fixture) { $0.everyReport = true }
    fixture.stepped.pass(.seconds(2))
    #expect(watch.found.count > 5)
    #expect(Set(watch.serials) == ["01ZK"])
  }

  @Test("every scan finds every tag, including those that BlueZ already knew")
  func knownBefore() throws {
    let fixture = try WorldFixture()
    let first = scan(fixture)
    fixture.stepped.pass(.seconds(1))
    let second = scan(fixture)
    fixture.stepped.pass(.seconds(1))
    #expect(first.serials == ["01ZK"] && second.serials == ["01ZK"])
  }

  @Test(
    "the end of the serial number is sufficient, in full or as printed, case-insensitively",
    arguments: [("01ZK", 1), ("0000AAAAA01ZK", 1), ("1ZK", 0), ("01zk", 1), ("T001", 1), ("", 0)])
  func serial(_ serial: String, _ count: Int) throws {
    let fixture = try WorldFixture(tags: 2)
    let watch = scan(fixture) { $0.serial = serial }
    fixture.stepped.pass(.seconds(2))
    #expect(watch.found.count == count)
  }

  @Test("weak tags are not reported until they are close enough")
  func minimumRSSI() throws {
    let fixture = try WorldFixture()
    try fixture.happen("rssi -90")
    let watch = scan(fixture) { $0.minimumRSSI = -70 }
    fixture.stepped.pass(.seconds(2))
    #expect(watch.found.isEmpty)
    try fixture.happen("rssi -50")
    fixture.stepped.pass(.seconds(2))
    #expect(watch.found.count == 1)
  }

  @Test("already connected tags, which do not advertise, are reported first")
  func connected() throws {
    let fixture = try WorldFixture(tags: 2)
    let connection = try fixture.connected()
    let watch = scan(fixture)
    fixture.settle()
    #expect(watch.serials == ["01ZK"])
    #expect(watch.found.first?.connected == true)
    fixture.stepped.pass(.seconds(2))
    #expect(watch.serials == ["01ZK", "T001"])
    withExtendedLifetime(connection) {}
  }

  // MARK: Connected tags, without a scan

  private func list(_ fixture: WorldFixture, _ manager: Manager? = nil) -> Result<[Advertisement], any Error> {
    let manager = manager ?? fixture.manager!
    return fixture.outcome { try await manager.connectedTags() }
  }

  func error(_ result: Result<[Advertisement], any Error>) -> JacquardError? {
    if case .failure(let error as JacquardError) = result { error } else { nil }
  }

  @Test("tags that any program has connected are listed without discovery")
  func listed() throws {
    let fixture = try WorldFixture(tags: 2)
    #expect(try list(fixture).get() == [])
    let connection = try fixture.connected()
    let another = try fixture.anotherManager(sharing: false)
    let members = Recorder<String>()
    fixture.daemon.called = { _, member in members.note(member) }
    for manager in [fixture.manager!, another] {
      let tags = try list(fixture, manager).get()
      #expect(tags.map(\.identifier) == [WorldFixture.identifier])
      #expect(tags.allSatisfy { $0.connected && $0.address.text == "C0:1A:DA:00:00:00" })
    }
    #expect(members.entries.contains("GetManagedObjects"))
    #expect(Set(members.entries).isDisjoint(with: ["StartDiscovery", "SetDiscoveryFilter"]))
    connection.connection.end(.disconnected)
    fixture.run(until: { connection.hasEnded })
    #expect(try list(fixture, another).get() == [])
  }

  @Test(
    "connected tags cannot be listed without a usable adapter",
    arguments: [
      ("adapter off", JacquardError.Code.poweredOff), ("adapter removed", .noAdapter),
      ("bluetoothd kill", .bluezUnavailable),
    ])
  func notListed(_ event: String, _ code: JacquardError.Code) throws {
    let fixture = try WorldFixture()
    try fixture.happen(event)
    fixture.stepped.pass(.seconds(20))
    let refusal = try #require(error(list(fixture)))
    #expect(refusal.code == code)
    #expect(refusal.advice != JacquardError.adviceWhileHealing)
  }

  @Test("the error of a list says what to do while the library waits for bluetoothd")
  func notListedYet() throws {
    let fixture = try WorldFixture()
    try fixture.happen("bluetoothd kill")
    #expect(fixture.manager.adapterStatus.state == .resetting)
    let refusal = try #require(error(list(fixture)))
    #expect(refusal.code == .bluezUnavailable)
    #expect(refusal.advice == JacquardError.Code.bluezUnavailable.advice)
  }
}
