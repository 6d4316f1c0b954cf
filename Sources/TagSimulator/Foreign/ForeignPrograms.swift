import DBus

/// The other programs in a scenario, by their numbers.
final class ForeignPrograms {
  private unowned let daemon: FakeBlueZ
  private let complain: (String) -> Void
  private var programs: [Int: ForeignProgram] = [:]

  init(_ daemon: FakeBlueZ, complain: @escaping (String) -> Void) {
    self.daemon = daemon
    self.complain = complain
  }

  deinit { for program in programs.values { program.exit() } }

  func perform(_ action: ForeignAction, _ tag: SoftwareTag) throws {
    if case .exit = action.operation {
      programs.removeValue(forKey: action.program)?.exit()
      return
    }
    let program = program(action.program)
    guard let adapter = daemon.adapters.first else { throw TagActionError("there is no adapter") }
    switch action.operation {
    case .scan(let rssi): program.startDiscovery(adapter.path, rssi: rssi)
    case .stopScan: program.call(adapter.path, "Adapter1", "StopDiscovery")
    case .exit: break
    default:
      guard let device = adapter.device(for: tag) else { throw TagActionError("bluetoothd does not know the tag") }
      perform(action.operation, program, device)
    }
  }

  private func perform(_ operation: ForeignAction.Operation, _ program: ForeignProgram, _ device: FakeDevice) {
    switch operation {
    case .subscribe(let on, let kind):
      for characteristic in device.characteristics where characteristic.kind.notifies {
        guard kind == nil || characteristic.kind == kind else { continue }
        program.call(characteristic.object.path, "GattCharacteristic1", on ? "StartNotify" : "StopNotify")
      }
    case .connect: program.call(device.path, "Device1", "Connect")
    case .disconnect: program.call(device.path, "Device1", "Disconnect")
    case .pair: program.pair(device.path)
    case .remove: program.call(device.adapter.path, "Adapter1", "RemoveDevice", [.objectPath(device.path)])
    case .scan, .stopScan, .exit: break
    }
  }

  private func program(_ number: Int) -> ForeignProgram {
    if let program = programs[number] { return program }
    let program = ForeignProgram(daemon.address, daemon.clock.loop, complain: complain)
    programs[number] = program
    return program
  }
}
