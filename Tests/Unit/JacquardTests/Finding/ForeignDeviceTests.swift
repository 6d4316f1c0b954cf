import BlueZ
import DBus
import EventLoop
import Glibc
import JacquardWire
import Sharing
import TestWorld
import Testing

@testable import Jacquard

/// Bonded devices of the machine that are not tags, and devices that cannot be classified yet.
@Suite("Devices that are not tags")
struct ForeignDeviceTests {
  private static let address = "D0:1A:DA:00:00:01"
  private static let path = SampleMachine.adapter + "/dev_D0_1A_DA_00_00_01"
  private static let service = path + "/service0010"
  private static let report = service + "/char0011"
  private static let identifier = TagIdentifier(address: address)
  private static let tagUUIDs = ["d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"]
  /// Human interface device, battery, device information.
  private static let keyboardUUIDs = ["1812", "180f", "180a"].map { "0000\($0)-0000-1000-8000-00805f9b34fb" }

  private let stepped: SteppedBus
  private let daemon: ScriptedBlueZ
  private let scratch: ScratchDirectory

  init() throws {
    stepped = try SteppedBus()
    scratch = try ScratchDirectory()
    daemon = ScriptedBlueZ(stepped.loop, try stepped.address)
    daemon.tree = [(SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties])]
    try stepped.run { [daemon] in try await daemon.start() }
  }

  private func addDevice(_ uuids: [String], connected: Bool = true) {
    daemon.add(
      Self.path,
      [
        SampleMachine.deviceInterface: [
          "Adapter": .objectPath(SampleMachine.adapter), "Address": .string(Self.address), "Name": "Keyboard",
          "Alias": "Keyboard", "UUIDs": .strings(uuids), "Paired": true, "Bonded": true, "Trusted": true,
          "Connected": .boolean(connected), "ServicesResolved": .boolean(connected),
        ]
      ])
    daemon.add(Self.service, [SampleMachine.serviceInterface: ["UUID": "1812", "Device": .objectPath(Self.path)]])
    daemon.add(
      Self.report,
      [
        SampleMachine.characteristicInterface: [
          "UUID": "2a4d", "Service": .objectPath(Self.service), "Notifying": true, "Flags": .strings(["notify"]),
        ]
      ])
    stepped.settle()
  }

  private final class Programs {
    let manager: Manager
    private var service: Service?
    private var listener: ServiceListener?

    init(_ test: ForeignDeviceTests, throughService: Bool, exclusive: Bool) throws {
      let runtime = test.scratch.path + "/run"
      mkdir(runtime, 0o700)
      var options = Manager.Options()
      options.busAddress = test.stepped.bus.address
      options.stateDirectory = test.scratch.path + "/state"
      options.sharing = true
      options.exclusive = exclusive
      options.servicePlaces = throughService ? [runtime + "/socket"] : []
      options.runtimeDirectory = runtime
      manager = try Manager(options, loop: test.stepped.loop)
      if throughService {
        var options = Service.Options(lingering: .seconds(10))
        options.busAddress = test.stepped.bus.address
        options.runtimeDirectory = runtime
        let new = try Service(options, loop: test.stepped.loop) { _ in }
        service = new
        listener = try ServiceListener(runtime + "/socket", loop: test.stepped.loop) { new.accept($0) }
      }
      manager.start()
      test.stepped.settle()
    }

    deinit {
      manager.close()
      listener?.close()
      service?.close()
    }
  }

  private enum Purpose: CaseIterable {
    case link, bind, exclusive, unbind
  }

  /// - Parameter serial: as the tag has reported it; empty if it has not.
  private func store(serial: String) throws {
    let (loop, binding) = (try EventLoop(), try Binding(code: "01ZK"))
    let tags = KnownTags(scratch.path + "/state", restoreID: nil, loop: loop, log: Log())
    var info = TagInfo(
      WireDeviceInfoResponse(), identifier: Self.identifier, address: Self.address, name: "Jacquard")
    if !serial.isEmpty { info.uuid = "00-00-\(serial)-00" }
    let isStored = Recorder<Bool>()
    loop.spawn { [info] in
      try? await tags.remember(info, formerly: Self.identifier, binding, while: { true }, kept: {})
      isStored.note(true)
    }
    while isStored.entries.isEmpty { try loop.dispatch() }
    loop.close()
    loop.drain()
  }

  private var isUntouched: Bool { daemon.named.isDisjoint(with: [Self.path, Self.service, Self.report]) }

  @Test(
    "no call to BlueZ names a keyboard, and its name is not reported", arguments: Purpose.allCases, [true, false])
  private func keyboard(_ purpose: Purpose, throughService: Bool) throws {
    addDevice(Self.keyboardUUIDs)
    let programs = try Programs(self, throughService: throughService, exclusive: purpose == .exclusive)
    let manager = programs.manager
    if purpose == .unbind {
      let outcome = Result { try stepped.run { try await manager.unbind(Self.identifier) } }
      #expect(code(outcome) == .notFound)
    } else {
      let binding = try Binding(code: "01ZK")
      let watch = ConnectionWatch(
        purpose == .bind ? try manager.bind(Self.identifier, binding) : try manager.connect(Self.identifier))
      stepped.run(until: { watch.hasEnded }, within: .seconds(30))
      #expect(watch.reasons == [.notFound])
      #expect(watch.connection.name.name == "")
    }
    stepped.pass(.seconds(10))
    #expect(isUntouched)
  }

  @Test("a keyboard that appears while it is searched for is refused then", arguments: [true, false])
  func keyboardAppears(throughService: Bool) throws {
    let programs = try Programs(self, throughService: throughService, exclusive: false)
    let watch = ConnectionWatch(try programs.manager.connect(Self.identifier))
    stepped.pass(.seconds(1))
    #expect(!watch.hasEnded)
    addDevice(Self.keyboardUUIDs)
    stepped.run(until: { watch.hasEnded }, within: .seconds(5))
    #expect(watch.reasons == [.notFound])
    #expect(isUntouched)
  }

  @Test("a device without UUIDs is searched for until it has them", arguments: [true, false], [true, false])
  func unknownDevice(isTag: Bool, throughService: Bool) throws {
    addDevice([], connected: false)
    let programs = try Programs(self, throughService: throughService, exclusive: false)
    let watch = ConnectionWatch(try programs.manager.connect(Self.identifier))
    stepped.pass(.seconds(5))
    #expect(!watch.hasEnded)
    #expect(watch.connection.state.step == Step.adapterReady.rawValue)
    #expect(!daemon.calls.contains("Connect"))
    daemon.change(
      Self.path, SampleMachine.deviceInterface, ["UUIDs": .strings(isTag ? Self.tagUUIDs : Self.keyboardUUIDs)])
    stepped.run(until: { watch.hasEnded || daemon.calls.contains("Connect") }, within: .seconds(5))
    #expect(daemon.calls.contains("Connect") == isTag)
    #expect(watch.hasEnded != isTag)
    #expect(!daemon.calls.contains { ["Disconnect", "RemoveDevice"].contains($0) })
  }

  @Test("a record is removed without its device, or with one that is not a tag", arguments: [true, false])
  func forget(hasDevice: Bool) throws {
    if hasDevice { addDevice(Self.keyboardUUIDs) }
    try store(serial: "")
    let programs = try Programs(self, throughService: false, exclusive: false)
    let manager = programs.manager
    #expect(try manager.knownTags().count == 1)
    try stepped.run { try await manager.unbind(Self.identifier) }
    #expect(try manager.knownTags().isEmpty)
    #expect(isUntouched)
  }

  @Test("a bound tag whose serial number was read is one, whatever BlueZ reports", arguments: [[], keyboardUUIDs])
  func knownTag(uuids: [String]) throws {
    addDevice(uuids, connected: false)
    try store(serial: "01ZK")
    let programs = try Programs(self, throughService: false, exclusive: false)
    let watch = ConnectionWatch(try programs.manager.connect(Self.identifier))
    stepped.run(until: { daemon.calls.contains("Connect") }, within: .seconds(5))
    #expect(daemon.calls.contains("Connect"))
    #expect(!watch.hasEnded)
  }
}
