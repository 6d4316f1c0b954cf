import BlueZ
import DBus
import EventLoop
import Glibc
import Sharing
import TagSimulator
import TestWorld

@testable import Jacquard

/// A manager with software tags, a simulated org.bluez and a real bus, with virtual time.
final class WorldFixture {
  let stepped: SteppedBus
  let world: SimulatedWorld
  let daemon: FakeBlueZ
  private(set) var manager: Manager!
  let log = Recorder<String>()
  let scratch: ScratchDirectory
  /// Whether the managers share tags, through a service.
  let sharing: Bool
  private var service: Service?
  private var listener: ServiceListener?
  private(set) var otherManagers: [Manager] = []

  var tag: SoftwareTag { world.tags[0] }
  var loop: EventLoop { stepped.loop }
  var now: LoopInstant { stepped.time.now }

  static let identifier = TagIdentifier(address: "C0:1A:DA:00:00:00")

  init(
    tags: Int = 1, started: Bool = true, adapter: String? = nil, restoreID: String? = nil, sharing: Bool = false,
    timeMoves: Bool = false
  ) throws {
    self.sharing = sharing || Self.usesService
    stepped = try SteppedBus(timeMoves: timeMoves)
    scratch = try ScratchDirectory()
    world = SimulatedWorld(clock: SimulationClock(stepped.loop), tagCount: tags)
    daemon = FakeBlueZ(try stepped.address, clock: world.clock)
    world.inhabit(daemon)
    if started { try startDaemon() }
    mkdir(runtimeDirectory, 0o700)
    if self.sharing { try startService() }
    manager = try makeManager(adapter, restoreID)
    manager.start()
    stepped.settle()
  }

  private func makeManager(
    _ adapter: String?, _ restoreID: String?, exclusive: Bool = false, sharing: Bool? = nil
  ) throws -> Manager {
    var options = Manager.Options()
    options.busAddress = stepped.bus.address
    options.adapterAddress = adapter
    options.stateDirectory = stateDirectory
    options.restoreID = restoreID
    options.sharing = true
    options.servicePlaces = sharing ?? self.sharing ? [servicePath] : []
    options.exclusive = exclusive
    options.runtimeDirectory = runtimeDirectory
    let manager = try Manager(options, loop: stepped.loop)
    _ = manager.addLog(upTo: .debug) { [log] in log.note("\($0.level) \($0.part.rawValue): \($0.text)") }
    return manager
  }

  private var runtimeDirectory: String { scratch.path + "/run" }
  /// The socket of the service.
  var servicePath: String { runtimeDirectory + "/socket" }

  func startService() throws {
    var options = Service.Options(lingering: .seconds(10))
    options.busAddress = stepped.bus.address
    options.runtimeDirectory = runtimeDirectory
    let new = try Service(options, loop: stepped.loop) { [log] in
      log.note("service: \($0.level) \($0.part.rawValue): \($0.text)")
    }
    service = new
    listener = try ServiceListener(servicePath, loop: stepped.loop) { new.accept($0) }
  }

  /// Ends the service, as at the end of its process.
  func endService() {
    listener?.close()
    service?.close()
    (service, listener) = (nil, nil)
  }

  var stateDirectory: String { scratch.path + "/jacquard" }

  var stateFiles: [String] { ScratchDirectory.names(in: stateDirectory) }

  /// Creates a directory at the path of the state file.
  func obstructState() throws {
    for path in [stateDirectory, stateDirectory + "/state.json"] { mkdir(path, 0o700) }
  }

  /// A manager like that of another process on this machine.
  func anotherManager(restoreID: String? = nil, exclusive: Bool = false, sharing: Bool? = nil) throws -> Manager {
    let manager = try makeManager(nil, restoreID, exclusive: exclusive, sharing: sharing)
    otherManagers.append(manager)
    manager.start()
    stepped.settle()
    return manager
  }

  deinit { end() }

  /// Closes the manager and its loop, as its owner does.
  func end() {
    manager?.close()
    for manager in otherManagers { manager.close() }
    endService()
    daemon.kill()
    stepped.close()
    manager = nil
    otherManagers = []
  }

  func startDaemon() throws { try stepped.run { [daemon] in try await daemon.start() } }

  func settle() { stepped.settle() }

  /// Executes a scenario line.
  func happen(_ line: String) throws {
    _ = try world.control(line)
    settle()
  }

  @discardableResult
  func run(until condition: () -> Bool, within limit: Duration = .seconds(600)) -> Bool {
    stepped.run(until: condition, within: limit)
  }

  // MARK: Connections

  /// With JACQUARD_THROUGH_SERVICE all tests that connect with this fixture use the tag through the service.
  private static let usesService = getenv("JACQUARD_THROUGH_SERVICE") != nil

  func connect(_ options: Connection.Options = Connection.Options()) throws -> ConnectionWatch {
    return ConnectionWatch(try manager.connect(Self.identifier, options))
  }

  /// Returns a connection in the phase `connected`.
  func connected(_ options: Connection.Options = Connection.Options()) throws -> ConnectionWatch {
    let watch = try connect(options)
    run(until: { watch.isConnected })
    return watch
  }

  /// Returns the result of a command.
  func outcome<Value>(_ body: @escaping () async throws -> Value) -> Result<Value, any Error> {
    Result { try stepped.run(body) }
  }
}

/// A connection that records its states.
final class ConnectionWatch {
  let connection: Connection
  private(set) var states: [ConnectionState] = []
  /// Runs after each state.
  var onState: (ConnectionState) -> Void = { _ in }

  init(_ connection: Connection) {
    self.connection = connection
    connection.states.add { [weak self] state in
      guard let self else { return }
      states.append(state)
      onState(state)
    }
  }

  var tag: Tag? { connection.state.tag }
  var isConnected: Bool { connection.state.phase == .connected }
  var hasEnded: Bool { connection.state.phase == .disconnected }
  var steps: [UInt32] { states.map(\.step) }
  var phases: [Phase] { states.map(\.phase) }
  /// The reasons in order of appearance, each once.
  var reasons: [JacquardError.Code] {
    states.compactMap(\.reason?.code).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  func forget() { states = [] }
}

func code(_ result: Result<some Any, any Error>) -> JacquardError.Code? {
  if case .failure(let error as JacquardError) = result { error.code } else { nil }
}

extension Manager {
  /// The manager's view of org.bluez.
  var cache: ObjectCache { core.cache }
}
