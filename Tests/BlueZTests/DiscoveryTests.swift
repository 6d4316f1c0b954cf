import DBus
import EventLoop
import TestWorld
import Testing

@testable import BlueZ

@Suite("Discovery session of an adapter")
struct DiscoveryTests {
  private let bench: SessionBench
  private let daemon: ScriptedBlueZ
  private let adapter: Adapter
  private let discovery: Discovery
  private let failures = Record<BlueZError.Kind>()

  init() throws {
    bench = try SessionBench()
    daemon = try bench.begin()
    adapter = try #require(bench.mirror.adapters.first)
    discovery = Discovery(adapter, loop: bench.loop, serviceUUID: "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b")
    bench.mirror.changes.add { [discovery] change in if change.concernsAdapters { discovery.adapterChanged() } }
  }

  private func wish() -> Discovery.Wish { discovery.wish { [failures] in failures.note($0.kind) } }

  private static let start = ["SetDiscoveryFilter", "StartDiscovery"]
  private static let stop = ["StopDiscovery"]

  private func setPowered(_ on: Bool) {
    daemon.change(Place.adapter, Place.adapterInterface, ["Powered": .boolean(on)])
    bench.settle()
  }

  /// Answers the first calls of a member with these errors, then with yes.
  private func refuse(_ member: String, _ errors: [String]) {
    var errors = errors[...]
    daemon.answer = { call in
      if call.member == member, let error = errors.popFirst() { call.fail(error, "") } else { try? call.reply() }
    }
  }

  @Test("is asked for low energy and the Jacquard service, and for changes only")
  func filter() throws {
    var filter: PropertyMap?
    daemon.answer = { call in
      if call.member == "SetDiscoveryFilter" { filter = call.body().first?.asProperties }
      try? call.reply()
    }
    let wish = wish()
    bench.settle()
    #expect(
      filter == [
        "Transport": "le", "UUIDs": .strings(["d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"]), "DuplicateData": false,
      ])
    wish.end()
  }

  @Test(
    "does not ask 5.87 for the service, which would kill it, nor a bluetoothd that may be 5.87",
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
    daemon.change(Place.adapter, Place.adapterInterface, ["Modalias": .string(modalias)])
    bench.settle()
    let wish = wish()
    bench.settle()
    discovery.reassertFilter()
    bench.settle()
    #expect(asked == [filters, filters])
    wish.end()
  }

  @Test("is shared by all who wish for it, and ends with the last of them")
  func shared() {
    let first = wish()
    let second = wish()
    bench.settle()
    #expect(daemon.calls == Self.start)
    first.end()
    first.end()
    bench.settle()
    #expect(daemon.calls == Self.start)
    second.end()
    bench.settle()
    #expect(daemon.calls == Self.start + Self.stop)
  }

  @Test("a wish taken back at once costs nothing")
  func takenBack() {
    wish().end()
    bench.settle()
    #expect(daemon.calls == [])
  }

  @Test("a wish taken back while discovery starts stops it again")
  func takenBackWhileStarting() {
    var kept: MethodCall?
    daemon.answer = { call in
      if call.member == "StartDiscovery" { kept = call } else { try? call.reply() }
    }
    let wish = wish()
    bench.settle()
    wish.end()
    bench.settle()
    #expect(daemon.calls == Self.start)
    try? kept?.reply()
    bench.settle()
    #expect(daemon.calls == Self.start + Self.stop)
  }

  @Test("a wish made while discovery stops starts it again, one after the other")
  func wishWhileStopping() {
    var kept: MethodCall?
    daemon.answer = { call in
      if call.member == "StopDiscovery" { kept = call } else { try? call.reply() }
    }
    let first = wish()
    bench.settle()
    first.end()
    bench.settle()
    let second = wish()
    bench.settle()
    #expect(daemon.calls == Self.start + Self.stop)
    try? kept?.reply()
    bench.settle()
    #expect(daemon.calls == Self.start + Self.stop + Self.start)
    #expect(failures.entries == [])
    withExtendedLifetime(second) {}
  }

  @Test("InProgress means that the controller refuses: it is stopped and tried again, with pauses")
  func refusedOnce() {
    refuse("StartDiscovery", ["org.bluez.Error.InProgress"])
    let wish = wish()
    bench.settle()
    #expect(daemon.calls == Self.start + Self.stop)
    bench.stepped.pass(.milliseconds(249))
    #expect(daemon.calls == Self.start + Self.stop)
    bench.stepped.pass(.milliseconds(1))
    #expect(daemon.calls == Self.start + Self.stop + Self.start)
    #expect(failures.entries == [])
    withExtendedLifetime(wish) {}
  }

  @Test("a controller that goes on refusing is told to everyone who wished, once")
  func refusedForGood() {
    refuse("StartDiscovery", Array(repeating: "org.bluez.Error.InProgress", count: 100))
    let wishes = [wish(), wish()]
    bench.stepped.pass(.seconds(60))
    #expect(daemon.calls.filter { $0 == "StartDiscovery" }.count == 8)
    #expect(failures.entries == [.inProgress, .inProgress])
    for wish in wishes { wish.end() }
    bench.settle()
    #expect(daemon.calls.filter { $0 == "StartDiscovery" }.count == 8)
  }

  @Test("after a failure a new wish tries again")
  func wishAgain() {
    refuse("StartDiscovery", ["org.bluez.Error.Failed"])
    let first = wish()
    bench.settle()
    #expect(failures.entries == [.failed])
    let second = wish()
    bench.settle()
    #expect(daemon.calls == Self.start + Self.start)
    withExtendedLifetime((first, second)) {}
  }

  @Test(
    "any other refusal is told at once",
    arguments: ["org.bluez.Error.Failed", "org.bluez.Error.NotReady", "org.freedesktop.DBus.Error.AccessDenied"])
  func refused(_ name: String) {
    refuse("SetDiscoveryFilter", [name])
    let wish = wish()
    bench.settle()
    #expect(daemon.calls == ["SetDiscoveryFilter"])
    #expect(failures.entries.count == 1)
    withExtendedLifetime(wish) {}
  }

  @Test("a start that is never answered is stopped, for it may have been carried out, and tried again")
  func unanswered() {
    var kept: [MethodCall] = []
    daemon.answer = { call in
      if call.member == "StartDiscovery", kept.isEmpty { kept.append(call) } else { try? call.reply() }
    }
    let wish = wish()
    bench.stepped.pass(.seconds(14))
    #expect(daemon.calls == Self.start)
    bench.stepped.pass(.seconds(2))
    #expect(daemon.calls == Self.start + Self.stop + Self.start)
    withExtendedLifetime(wish) {}
  }

  @Test("a start that is never answered is stopped also when nobody wishes for it any more")
  func unansweredAndUnwanted() {
    var kept: [MethodCall] = []
    daemon.answer = { call in
      if call.member == "StartDiscovery", kept.isEmpty { kept.append(call) } else { try? call.reply() }
    }
    let wish = wish()
    bench.stepped.pass(.seconds(14))
    wish.end()
    bench.stepped.pass(.seconds(60))
    #expect(daemon.calls == Self.start + Self.stop)
    #expect(failures.entries == [])
  }

  // MARK: The adapter's power

  @Test("waits while the adapter is off")
  func poweredOff() {
    setPowered(false)
    let wish = wish()
    bench.settle()
    #expect(daemon.calls == [])
    setPowered(true)
    #expect(daemon.calls == Self.start)
    withExtendedLifetime(wish) {}
  }

  @Test("is started again after the adapter was switched off and on, for BlueZ has forgotten it")
  func powerCycle() {
    let wish = wish()
    bench.settle()
    setPowered(false)
    #expect(daemon.calls == Self.start)
    setPowered(true)
    #expect(daemon.calls == Self.start + Self.start)
    wish.end()
    bench.settle()
    #expect(daemon.calls == Self.start + Self.start + Self.stop)
  }

  @Test("is started again also when off and on come right behind the answer to its start")
  func powerCycleDuringStart() {
    var cycles = 1
    daemon.answer = { [daemon] call in
      try? call.reply()
      guard call.member == "StartDiscovery", cycles > 0 else { return }
      cycles -= 1
      daemon.change(Place.adapter, Place.adapterInterface, ["Powered": false])
      daemon.change(Place.adapter, Place.adapterInterface, ["Powered": true])
    }
    let wish = wish()
    bench.settle()
    #expect(daemon.calls == Self.start + Self.stop + Self.start)
    withExtendedLifetime(wish) {}
  }

  @Test("is not left behind when off and on come right before the answer to its start, and nobody wants it any more")
  func powerCycleBeforeAnswer() {
    var wish: Discovery.Wish?
    daemon.answer = { [daemon] call in
      if call.member == "StartDiscovery" {
        daemon.change(Place.adapter, Place.adapterInterface, ["Powered": false])
        daemon.change(Place.adapter, Place.adapterInterface, ["Powered": true])
        wish?.end()
      }
      try? call.reply()
    }
    wish = self.wish()
    bench.settle()
    #expect(daemon.calls == Self.start + Self.stop)
  }

  @Test("a refusal because the adapter is going off is no failure")
  func offDuringStart() {
    daemon.answer = { [daemon] call in
      guard call.member == "StartDiscovery" else { return (try? call.reply()) ?? () }
      daemon.change(Place.adapter, Place.adapterInterface, ["Powered": false])
      call.fail("org.bluez.Error.NotReady", "Resource Not Ready")
    }
    let wish = wish()
    bench.settle()
    #expect(failures.entries == [])
    daemon.answer = { try? $0.reply() }
    setPowered(true)
    #expect(daemon.calls == Self.start + Self.start)
    withExtendedLifetime(wish) {}
  }

  @Test("asks nothing of an adapter that is gone")
  func adapterGone() {
    let wish = wish()
    bench.settle()
    daemon.remove(Place.adapter, [Place.adapterInterface])
    bench.settle()
    wish.end()
    let late = self.wish()
    bench.stepped.pass(.seconds(60))
    #expect(daemon.calls == Self.start)
    withExtendedLifetime(late) {}
  }

  @Test("an adapter that goes during the start does not keep it trying")
  func adapterGoneDuringStart() {
    daemon.answer = { [daemon] call in
      guard call.member == "StartDiscovery" else { return (try? call.reply()) ?? () }
      daemon.remove(Place.adapter, [Place.adapterInterface])
      call.fail("org.freedesktop.DBus.Error.UnknownObject", "")
    }
    let wish = wish()
    bench.stepped.pass(.seconds(60))
    #expect(daemon.calls == Self.start)
    #expect(bench.loop.nextDeadline == nil)
    withExtendedLifetime(wish) {}
  }
}
