import DBus
import Testing
import TestWorld

@testable import BlueZ

extension ObjectCacheTests {
  @Test("changes between the reply to GetManagedObjects and its handling are not lost")
  func rightBehindTheTree() throws {
    daemon.answerTree = { [daemon] call in
      daemon.giveTree(call)
      daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["Connected": true])
      daemon.remove(SampleMachine.adapter, [SampleMachine.adapterInterface])
      daemon.add("/org/bluez/hci1", [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
    }
    try restart()
    #expect(fixture.isRunning)
    try fixture.follow()
    #expect(device?.connected == true)
    #expect(fixture.cache.adapters.map(\.path) == ["/org/bluez/hci1"])
  }

  /// The same daemon under a new name, so that the objects are queried again.
  private func restart() throws {
    try fixture.stepped.run { [daemon] in
      try await daemon.connection.releaseName("org.bluez")
      try await daemon.connection.requestName("org.bluez")
    }
    fixture.settle()
  }

  @Test("objects added before the reply to GetManagedObjects are neither lost nor duplicated")
  func beforeTheTree() throws {
    daemon.answerTree = { [daemon] call in
      daemon.add("/org/bluez/hci1", [SampleMachine.adapterInterface: SampleMachine.adapterProperties])
      daemon.tree.append(
        (path: "/org/bluez/hci1", interfaces: [SampleMachine.adapterInterface: SampleMachine.adapterProperties]))
      daemon.giveTree(call)
    }
    try restart()
    #expect(fixture.cache.adapters.map(\.path) == [SampleMachine.adapter, "/org/bluez/hci1"])
  }

  private func crowd() -> [(path: String, interfaces: ScriptedBlueZ.Interfaces)] {
    (0..<500).map { number in
      (
        path: "\(SampleMachine.adapter)/dev_\(number)",
        interfaces: [SampleMachine.deviceInterface: ["Address": .string("\(number)"), "Connected": false]]
      )
    }
  }

  @Test("a reply with many objects is handled before the signals that follow it")
  func manyObjects() throws {
    let crowd = crowd()
    daemon.tree += crowd
    daemon.answerTree = { [daemon] call in
      daemon.answerTree = nil
      daemon.giveTree(call)
      for device in crowd { daemon.change(device.path, SampleMachine.deviceInterface, ["Connected": true]) }
    }
    try fixture.follow()
    let connected = fixture.cache.devices.filter { $0.path != SampleMachine.device && $0.connected }
    #expect(connected.count == crowd.count)
  }

  @Test("closing while a reply with many objects is handled ends its call")
  func closedMeanwhile() throws {
    daemon.tree += crowd()
    let outcome = Recorder<String>()
    fixture.loop.spawn { [cache = fixture.cache] in
      do throws(BlueZError) {
        _ = try await cache.followAllDevices()
        outcome.note("done")
      } catch {
        outcome.note("\(error.kind)")
      }
    }
    fixture.cache.changes.add { [fixture] _ in if fixture.cache.devices.count == 100 { fixture.bluez.close() } }
    fixture.settle()
    #expect(outcome.entries == ["unavailable"])
    #expect(fixture.cache.devices.isEmpty)
  }

  @Test("an invalid reply to GetManagedObjects yields no objects")
  func senselessTree() throws {
    daemon.answerTree = { try? $0.reply([.string("nothing")]) }
    try restart()
    #expect(fixture.isRunning)
    #expect(fixture.cache.adapters.isEmpty)
  }
}
