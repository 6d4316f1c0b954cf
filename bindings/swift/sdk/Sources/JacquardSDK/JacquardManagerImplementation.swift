import Dispatch
import Foundation
@_spi(Callbacks) import JacquardTags
import OpenCombine

/// Finds tags and connects to them. Use one for each program.
public final class JacquardManagerImplementation: NSObject, JacquardManager {
  /// Asks for the code that is printed on a tag; nil: the user has none.
  public typealias PairingCode = (JacquardTag) async -> String?

  private let queue: DispatchQueue
  private let tags: Manager?
  private let pairingCode: PairingCode?
  private let states: Feed<CBManagerState, Never>
  private let scanning: Feed<Bool, Never>
  private let found: Feed<AdvertisedTag, Never>
  private let lock = NSRecursiveLock()
  private var links: [UUID: Link] = [:]
  private var scan: Events<Advertisement>?
  private var events: [Any] = []

  /// A manager whose publishers deliver on a queue.
  ///
  /// - Parameters:
  ///   - options: `CBCentralManagerOptionRestoreIdentifierKey`: a name under which tags are remembered
  ///   - config: ignored
  ///   - restorePeripheralsHandler: receives the tags that were connected when the last manager with this name ended
  public convenience init(
    publishQueue: DispatchQueue = .main, options: [String: String]? = nil, config: SDKConfig = SDKConfig(),
    restorePeripheralsHandler: (([UUID]) -> Void)? = nil
  ) {
    self.init(
      publishQueue: publishQueue, options: options, config: config,
      restorePeripheralsHandler: restorePeripheralsHandler, pairingCode: nil)
  }

  /// A manager that binds tags: real tags can only be used after that.
  ///
  /// - Parameter pairingCode: asked once for each call of `connect()`, before the connection begins, if the tag is not
  ///   bound to this machine; not asked when a connection is joined. `disconnect()` cancels its task. Without a code,
  ///   or with a wrong one, the connection ends with an error, and the next call asks again. Codes are not stored.
  public init(
    publishQueue: DispatchQueue = .main, options: [String: String]? = nil, config: SDKConfig = SDKConfig(),
    restorePeripheralsHandler: (([UUID]) -> Void)? = nil, pairingCode: PairingCode?
  ) {
    queue = publishQueue
    self.pairingCode = pairingCode
    scanning = Feed(queue, .latest, first: [false])
    found = Feed(queue, .nothing)
    var managerOptions = Manager.Options()
    managerOptions.restoreID = options?[CBCentralManagerOptionRestoreIdentifierKey]
    do {
      tags = try Manager(managerOptions)
      states = Feed(queue, .latest, first: [.unknown])
    } catch {
      GlobalLogger.current.error("\(error)")
      tags = nil
      states = Feed(queue, .latest, first: [.unsupported])
    }
    super.init()
    guard let tags else { return }
    do {
      try listen(tags)
    } catch {
      GlobalLogger.current.error("\(error)")
    }
    guard managerOptions.restoreID != nil, let restorePeripheralsHandler else { return }
    Task {
      let restored = (try? await tags.restorations()) ?? []
      let identifiers = restored.compactMap { UUID(uuidString: $0.identifier) }
      if !identifiers.isEmpty { publishQueue.async { restorePeripheralsHandler(identifiers) } }
    }
  }

  private func listen(_ tags: Manager) throws {
    let adapters = try tags.adapterStates()
    let changes = try tags.scanningChanges()
    let messages = try tags.logMessages(upTo: GlobalLogger.level)
    events = [adapters, changes, messages]
    adapters.deliver { [states] adapter in
      let state = CBManagerState(rawValue: Int(adapter.state.rawValue)) ?? .unknown
      if states.latest != state { states.send(state) }
    }
    changes.deliver { [scanning] isScanning in
      if scanning.latest != isScanning { scanning.send(isScanning) }
    }
    messages.deliver { message in
      GlobalLogger.current.log(
        level: LogLevel(message.level), file: "libjacquard", line: 0, function: message.part
      ) { message.message }
    }
  }

  /// Whether Bluetooth can be used: the current value, then each change.
  public var centralState: AnyPublisher<CBManagerState, Never> { states.eraseToAnyPublisher() }

  /// Whether a scan runs: the current value, then each change.
  public var isScanning: AnyPublisher<Bool, Never> { scanning.eraseToAnyPublisher() }

  /// Tags that a scan finds, including those that are connected to this machine.
  public var advertisingTags: AnyPublisher<AdvertisedTag, Never> { found.eraseToAnyPublisher() }

  /// The time limit of a first connection to a tag that was found: 60 seconds.
  public var connectionTimeoutDuration: TimeInterval { 60 }

  /// Has no effect: the SDK uses it to select firmware of the cloud.
  public func setTargetUjtFirmwareVidPid(_ targetUjtFirmwareVidPid: VidPidMid?) {}

  // MARK: Scanning

  /// Starts a scan, in place of a running one. Throws a `ManagerScanningError` unless Bluetooth is on.
  ///
  /// - Parameter options: `CBCentralManagerScanOptionAllowDuplicatesKey`: whether each report of a tag is delivered
  public func startScanning(options: [String: Any]? = nil) throws {
    guard let tags, let state = states.latest, state == .poweredOn else {
      throw ManagerScanningError.bluetoothUnavailable(states.latest ?? .unknown)
    }
    var scanOptions = ScanOptions()
    scanOptions.reportsEverything = options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool ?? false
    let next = try tags.scan(scanOptions)
    replaceScan(next)
    next.deliver { [found] in FoundTag($0).map { found.send($0) } }
  }

  /// Stops the scan.
  public func stopScanning() { replaceScan(nil) }

  /// A scan ends with its last reference, outside of the lock.
  private func replaceScan(_ next: Events<Advertisement>?) {
    let last = lock.withLock {
      defer { scan = next }
      return scan
    }
    _ = last
  }

  /// The tags that are connected to this machine at this moment. Waits for bluetoothd.
  public func preConnectedTags() -> [PreConnectedTag] {
    guard let tags else { return [] }
    return wait { (try? await tags.connectedTags()) ?? [] }.compactMap { FoundTag($0) }
  }

  // MARK: Connections

  /// Connects to a tag that was found, or joins its connection. A first connection has a limit of 60 seconds.
  public func connect(_ tag: ConnectableTag) -> AnyPublisher<TagConnectionState, Error> {
    guard let tag = tag as? FoundTag else { return failure(TagConnectionError.unconnectableTag) }
    return connect(tag.identifier, tag, .standard)
  }

  /// Connects to a tag by its identifier, possibly of an earlier run, without a time limit, or joins its connection.
  public func connect(_ identifier: UUID) -> AnyPublisher<TagConnectionState, Error> {
    connect(identifier, nil, .none)
  }

  private func connect(
    _ identifier: UUID, _ tag: FoundTag?, _ limit: TimeLimit
  ) -> AnyPublisher<TagConnectionState, Error> {
    guard let tags else { return failure(TagConnectionError.bluetoothPowerOff) }
    let link = Link(identifier, queue)
    let begin = { [weak link, pairingCode] in
      guard let link else { return }
      Self.begin(link, tags, tag, limit, pairingCode)
    }
    let joined = lock.withLock { () -> Link in
      let last = links[identifier]
      if let last, !last.isOver { return last }
      link.onEnd = { [weak self, weak link] in self?.remove(link) }
      links[identifier] = link
      link.predecessor = last
      if let last { last.afterEnd(begin) } else { begin() }
      return link
    }
    return joined.states.eraseToAnyPublisher()
  }

  private func remove(_ link: Link?) {
    guard let link else { return }
    lock.withLock { if links[link.identifier] === link { links[link.identifier] = nil } }
  }

  private static func begin(
    _ link: Link, _ tags: Manager, _ tag: FoundTag?, _ limit: TimeLimit, _ pairingCode: PairingCode?
  ) {
    let identifier = link.identifier.uuidString.lowercased()
    guard let pairingCode else { return link.begin { try tags.connect(identifier, limit: limit) } }
    link.begin {
      guard try await tags.knownTags(identifier).isEmpty else { return String??.none }
      let searched = tag == nil ? try await search(tags, identifier) : nil
      guard let tag = tag ?? searched else { throw CancellationError() }
      return .some(await pairingCode(tag))
    } _: { code in
      guard let code else { return try tags.connect(identifier, limit: limit) }
      var options = BindOptions()
      options.limit = limit
      return try tags.bind(identifier, code: code ?? "", options)
    }
  }

  /// Scans until this tag is found; nil if the task is cancelled.
  private static func search(_ tags: Manager, _ identifier: String) async throws -> FoundTag? {
    for try await found in try tags.scan() where found.identifier == identifier { return FoundTag(found) }
    return nil
  }

  /// The connected tag, nil without a link: the current one, then each change. Without a connection it delivers
  /// nil and ends.
  public func getConnectedTag(for identifier: UUID) -> AnyPublisher<ConnectedTag?, Never> {
    if let link = lock.withLock({ links[identifier] }) { return link.tags.eraseToAnyPublisher() }
    let none = Feed<ConnectedTag?, Never>(queue, .latest, first: [nil])
    none.complete(.finished)
    return none.eraseToAnyPublisher()
  }

  /// Ends a connection.
  public func disconnect(_ tag: ConnectedTag) -> AnyPublisher<TagConnectionState, Error> { disconnect(tag.identifier) }

  /// Ends a connection. Fails with `.bluetoothDeviceNotFound` if there is none.
  public func disconnect(_ identifier: UUID) -> AnyPublisher<TagConnectionState, Error> {
    guard let link = lock.withLock({ links[identifier] }) else {
      return failure(TagConnectionError.bluetoothDeviceNotFound)
    }
    link.disconnect()
    return link.states.eraseToAnyPublisher()
  }

  private func failure<Output>(_ error: Error) -> AnyPublisher<Output, Error> {
    let feed = Feed<Output, Error>(queue, .nothing)
    feed.fail(error)
    return feed.eraseToAnyPublisher()
  }
}
