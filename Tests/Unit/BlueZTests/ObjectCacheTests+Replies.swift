import DBus
import Testing
import TestWorld

@testable import BlueZ

extension ObjectCacheTests {
  // MARK: Effects of replies

  @Test("a link that ended immediately after the reply to Connect is down")
  func connectedAndLost() throws {
    daemon.answer = { [daemon] call in
      try? call.reply()
      daemon.change(
        SampleMachine.device, SampleMachine.deviceInterface, ["Connected": false, "ServicesResolved": false])
    }
    let device = try #require(device)
    try fixture.stepped.run { try await device.connect(deadline: .seconds(20)) }
    fixture.settle()
    #expect(!device.connected)
  }

  @Test("the reply to Connect means connected, if BlueZ does not signal it")
  func connectedByReply() throws {
    let device = try #require(device)
    try fixture.stepped.run { try await device.connect(deadline: .seconds(20)) }
    #expect(device.connected)
    #expect(fixture.takeChanges() == ["dev_C0_FF_EE_00_00_01 Connected"])
  }

  @Test("a postponed StartNotify is complete when the property is set")
  func postponedNotify() throws {
    let characteristic = try addCharacteristic()
    daemon.answer = { $0.fail("org.bluez.Error.InProgress", "In Progress") }
    let done = Recorder<Bool>()
    fixture.loop.spawn {
      do {
        try await characteristic.startNotify(deadline: .seconds(8))
        done.note(try await characteristic.becomesNotifying(within: .seconds(8)))
      } catch {
        Issue.record(error)
      }
    }
    fixture.settle()
    #expect(done.entries == [])
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Notifying": true])
    fixture.settle()
    #expect(done.entries == [true])
  }

  @Test("a StartNotify that stays postponed ends with its time limit or the characteristic")
  func neverNotify() throws {
    let characteristic = try addCharacteristic()
    #expect(try fixture.stepped.run { try await characteristic.becomesNotifying(within: .seconds(8)) } == false)
    let outcome = Recorder<String>()
    fixture.loop.spawn {
      do { _ = try await characteristic.becomesNotifying(within: .seconds(8)) } catch let error as BlueZError {
        outcome.note("\(error.kind)")
      } catch {
        outcome.note("\(error)")
      }
    }
    fixture.settle()
    daemon.remove(SampleMachine.characteristic, [SampleMachine.characteristicInterface])
    fixture.settle()
    #expect(outcome.entries == ["objectGone"])
  }

  @Test("a session started for a removed characteristic is stopped through its successor", arguments: [true, false])
  func sessionOfSuccessor(_ isReplied: Bool) throws {
    let old = try addCharacteristic()
    daemon.answer = { [daemon] call in
      guard call.member == "StartNotify" else { return }
      // The program receives these signals late: it called while it still knew the old object.
      daemon.remove(SampleMachine.characteristic, [SampleMachine.characteristicInterface])
      daemon.add(
        SampleMachine.characteristic, [SampleMachine.characteristicInterface: SampleMachine.characteristicProperties])
      if isReplied { try? call.reply() }
    }
    let start = fixture.loop.spawn { _ = try? await old.startNotify(deadline: .seconds(8)) }
    fixture.settle()
    start.cancel()
    let new = try #require(device.flatMap { fixture.cache.characteristics(of: $0).first })
    #expect(new !== old)
    new.stopNotifyWithoutWaiting()
    new.stopNotifyWithoutWaiting()
    fixture.settle()
    #expect(daemon.calls == ["StartNotify", "StopNotify"])
  }

  @Test("calls go to the daemon that exported the object, with BlueZ's arguments")
  func calls() throws {
    let seen = Recorder<String>()
    daemon.answer = { call in
      seen.note("\(call.path) \(call.interface ?? "").\(call.member) \(call.message.signature)")
      if call.member == "RemoveDevice" { daemon.remove(SampleMachine.device, [SampleMachine.deviceInterface]) }
      try? call.reply()
    }
    let characteristic = try addCharacteristic()
    let adapter = try #require(fixture.cache.adapters.first)
    let device = try #require(device)
    try fixture.stepped.run {
      try await adapter.setDiscoveryFilter(["Transport": "le"])
      try await adapter.startDiscovery()
      try await adapter.stopDiscovery()
      characteristic.write([1, 2, 3], .command, deadline: .seconds(1), overdue: {}) { _ in }
      try await device.disconnect()
      try await adapter.remove(device)
    }
    #expect(
      seen.entries == [
        "\(SampleMachine.adapter) org.bluez.Adapter1.SetDiscoveryFilter a{sv}",
        "\(SampleMachine.adapter) org.bluez.Adapter1.StartDiscovery ",
        "\(SampleMachine.adapter) org.bluez.Adapter1.StopDiscovery ",
        "\(SampleMachine.characteristic) org.bluez.GattCharacteristic1.WriteValue aya{sv}",
        "\(SampleMachine.device) org.bluez.Device1.Disconnect ",
        "\(SampleMachine.adapter) org.bluez.Adapter1.RemoveDevice o",
      ])
  }

  @Test("a call without a reply ends with its time limit")
  func unanswered() throws {
    var kept: [MethodCall] = []
    daemon.answer = { kept.append($0) }
    let device = try #require(device)
    #expect(throws: BlueZError(.deadline, "The Bluetooth service did not respond in time.")) {
      try fixture.stepped.run { try await device.connect(deadline: .seconds(20)) }
    }
    #expect(fixture.stepped.time.now.nanoseconds == 20_000_000_000)
    #expect(kept.count == 1)
  }

  @Test("a characteristic is found only below its own device and service")
  func lookup() throws {
    let characteristic = try addCharacteristic()
    let other = SampleMachine.device + "5"
    daemon.add(other, [SampleMachine.deviceInterface: SampleMachine.deviceProperties])
    fixture.settle()
    let devices = fixture.cache.devices
    let uuid = "d2f2b8d1-d165-445c-b0e1-2d6b642ec57b"
    let service = "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"
    #expect(fixture.cache.characteristic(uuid, service: service, of: devices[0]) === characteristic)
    #expect(fixture.cache.characteristic(uuid, service: service, of: devices[1]) == nil)
    #expect(fixture.cache.characteristic(uuid, service: "0000180f-0000-1000-8000-00805f9b34fb", of: devices[0]) == nil)
    #expect(
      fixture.cache.characteristic("d2f2b8d0-d165-445c-b0e1-2d6b642ec57b", service: service, of: devices[0]) == nil)
  }
}
