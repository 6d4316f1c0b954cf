import DBus
import EventLoop
import TestWorld
import Testing

@testable import BlueZ

@Suite("Discovery session of an adapter")
struct DiscoveryTests {
  let fixture: BlueZFixture
  let daemon: ScriptedBlueZ
  let adapter: Adapter
  private let discovery: Discovery
  let failures = Recorder<BlueZError.Kind>()

  init() throws {
    fixture = try BlueZFixture()
    daemon = try fixture.begin()
    adapter = try #require(fixture.cache.adapters.first)
    discovery = Discovery(adapter, loop: fixture.loop, serviceUUID: "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b")
    fixture.cache.changes.add { [discovery] change in if change.concernsAdapters { discovery.adapterChanged() } }
  }

  func client() -> Discovery.Client { discovery.join { [failures] in failures.note($0.kind) } }

  static let start = ["SetDiscoveryFilter", "StartDiscovery"]
  static let stop = ["StopDiscovery"]

  func setPowered(_ on: Bool) {
    daemon.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Powered": .boolean(on)])
    fixture.settle()
  }

  /// Replies to the first calls of a member with these errors, then with success.
  private func refuse(_ member: String, _ errors: [String]) {
    var errors = errors[...]
    daemon.answer = { call in
      if call.member == member, let error = errors.popFirst() { call.fail(error, "") } else { try? call.reply() }
    }
  }

  @Test("filters by LE and the Jacquard service, and requests changes only")
  func filter() throws {
    var filter: PropertyMap?
    daemon.answer = { call in
      if call.member == "SetDiscoveryFilter" { filter = call.body().first?.asProperties }
      try? call.reply()
    }
    let client = client()
    fixture.settle()
    #expect(
      filter == [
        "Transport": "le", "UUIDs": .strings(["d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"]), "DuplicateData": false,
      ])
    client.end()
  }

  @Test(
    "does not filter by service with 5.87, which would crash, or with a possible 5.87",
    arguments: [
      ("usb:v1D6Bp0246d0537", true), ("usb:v1D6Bp0246d0556", true), ("usb:v1D6Bp0246d0558", true),
      ("usb:v1D6Bp0246d0557", false), ("bluetooth:v00E0p1234d0001", false), ("usb:v1D6Bp0246d", false),
      ("usb:v1D6Bp0246d05577", false), ("usb:v1D6Bp0246d05\u{e9}", false), ("", false),
    ])
  func serviceFilter(modalias: String, filters: Bool) {
    var asked: [Bool] = []
    daemon.answer = { call in
      if call.member == "SetDiscoveryFilter" { asked.append(call.body().first?["UUIDs"] != nil) }
      try? call.reply()
    }
    daemon.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Modalias": .string(modalias)])
    fixture.settle()
    let client = client()
    fixture.settle()
    discovery.reassertFilter()
    fixture.settle()
    #expect(asked == [filters, filters])
    client.end()
  }

  @Test("is shared by all clients, and ends with the last of them")
  func shared() {
    let first = client()
    let second = client()
    fixture.settle()
    #expect(daemon.calls == Self.start)
    first.end()
    first.end()
    fixture.settle()
    #expect(daemon.calls == Self.start)
    second.end()
    fixture.settle()
    #expect(daemon.calls == Self.start + Self.stop)
  }

  @Test("is restarted after 90 s without any report, and ever more rarely if that does not help")
  func silent() {
    let client = client()
    fixture.settle()
    fixture.stepped.pass(.seconds(89))
    #expect(daemon.calls == Self.start)
    fixture.stepped.pass(.seconds(1))
    #expect(daemon.calls == Self.start + Self.stop + Self.start)
    fixture.stepped.pass(.seconds(179))
    #expect(daemon.calls == Self.start + Self.stop + Self.start)
    fixture.stepped.pass(.seconds(1))
    #expect(daemon.calls == Self.start + Self.stop + Self.start + Self.stop + Self.start)
    daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["RSSI": .int16(-50)])
    fixture.stepped.pass(.seconds(360 + 90))
    #expect(daemon.calls.filter { $0 == Self.stop[0] }.count == 3)
    client.end()
    fixture.settle()
    let calls = daemon.calls
    fixture.stepped.pass(.seconds(1000))
    #expect(daemon.calls == calls)
    #expect(failures.entries == [])
  }

  @Test("is not restarted while any device is reported")
  func notSilent() {
    let client = client()
    fixture.settle()
    for minute in 1...10 {
      daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["RSSI": .int16(Int16(-50 - minute))])
      fixture.settle()
      fixture.stepped.pass(.seconds(60))
    }
    #expect(daemon.calls == Self.start)
    client.end()
  }

  @Test("a client that ends immediately causes no calls")
  func takenBack() {
    client().end()
    fixture.settle()
    #expect(daemon.calls == [])
  }

  @Test("a client that ends while discovery starts stops it again")
  func takenBackWhileStarting() {
    var kept: MethodCall?
    daemon.answer = { call in
      if call.member == "StartDiscovery" { kept = call } else { try? call.reply() }
    }
    let client = client()
    fixture.settle()
    client.end()
    fixture.settle()
    #expect(daemon.calls == Self.start)
    try? kept?.reply()
    fixture.settle()
    #expect(daemon.calls == Self.start + Self.stop)
  }

  @Test("a client added while discovery stops starts it again afterwards")
  func wishWhileStopping() {
    var kept: MethodCall?
    daemon.answer = { call in
      if call.member == "StopDiscovery" { kept = call } else { try? call.reply() }
    }
    let first = client()
    fixture.settle()
    first.end()
    fixture.settle()
    let second = client()
    fixture.settle()
    #expect(daemon.calls == Self.start + Self.stop)
    try? kept?.reply()
    fixture.settle()
    #expect(daemon.calls == Self.start + Self.stop + Self.start)
    #expect(failures.entries == [])
    withExtendedLifetime(second) {}
  }

  @Test("InProgress means that the controller refuses: discovery is stopped and retried, with pauses")
  func refusedOnce() {
    refuse("StartDiscovery", ["org.bluez.Error.InProgress"])
    let client = client()
    fixture.settle()
    #expect(daemon.calls == Self.start + Self.stop)
    fixture.stepped.pass(.milliseconds(249))
    #expect(daemon.calls == Self.start + Self.stop)
    fixture.stepped.pass(.milliseconds(1))
    #expect(daemon.calls == Self.start + Self.stop + Self.start)
    #expect(failures.entries == [])
    withExtendedLifetime(client) {}
  }

  @Test("a client that joins between two attempts knows why discovery does not run")
  func joinedBetweenAttempts() {
    refuse("StartDiscovery", ["org.bluez.Error.InProgress"])
    let first = client()
    fixture.settle()
    let second = client()
    first.end()
    #expect(second.refusal?.kind == .inProgress)
    fixture.stepped.pass(.seconds(5))
    #expect(second.refusal == nil)
    second.end()
    fixture.settle()
    let third = client()
    #expect(third.refusal == nil)
    third.end()
  }

  @Test("a permanent refusal of the controller is reported once to every client")
  func refusedForGood() {
    refuse("StartDiscovery", Array(repeating: "org.bluez.Error.InProgress", count: 100))
    let wishes = [client(), client()]
    fixture.stepped.pass(.seconds(60))
    #expect(daemon.calls.filter { $0 == "StartDiscovery" }.count == 8)
    #expect(failures.entries == [.inProgress, .inProgress])
    for client in wishes { client.end() }
    fixture.settle()
    #expect(daemon.calls.filter { $0 == "StartDiscovery" }.count == 8)
  }

  @Test("a new client retries after a failure")
  func wishAgain() {
    refuse("StartDiscovery", ["org.bluez.Error.Failed"])
    let first = client()
    fixture.settle()
    #expect(failures.entries == [.failed])
    let second = client()
    fixture.settle()
    #expect(daemon.calls == Self.start + Self.start)
    withExtendedLifetime((first, second)) {}
  }

  @Test(
    "any other refusal is reported immediately",
    arguments: ["org.bluez.Error.Failed", "org.bluez.Error.NotReady", "org.freedesktop.DBus.Error.AccessDenied"])
  func refused(_ name: String) {
    refuse("SetDiscoveryFilter", [name])
    let client = client()
    fixture.settle()
    #expect(daemon.calls == ["SetDiscoveryFilter"])
    #expect(failures.entries.count == 1)
    withExtendedLifetime(client) {}
  }

  @Test("a start without a reply is stopped, because it may have been executed, and retried")
  func unanswered() {
    var kept: [MethodCall] = []
    daemon.answer = { call in
      if call.member == "StartDiscovery", kept.isEmpty { kept.append(call) } else { try? call.reply() }
    }
    let client = client()
    fixture.stepped.pass(.seconds(14))
    #expect(daemon.calls == Self.start)
    fixture.stepped.pass(.seconds(2))
    #expect(daemon.calls == Self.start + Self.stop + Self.start)
    withExtendedLifetime(client) {}
  }

  @Test("a start without a reply is stopped even without clients")
  func unansweredAndUnwanted() {
    var kept: [MethodCall] = []
    daemon.answer = { call in
      if call.member == "StartDiscovery", kept.isEmpty { kept.append(call) } else { try? call.reply() }
    }
    let client = client()
    fixture.stepped.pass(.seconds(14))
    client.end()
    fixture.stepped.pass(.seconds(60))
    #expect(daemon.calls == Self.start + Self.stop)
    #expect(failures.entries == [])
  }
}
