import DBus
import TestWorld
import Testing

@testable import Jacquard

@Suite("Refusals of the controller or bluetoothd")
struct RefusalTests {
  private let fixture: ScriptedFixture
  private var refusals = Recorder<String>()

  init() throws {
    fixture = try ScriptedFixture()
    try fixture.startDaemon([("00:1A:7D:DA:71:13", powered: true)])
    fixture.daemon?.answer = { [refusals] call in
      if call.member == "StartDiscovery", let name = refusals.entries.first {
        call.fail(name, "")
      } else {
        try? call.reply()
      }
    }
    fixture.start()
  }

  private func endOfScan() -> (reason: Scan.End, error: JacquardError?)? {
    var ends: [(Scan.End, JacquardError?)] = []
    let scan = fixture.manager.scan { _ in
    } onEnd: {
      ends.append(($0, $1))
    }
    fixture.stepped.pass(.seconds(60))
    #expect(ends.count <= 1)
    scan.close()
    return ends.first
  }

  @Test("a scan ends with advice")
  func scanRefused() throws {
    refusals.note("org.bluez.Error.InProgress")
    let end = try #require(endOfScan())
    #expect(end.reason == .error)
    #expect(end.error?.code == .adapterRefused)
    #expect(end.error?.dbusName == "org.bluez.Error.InProgress")
    #expect(end.error?.advice == JacquardError.Code.adapterRefused.advice)
  }

  @Test(
    "a scan ends with PERMISSION_DENIED if that is the error",
    arguments: ["org.freedesktop.DBus.Error.AccessDenied", "org.bluez.Error.NotAuthorized"])
  func scanForbidden(_ name: String) throws {
    refusals.note(name)
    let end = try #require(endOfScan())
    #expect(end.reason == .permissionDenied)
    #expect(end.error?.code == .permissionDenied)
    #expect(end.error?.dbusName == name)
  }

  @Test("if the adapter is not ready, its state shows it, and the scan waits")
  func scanNotReady() {
    refusals.note("org.bluez.Error.NotReady")
    #expect(endOfScan() == nil)
  }

  @Test("attempts to connect fail and are repeated")
  func connectionRefused() throws {
    refusals.note("org.bluez.Error.InProgress")
    let watch = ConnectionWatch(try fixture.manager.connect(WorldFixture.identifier))
    fixture.stepped.run(until: { watch.hasEnded }, within: .seconds(70))
    #expect(watch.states.contains { $0.reason?.code == .adapterRefused })
    #expect(watch.states.map(\.attempt).max() ?? 0 > 3)
    #expect(watch.connection.state.reason?.code == .notFound)
  }
}
