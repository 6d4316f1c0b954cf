import DBus
import EventLoop
import TestWorld

@testable import Jacquard

/// A manager with an org.bluez whose objects the test scripts.
final class ScriptedFixture {
  let stepped: SteppedBus
  let manager: Manager
  let reported = Recorder<AdapterStatus>()
  private(set) var daemon: ScriptedBlueZ?

  init(adapter: String? = nil, timeMoves: Bool = false) throws {
    stepped = try SteppedBus(timeMoves: timeMoves)
    var options = Manager.Options()
    options.busAddress = stepped.bus.address
    options.adapterAddress = adapter
    manager = try Manager(options, loop: stepped.loop)
    manager.adapterChanges.add { [reported] in reported.note($0) }
  }

  deinit {
    manager.close()
    stepped.close()
  }

  func start() {
    manager.start()
    stepped.settle()
  }

  func startDaemon(_ adapters: [(String, powered: Bool)]) throws {
    let daemon = ScriptedBlueZ(stepped.loop, try stepped.address)
    daemon.tree = adapters.enumerated().map { index, adapter in
      (path: "/org/bluez/hci\(index)", interfaces: Self.interfaces(adapter.0, powered: adapter.powered))
    }
    self.daemon = daemon
    try stepped.run { try await daemon.start() }
    stepped.settle()
  }

  static func interfaces(_ address: String, powered: Bool) -> ScriptedBlueZ.Interfaces {
    [SampleMachine.adapterInterface: ["Address": .string(address), "Alias": "machine", "Powered": .boolean(powered)]]
  }

  func setPowered(_ on: Bool, _ index: Int = 0) {
    daemon?.change("/org/bluez/hci\(index)", SampleMachine.adapterInterface, ["Powered": .boolean(on)])
    stepped.settle()
  }

  func killDaemon() {
    daemon?.kill()
    daemon = nil
    stepped.settle()
  }

  var status: AdapterStatus { manager.adapterStatus }

  func takeStates() -> [AdapterState] {
    stepped.settle()
    defer { reported.entries = [] }
    return reported.entries.map(\.state)
  }
}
