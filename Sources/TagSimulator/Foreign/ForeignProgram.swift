import DBus
import EventLoop

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
