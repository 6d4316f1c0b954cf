import BlueZ
import DBus
import EventLoop

/// One D-Bus connection, one loop, and all objects that belong to them.
public final class Manager {
  /// Selects the bus, the adapter and the files of a manager, and how it shares tags.
  public struct Options: Sendable {
    /// The address of the bus; nil means $DBUS_SYSTEM_BUS_ADDRESS, or else the system bus.
    public var busAddress: String?
    /// The address of the adapter; nil means the first powered one.
    public var adapterAddress: String?
    /// The directory of the known tags; nil: the user's default directory.
    public var stateDirectory: String?
    /// The name under which wanted tags are stored; nil: they are not stored.
    public var restoreID: String?
    /// Whether known tags are stored and looked up.
    var keepsState = true
    /// Uses the service, and locks tags in the runtime directory.
    public var sharing = false
    /// Has each tag for itself. Without effect if `sharing` is false.
    public var exclusive = false
    /// The sockets of services; nil: those of the environment.
    var servicePlaces: [String]?
    /// The parent of the directory in which tags are locked; nil: that of the user's session.
    public var runtimeDirectory: String?

    public init() {}
  }

  /// The loop on which the manager and all its objects are used. The caller dispatches it.
  public let loop: EventLoop
  let core: Core
  private(set) var connections: [Connection] = []
  private var scans: [Scan] = []
  private var isClosed = false

  /// Creates a manager, which does nothing before `start()`. Throws `busAddress` for an unusable address.
  public init(_ options: Options = Options(), loop: EventLoop) throws(JacquardError) {
    self.loop = loop
    let address: BusAddress
    do {
      address = try options.busAddress.map { try BusAddress($0) } ?? BusAddress.system()
    } catch {
      throw JacquardError(.busAddress, sentence(error))
    }
    let log = Log()
    let bluez = BlueZClient(loop: loop, address: address) { log(.info, .bus, $0) }
    let knownTags = KnownTags(
      options.stateDirectory, isKept: options.keepsState, restoreID: options.restoreID, loop: loop, log: log)
    core = Core(
      loop: loop, log: log, bluez: bluez, adapterAddress: options.adapterAddress, knownTags: knownTags,
      deadlines: Deadlines(), sharing: options)
    core.deviceIndex.replacements.add { [weak self] in self?.endDuplicates(of: $0) }
  }

  /// Connects to the bus, and reconnects when it is available again.
  public func start() { core.bluez.start() }

  /// Passes messages up to `level` to `sink` until the returned closure is called.
  public func addLog(upTo level: Log.Level, _ sink: @escaping Log.Sink) -> () -> Void {
    core.log.add(upTo: level, sink)
  }

  /// The adapter in use, or why Bluetooth cannot be used.
  public var adapterStatus: AdapterStatus { core.monitor.status }
  /// Sends each change of `adapterStatus`.
  public var adapterChanges: Observers<AdapterStatus> { core.monitor.changes }

  /// Starts a scan. `onEnd` is called once, possibly before this returns, unless the scan is closed first.
  public func scan(
    _ options: Scan.Options = Scan.Options(), onFound: @escaping (Advertisement) -> Void,
    onEnd: @escaping (Scan.End, JacquardError?) -> Void
  ) -> Scan {
    let scan = Scan(core, options, onFound: onFound, onEnd: onEnd)
    scans.append(scan)
    scan.whenOver = { [weak self] in self?.scans.removeAll(where: \.ended) }
    scan.start()
    return scan
  }

  /// One connection per tag: while the first has not ended, another one ends immediately with `alreadyConnected`.
  public func connect(
    _ identifier: TagIdentifier, _ options: Connection.Options = Connection.Options(),
    statistics: Statistics = Statistics()
  ) throws(JacquardError) -> Connection {
    try connect(.identifier(identifier), options, statistics: statistics)
  }

  /// - Parameters:
  ///   - binding: the tag is bound; nil: it is only connected.
  ///   - reserve: called with the identifier of a tag that was searched for; its error ends the connection.
  public func connect(
    _ target: Connection.Target, _ options: Connection.Options = Connection.Options(), binding: Binding? = nil,
    statistics: Statistics = Statistics(),
    reserve: @escaping (TagIdentifier) throws(JacquardError) -> Void = { _ throws(JacquardError) in }
  ) throws(JacquardError) -> Connection {
    guard !isClosed else { throw JacquardError(.closed, "The manager has been closed.") }
    connections.removeAll(where: \.hasEnded)
    let connection = Connection(core, options, binding, statistics)
    switch target {
    case .identifier(let identifier):
      let identifier = core.knownTags.current(identifier)
      do throws(JacquardError) {
        connection.start(identifier, after: try predecessor(of: identifier))
      } catch {
        connection.start(identifier, refusal: error)
        return connection
      }
    case .serial(let serial):
      connection.start(searchingFor: serial) { [weak self] identifier throws(JacquardError) in
        let predecessor = try self?.predecessor(of: identifier)
        try reserve(identifier)
        return predecessor
      }
    }
    connections.append(connection)
    return connection
  }

  /// An ending connection to the tag.
  private func predecessor(of identifier: TagIdentifier) throws(JacquardError) -> Connection? {
    guard let predecessor = connection(to: identifier) else { return nil }
    guard predecessor.isEnding else {
      throw JacquardError(.alreadyConnected, JacquardError.Code.alreadyConnected.text)
    }
    return predecessor
  }

  /// BlueZ has resolved an address: of two connections to the tag, one with a link stays.
  private func endDuplicates(of identifier: TagIdentifier) {
    let duplicates = connections.filter { connection in
      !connection.isEnding && connection.identifier.map(core.deviceIndex.current) == identifier
    }
    let kept = duplicates.first { $0.state.step >= Step.linkUp.rawValue } ?? duplicates.first
    for connection in duplicates where connection !== kept {
      connection.end(.failed(JacquardError(.alreadyConnected, JacquardError.Code.alreadyConnected.text)))
    }
  }

  /// Ends everything. Requests disconnects without waiting for them. The loop's owner closes and drains the loop next.
  ///
  /// - Parameter noLongerWanted: tags that were disconnected, possibly very recently.
  public func close(noLongerWanted: Set<TagIdentifier> = []) {
    guard !isClosed else { return }
    isClosed = true
    core.knownTags.close(noLongerWanted: noLongerWanted)
    core.monitor.close()
    for scan in scans { scan.close() }
    for connection in connections { connection.end(.managerCloses) }
    core.dropWithoutWaiting()
    scans = []
    connections = []
    core.bluez.close()
  }
}
