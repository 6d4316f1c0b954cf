import DBus
import EventLoop
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

/// Cases that the simulated BlueZ does not cover.
@Suite("Recovery of links with a scripted BlueZ")
struct ScriptedRecoveryTests {
  let fixture: ScriptedFixture

  init() throws {
    fixture = try ScriptedFixture()
    try fixture.startDaemon([("00:1A:7D:DA:71:13", powered: true)])
  }

  @Test("BlueZ is asked to use LE only if it supports that", arguments: [nil, "le", "last-used"])
  func preferredBearer(_ bearer: String?) throws {
    var properties = SampleMachine.deviceProperties
    if let bearer { properties["PreferredBearer"] = .string(bearer) }
    let sets = Recorder<[Value]>()
    fixture.daemon?.answer = { call in
      if call.member == "Set" { sets.note(call.body()) }
      if call.member == "Connect" {
        call.fail("org.bluez.Error.Failed", "br-connection-page-timeout")
      } else {
        try? call.reply()
      }
    }
    fixture.start()
    fixture.daemon?.add(SampleMachine.device, [SampleMachine.deviceInterface: properties])
    fixture.stepped.settle()
    let watch = ConnectionWatch(try fixture.manager.connect(TagIdentifier(address: "C0:FF:EE:00:00:01")))
    fixture.stepped.pass(.milliseconds(100))
    let wanted: [[Value]] =
      bearer == "last-used"
      ? [[.string(SampleMachine.deviceInterface), .string("PreferredBearer"), .variant(.string("le"))]] : []
    #expect(sets.entries == wanted)
    #expect(watch.reasons == [.connectFailed])
  }

  @Test("a link that is lost and returns is up, although Connect gets no reply")
  func unansweredFlap() throws {
    let unanswered = Recorder<MethodCall>()
    fixture.daemon?.answer = { call in
      if call.member == "Connect" { unanswered.note(call) } else { try? call.reply() }
    }
    fixture.start()
    fixture.daemon?.add(SampleMachine.device, [SampleMachine.deviceInterface: SampleMachine.deviceProperties])
    fixture.stepped.settle()
    let watch = ConnectionWatch(try fixture.manager.connect(TagIdentifier(address: "C0:FF:EE:00:00:01")))
    for isConnected in [true, false, true] {
      fixture.stepped.pass(.milliseconds(150))
      fixture.daemon?.change(SampleMachine.device, SampleMachine.deviceInterface, ["Connected": .boolean(isConnected)])
      fixture.stepped.settle()
    }
    fixture.stepped.pass(.seconds(1))
    #expect(unanswered.entries.count == 1)
    #expect(watch.states.last?.step == Step.linkUp.rawValue)
  }

  @Test("an adapter that is removed immediately after it was added is not awaited")
  func fleetingPower() throws {
    fixture.start()
    fixture.setPowered(false)
    fixture.stepped.pass(.seconds(2))
    var options = Connection.Options()
    options.waitForAdapter = true
    let watch = ConnectionWatch(try fixture.manager.connect(TagIdentifier(address: "C0:FF:EE:00:00:01"), options))
    fixture.stepped.settle()
    for isPowered in [true, false] {
      fixture.daemon?.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Powered": .boolean(isPowered)])
    }
    fixture.stepped.pass(.seconds(2))
    #expect(watch.reasons.last == .poweredOff)
    #expect(watch.states.last?.step == 0)
    fixture.setPowered(true)
    fixture.stepped.pass(.milliseconds(100))
    #expect(watch.states.last?.step == Step.adapterReady.rawValue)
  }

  @Test("a device without the Jacquard service is not a tag, whatever BlueZ reports")
  func foreignDevices() throws {
    fixture.start()
    let found = Recorder<String>()
    let scan = fixture.manager.scan {
      found.note($0.name)
    } onEnd: { _, _ in
    }
    fixture.stepped.settle()
    for (index, uuids) in [[], ["0000180f-0000-1000-8000-00805f9b34fb"], ["D2F2BF0D-D165-445C-B0E1-2D6B642EC57B"]]
      .enumerated()
    {
      fixture.daemon?.add(
        "/org/bluez/hci0/dev_C0_FF_EE_00_00_0\(index)",
        [
          SampleMachine.deviceInterface: [
            "Adapter": .objectPath(SampleMachine.adapter), "Address": .string("C0:FF:EE:00:00:0\(index)"),
            "Name": .string("device \(index)"), "RSSI": .int16(-50), "UUIDs": .strings(uuids),
          ]
        ])
    }
    fixture.stepped.settle()
    #expect(found.entries == ["device 2"])
    scan.stop()
  }

  @Test("a second adapter does not replace the first; it is used when it is the only one")
  func severalAdapters() throws {
    fixture.start()
    #expect(fixture.status.address == "00:1A:7D:DA:71:13")
    fixture.daemon?.add("/org/bluez/hci1", ScriptedFixture.interfaces("00:1A:7D:DA:71:14", powered: true))
    fixture.stepped.settle()
    #expect(fixture.status.address == "00:1A:7D:DA:71:13")
    fixture.daemon?.remove("/org/bluez/hci0", [SampleMachine.adapterInterface])
    fixture.stepped.pass(.seconds(11))
    #expect(fixture.status.address == "00:1A:7D:DA:71:14")
    #expect(fixture.status.state == .poweredOn)
  }
}
