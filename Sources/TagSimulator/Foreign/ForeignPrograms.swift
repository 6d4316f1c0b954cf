import DBus
import EventLoop

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

/// A program on the host's machine that does not use this library: a client of org.bluez with its own bus connection.
///
/// Its actions are executed in order, one call at a time.
final class ForeignProgram {
  private static let service = FakeBlueZ.busName
  private static let agentPath = "/foreign/agent"

  private let connection: BusConnection
  private let loop: EventLoop
  private let complain: (String) -> Void
  private var last: Task<Void, Never>?
  private var agent: Export?

  init(_ address: BusAddress, _ loop: EventLoop, complain: @escaping (String) -> Void) {
    connection = BusConnection(loop, address)
    self.loop = loop
    self.complain = complain
    perform { try await $0.connection.open() }
  }

  /// Leaves the bus without cleaning up.
  func exit() {
    last?.cancel()
    connection.close()
  }

  private func perform(_ body: @escaping (ForeignProgram) async throws -> Void) {
    last = loop.spawn { [weak self, before = last] in
      await before?.value
      guard let self, !Task.isCancelled else { return }
      do { try await body(self) } catch { self.complain("another program: \(error)") }
    }
  }

  func call(_ path: String, _ interface: String, _ method: String, _ body: [Value] = []) {
    perform {
      try await $0.connection.call(
        to: Self.service, path: path, interface: "org.bluez." + interface, member: method, body)
    }
  }

  /// - Parameter rssi: the filter by signal strength; nil: none.
  func startDiscovery(_ adapter: String, rssi: Int16?) {
    if let rssi { call(adapter, "Adapter1", "SetDiscoveryFilter", [["Transport": "le", "RSSI": .int16(rssi)]]) }
    call(adapter, "Adapter1", "StartDiscovery")
  }

  /// Its agent accepts everything.
  func pair(_ device: String) {
    perform { this in
      if this.agent == nil {
        this.agent = try this.connection.export(Self.agentPath) { try? $0.reply() }
        try await this.connection.call(
          to: Self.service, path: "/org/bluez", interface: "org.bluez.AgentManager1", member: "RegisterAgent",
          [.objectPath(Self.agentPath), "NoInputNoOutput"])
      }
      try await this.connection.call(to: Self.service, path: device, interface: "org.bluez.Device1", member: "Pair")
    }
  }
}
