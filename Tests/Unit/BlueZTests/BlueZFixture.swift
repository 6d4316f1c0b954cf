import BlueZ
import DBus
import EventLoop
import TestWorld

/// A session on a stepped bus that records its reports.
final class BlueZFixture {
  let stepped: SteppedBus
  let bluez: BlueZClient
  let log = Recorder<String>()
  let changes = Recorder<String>()
  private var following: [ObjectCache.Following] = []

  var cache: ObjectCache { bluez.cache }
  var loop: EventLoop { stepped.loop }

  init(mostMatchRules: Int = 50_000) throws {
    stepped = try SteppedBus(mostMatchRules: mostMatchRules)
    bluez = BlueZClient(loop: stepped.loop, address: try stepped.address) { [log] in log.note($0) }
    var reported = "starting"
    cache.changes.add { [changes, unowned bluez] change in
      switch change {
      case .availability:
        let name = Self.name(of: bluez.availability)
        if name != reported { changes.note(name) }
        reported = name
      case .added(let object): changes.note("+" + Self.name(of: object))
      case .changed(let object, let names):
        changes.note("\(Self.name(of: object)) \(names.sorted().joined(separator: " "))")
      case .removed(let object): changes.note("-" + Self.name(of: object))
      }
    }
  }

  deinit {
    bluez.close()
    stepped.close()
  }

  private static func name(of availability: Availability) -> String {
    switch availability {
    case .starting: "starting"
    case .noBus: "no bus"
    case .noService: "no service"
    case .denied: "denied"
    case .running: "running"
    }
  }

  private static func name(of object: BlueZObject) -> String {
    object.path.split(separator: "/").last.map(String.init) ?? "/"
  }

  /// The reports since the last call.
  func takeChanges() -> [String] {
    stepped.settle()
    defer { changes.entries = [] }
    return changes.entries
  }

  func settle() { stepped.settle() }

  func newDaemon(_ tree: [(String, ScriptedBlueZ.Interfaces)] = []) throws -> ScriptedBlueZ {
    let daemon = ScriptedBlueZ(loop, try stepped.address)
    daemon.tree = tree.map { (path: $0.0, interfaces: $0.1) }
    try stepped.run { try await daemon.start() }
    return daemon
  }

  /// A daemon with an adapter and a device, and a running session.
  func begin() throws -> ScriptedBlueZ {
    let daemon = try newDaemon([
      (SampleMachine.adapter, [SampleMachine.adapterInterface: SampleMachine.adapterProperties]),
      (SampleMachine.device, [SampleMachine.deviceInterface: SampleMachine.deviceProperties]),
    ])
    bluez.start()
    settle()
    changes.entries = []
    return daemon
  }

  /// Receives changes of all devices and of the objects of the first one, until the next call.
  func follow() throws {
    following = try stepped.run { [cache] in
      var leases = [try await cache.followAllDevices()]
      if let device = cache.devices.first { leases.append(try await cache.follow(device)) }
      return leases
    }
    settle()
    changes.entries = []
  }

  var isRunning: Bool { if case .running = bluez.availability { true } else { false } }
}
