import DBus
import EventLoop
import TestWorld
import Testing

@testable import BlueZ

@Suite("The provider of batteries")
struct BatteryProviderTests {
  private let fixture: BlueZFixture
  private let daemon: ScriptedBlueZ
  private let log = Recorder<String>()
  private let provider: BatteryProvider
  private let device: Device

  init() throws {
    fixture = try BlueZFixture()
    daemon = try fixture.begin()
    try fixture.follow()
    daemon.add(SampleMachine.adapter, ["org.bluez.BatteryProviderManager1": [:]])
    daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["Paired": true])
    fixture.settle()
    device = try #require(fixture.cache.devices.first)
    provider = BatteryProvider(fixture.cache) { [log] in log.note($0) }
  }

  private func calls(after action: () -> Void) -> [String] {
    let count = daemon.calls.count
    action()
    fixture.settle()
    return Array(daemon.calls.dropFirst(count))
  }

  @Test("registers for the first device, and ends with the last one")
  func registers() {
    #expect(calls { provider.report(80, of: device) } == ["RegisterBatteryProvider"])
    #expect(calls { provider.report(79, of: device) } == [])
    #expect(calls { provider.withdraw(device) } == ["UnregisterBatteryProvider"])
    #expect(calls { provider.withdraw(device) } == [])
    #expect(calls { provider.report(78, of: device) } == ["RegisterBatteryProvider"])
  }

  @Test(
    "leaves a device alone that has a battery of its own, or is not bonded",
    arguments: ["battery", "service", "no bond", "no manager"])
  func otherBatteries(_ what: String) throws {
    switch what {
    case "battery": daemon.add(SampleMachine.device, ["org.bluez.Battery1": ["Percentage": .byte(7)]])
    case "service":
      let services = ["d2f2bf0d-d165-445c-b0e1-2d6b642ec57b", "0000180F-0000-1000-8000-00805f9b34fb"]
      daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["UUIDs": .strings(services)])
    case "no bond": daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["Paired": false])
    default: daemon.remove(SampleMachine.adapter, ["org.bluez.BatteryProviderManager1"])
    }
    fixture.settle()
    for _ in 1...2 { #expect(!provider.accepts(device)) }
    #expect(log.entries.count == (what == "no manager" ? 1 : 0))
    #expect(calls { provider.report(80, of: device) } == [])
  }

  @Test("a refusal is logged, and nothing else fails")
  func refused() {
    daemon.answer = { $0.fail("org.bluez.Error.AlreadyExists", "Provider already exists") }
    _ = calls { provider.report(80, of: device) }
    #expect(log.entries.count == 1)
  }

  @Test("the levels are those of the objects below the provider's path")
  func objects() throws {
    let registered = Recorder<MethodCall>()
    daemon.answer = {
      if $0.member == "RegisterBatteryProvider" { registered.note($0) }
      try? $0.reply()
    }
    _ = calls { provider.report(80, of: device) }
    let call = try #require(registered.entries.first)
    let (program, path) = (try #require(call.sender), try #require(call.body().first?.asObjectPath))
    let reply = try fixture.stepped.run { [daemon] in
      try await daemon.connection.call(
        to: program, path: path, interface: "org.freedesktop.DBus.ObjectManager", member: "GetManagedObjects")
    }
    let objects = reply.body().first?.asEntries ?? []
    #expect(objects.compactMap(\.key.asObjectPath) == ["\(path)/dev_C0_FF_EE_00_00_01"])
    let properties = objects.first?.value.asEntries?.first?.value.asProperties
    #expect(
      properties == [
        "Device": .objectPath(SampleMachine.device), "Percentage": .byte(80), "Source": "Jacquard",
      ])
  }
}
