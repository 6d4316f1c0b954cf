import EventLoop
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

extension ScanTests {
  // MARK: Ending

  @Test("reports nothing after it is stopped, and discovery ends with the last scan")
  func stop() throws {
    let fixture = try WorldFixture()
    let first = scan(fixture) { $0.everyReport = true }
    let second = scan(fixture)
    fixture.stepped.pass(.seconds(1))
    #expect(isDiscovering(fixture))
    first.scan?.stop()
    first.scan?.stop()
    let reported = first.found.count
    #expect(isDiscovering(fixture))
    second.scan?.stop()
    #expect(!isDiscovering(fixture))
    fixture.stepped.pass(.seconds(60))
    #expect(first.found.count == reported)
    #expect(first.ends.map(\.reason) == [.stopped] && second.ends.map(\.reason) == [.stopped])
  }

  @Test("reports nothing more after it is stopped inside its own report")
  func stopInside() throws {
    let fixture = try WorldFixture(tags: 3)
    let watch = Watch()
    watch.scan = fixture.manager.scan {
      watch.found.append($0)
      watch.scan?.stop()
    } onEnd: {
      watch.ends.append(($0, $1))
    }
    fixture.stepped.pass(.seconds(5))
    #expect(watch.found.count == 1)
    #expect(watch.ends.map(\.reason) == [.stopped])
    #expect(!isDiscovering(fixture))
  }

  @Test("ends without a report when it is abandoned")
  func abandoned() throws {
    let fixture = try WorldFixture()
    let watch = scan(fixture)
    watch.scan?.close()
    fixture.stepped.pass(.seconds(5))
    #expect(watch.found.isEmpty && watch.ends.isEmpty)
    #expect(!isDiscovering(fixture))
  }

  @Test("ends once after its time limit")
  func timeout() throws {
    let fixture = try WorldFixture()
    let start = fixture.now
    let watch = scan(fixture) { $0.timeout = .seconds(10) }
    fixture.run(until: { !watch.ends.isEmpty })
    #expect(start.duration(to: fixture.now) == .seconds(10))
    #expect(watch.ends.map(\.reason) == [.timedOut])
    #expect(watch.ends.first?.error == nil)
    fixture.stepped.pass(.seconds(60))
    #expect(watch.ends.count == 1)
    #expect(!isDiscovering(fixture))
  }

  @Test(
    "ends once when the adapter becomes unavailable",
    arguments: [
      ("adapter off", Scan.End.poweredOff, JacquardError.Code.poweredOff),
      ("adapter removed", .adapterGone, .noAdapter),
    ])
  func adapterGoes(_ event: String, _ reason: Scan.End, _ code: JacquardError.Code) throws {
    let fixture = try WorldFixture()
    let watch = scan(fixture)
    fixture.stepped.pass(.seconds(1))
    try fixture.happen(event)
    fixture.run(until: { !watch.ends.isEmpty }, within: .seconds(60))
    #expect(watch.ends.map(\.reason) == [reason])
    #expect(watch.ends.first?.error?.code == code)
    fixture.stepped.pass(.seconds(60))
    #expect(watch.ends.count == 1)
  }

  @Test(
    "ends within half a second without bluetoothd, without an adapter, or with the adapter powered off",
    arguments: [
      ("bluetoothd kill", Scan.End.adapterGone, JacquardError.Code.bluezUnavailable),
      ("adapter removed", .adapterGone, .noAdapter),
      ("adapter off", .poweredOff, .poweredOff),
    ])
  func nothingToScanWith(_ event: String, _ reason: Scan.End, _ code: JacquardError.Code) throws {
    let fixture = try WorldFixture()
    try fixture.happen(event)
    var options = Manager.Options()
    options.busAddress = fixture.stepped.bus.address
    let manager = try Manager(options, loop: fixture.loop)
    manager.start()
    fixture.settle()
    let watch = Watch()
    watch.scan = manager.scan {
      watch.found.append($0)
    } onEnd: {
      watch.ends.append(($0, $1))
    }
    fixture.stepped.pass(.milliseconds(500))
    #expect(watch.ends.map(\.reason) == [reason])
    #expect(watch.ends.first?.error?.code == code)
    manager.close()
  }

  @Test("waits for the adapter on request", arguments: ["adapter off", "adapter removed", "bluetoothd kill"])
  func waits(_ event: String) throws {
    let fixture = try WorldFixture()
    try fixture.happen(event)
    fixture.stepped.pass(.seconds(20))
    let watch = scan(fixture) { $0.waitForAdapter = true }
    fixture.stepped.pass(.seconds(60))
    #expect(watch.ends.isEmpty && watch.found.isEmpty)
    try fixture.happen(["adapter off": "adapter on", "adapter removed": "adapter added"][event] ?? "bluetoothd start")
    fixture.run(until: { !watch.found.isEmpty }, within: .seconds(10))
    #expect(watch.serials == ["01ZK"])
    #expect(watch.ends.isEmpty)
  }

  // MARK: Continuing

  @Test("continues after a restart of bluetoothd, within a second of its return")
  func daemonRestarts() throws {
    let fixture = try WorldFixture()
    let watch = scan(fixture) { $0.everyReport = true }
    fixture.stepped.pass(.seconds(1))
    try fixture.happen("bluetoothd kill")
    fixture.stepped.pass(.seconds(5))
    let before = watch.found.count
    try fixture.happen("bluetoothd start")
    fixture.run(until: { watch.found.count > before }, within: .seconds(1))
    #expect(watch.found.count > before)
    #expect(watch.ends.isEmpty)
  }

  @Test("continues after a restart of the bus")
  func busRestarts() throws {
    let fixture = try WorldFixture()
    let watch = scan(fixture) { $0.everyReport = true }
    fixture.stepped.pass(.seconds(1))
    fixture.stepped.killBus()
    fixture.stepped.pass(.seconds(5))
    fixture.daemon.kill()
    let before = watch.found.count
    try fixture.stepped.startBus()
    try fixture.startDaemon()
    fixture.run(until: { watch.found.count > before }, within: .seconds(2))
    #expect(watch.found.count > before)
    #expect(watch.ends.isEmpty)
  }

  @Test("continues while connections are established and end")
  func besideConnections() throws {
    let fixture = try WorldFixture(tags: 2)
    let watch = scan(fixture) { $0.everyReport = true }
    let connection = try fixture.connected()
    let before = watch.serials.filter { $0 == "T001" }.count
    fixture.stepped.pass(.seconds(2))
    #expect(watch.serials.filter { $0 == "T001" }.count > before)
    connection.connection.end(.disconnected)
    fixture.run(until: { connection.hasEnded })
    let after = watch.serials.filter { $0 == "01ZK" }.count
    fixture.stepped.pass(.seconds(2))
    #expect(watch.serials.filter { $0 == "01ZK" }.count > after)
    #expect(isDiscovering(fixture))
  }
}
