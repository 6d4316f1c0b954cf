import EventLoop
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

/// bluetoothd exports the battery while the service has a link to a bound tag.
@Suite("The battery of a tag in panels")
struct PanelBatteryTests {
  private let fixture: WorldFixture

  init() throws {
    fixture = try WorldFixture(sharing: true)
    for line in ["bluez 5.76", "battery 80"] { try fixture.happen(line) }
  }

  private var levels: [UInt8] { fixture.daemon.batteryLevels }

  private func bound() throws -> ConnectionWatch {
    let binding = try Binding(code: "0000AAAAA0" + fixture.tag.profile.serial)
    let watch = ConnectionWatch(try fixture.manager.bind(WorldFixture.identifier, binding))
    fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(30))
    try #require(watch.isConnected)
    fixture.stepped.pass(.seconds(1))
    return watch
  }

  @Test("is the tag's level, and follows it")
  func follows() throws {
    let watch = try bound()
    #expect(levels == [80])
    for level in [41, 40, 40, 0, 100] as [UInt8] {
      try fixture.happen("battery \(level)")
      #expect(levels == [level])
    }
    withExtendedLifetime(watch) {}
  }

  @Test(
    "ends with the link, and returns with it",
    arguments: ["drop link", "out-of-range for 5s", "bluetoothd restart after 1s", "adapter removed for 3s", "reboot"])
  func losses(_ event: String) throws {
    let watch = try bound()
    for _ in 1...3 {
      watch.forget()
      try fixture.happen(event)
      fixture.run(until: { !watch.isConnected }, within: .seconds(10))
      #expect(levels == [])
      fixture.run(until: { watch.isConnected }, within: .seconds(120))
      fixture.stepped.pass(.seconds(1))
      #expect(levels == [80])
    }
  }

  @Test("stays with the link after the last program, and leaves no provider")
  func lingers() throws {
    let watch = try bound()
    watch.connection.end(.closed)
    fixture.stepped.pass(.seconds(8))
    #expect(levels == [80])
    fixture.stepped.pass(.seconds(20))
    #expect(levels == [] && fixture.daemon.whatClientsKeep == [])
  }

  @Test("ends with the service")
  func serviceEnds() throws {
    let watch = try bound()
    fixture.endService()
    fixture.settle()
    #expect(levels == [])
    withExtendedLifetime(watch) {}
  }

  @Test(
    "ends when the tag is unbound, also while its link ends, and is there again when it is bound again",
    arguments: [Connection.Ending.closed, .disconnected])
  func unbound(_ end: Connection.Ending) throws {
    let watch = try bound()
    watch.connection.end(end)
    fixture.stepped.pass(.seconds(1))
    try fixture.outcome { try await fixture.manager.unbind(WorldFixture.identifier) }.get()
    #expect(levels == [])
    let again = try bound()
    #expect(levels == [80])
    withExtendedLifetime(again) {}
  }

  @Test("is not shown for a tag that is not bound, nor by a bluetoothd without experimental interfaces before 5.71")
  func notShown() throws {
    let watch = try fixture.connected()
    fixture.stepped.pass(.seconds(1))
    #expect(levels == [])
    watch.connection.end(.disconnected)
    fixture.stepped.pass(.seconds(30))
    try fixture.happen("bluez 5.66")
    let bound = try bound()
    #expect(levels == [] && fixture.daemon.whatClientsKeep.allSatisfy { !$0.contains("battery") })
    #expect(!fixture.log.entries.contains { $0.hasPrefix("service: warning") })
    withExtendedLifetime(bound) {}
  }
}
