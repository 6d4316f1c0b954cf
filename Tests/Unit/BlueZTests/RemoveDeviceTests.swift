import EventLoop
import TestWorld
import Testing

@testable import BlueZ

@Suite("Removing a device")
struct RemoveDeviceTests {
  private let fixture: BlueZFixture
  private let daemon: ScriptedBlueZ
  private let adapter: Adapter
  private let device: Device

  init() throws {
    fixture = try BlueZFixture()
    daemon = try fixture.begin()
    adapter = try #require(fixture.cache.adapters.first)
    device = try #require(fixture.cache.devices.first)
  }

  /// Removes the device at one of the requests, and replies to all of them with success.
  private func remove(at request: Int) {
    var requests = 0
    daemon.answer = { [daemon] call in
      requests += 1
      if requests == request { daemon.remove(SampleMachine.device, [SampleMachine.deviceInterface]) }
      try? call.reply()
    }
  }

  private func remove() throws {
    try fixture.stepped.run { [adapter, device] in try await adapter.remove(device) }
  }

  @Test("is requested once if BlueZ removes the device")
  func once() throws {
    remove(at: 1)
    try remove()
    #expect(daemon.calls == ["RemoveDevice"])
    #expect(device.isGone)
  }

  @Test("is requested again if BlueZ reports success but keeps the device")
  func again() throws {
    remove(at: 2)
    try remove()
    #expect(daemon.calls == ["RemoveDevice", "RemoveDevice"])
    #expect(device.isGone)
  }

  @Test("fails if BlueZ still keeps the device")
  func kept() throws {
    #expect(throws: BlueZError.self) { try remove() }
    #expect(daemon.calls == ["RemoveDevice", "RemoveDevice"])
  }

  @Test("succeeds if the device is removed before the second request")
  func removedInBetween() throws {
    daemon.answer = { [daemon, fixture] call in
      try? call.reply()
      fixture.loop.schedule(after: .milliseconds(500)) {
        daemon.remove(SampleMachine.device, [SampleMachine.deviceInterface])
      }
    }
    try remove()
    #expect(daemon.calls == ["RemoveDevice"])
  }
}
