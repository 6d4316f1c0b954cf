import DBus
import EventLoop

/// The connection to the bus and to bluetoothd, re-established whenever either is available again.
public final class BlueZClient {
  /// The objects of the current bluetoothd; empty while there is none.
  public let cache: ObjectCache
  /// Whether bluetoothd can be used; `cache.changes` sends each change.
  public private(set) var availability = Availability.starting
  /// The ID of the bus, kept after it has disconnected.
  public private(set) var busID: String?
  /// Whether the bus with the ID `busID` is in use now.
  public var isOnBus: Bool { if case .noBus = availability { false } else { busID != nil } }

  private let loop: EventLoop
  private let address: BusAddress
  let log: (String) -> Void
  private(set) var connection: BusConnection?
  private var task: Task<Void, Never>?
  private var ownerTask: Task<Void, Never>?
  private var suspicion: Task<Void, Never>?
  private var suspectedSince: LoopInstant?
  /// Called when a suspicion has ended.
  private let proofs = Observers<Void>()
  /// Called when bluetoothd responds again after it had not responded to a probe: values of that time may be lost.
  public let recoveries = Observers<Void>()
  private var isClosed = false

  /// Creates a client, which connects after `start()`. `log` receives one line for each event.
  public init(loop: EventLoop, address: BusAddress, log: @escaping (String) -> Void) {
    self.loop = loop
    self.address = address
    self.log = log
    cache = ObjectCache(loop: loop)
    cache.unanswered = { [weak self] in self?.suspectHang() }
    cache.hasHung = { [weak self] in await self?.hasHung() ?? false }
  }

  /// Connects to the bus, and reconnects until `close()`. Further calls do nothing.
  public func start() {
    guard task == nil, !isClosed else { return }
    task = loop.spawn { [weak self, loop, address] in
      let reconnection = BusReconnection(loop, address)
      while !Task.isCancelled, await self?.serve(reconnection) ?? false { await reconnection.wait() }
    }
  }

  /// Closes the connection and removes all objects. A closed client cannot be started again.
  public func close() {
    isClosed = true
    task?.cancel()
    ownerTask?.cancel()
    suspicion?.cancel()
    connection?.close()
    connection = nil
    cache.clear()
  }

  /// Uses one connection to the bus until it ends. Returns whether to reconnect.
  private func serve(_ reconnection: BusReconnection) async -> Bool {
    let connection = BusConnection(loop, address)
    self.connection = connection
    do throws(BusError) {
      let lost = Completion<Void, CancellationError>()
      connection.onDisconnected = { lost.succeed(()) }
      try await connection.open()
      log("connected to the bus as \(connection.uniqueName ?? "?")")
      busID = try await connection.busID()
      // The next change reports it: that of the owner of BlueZ's name.
      if case .noBus = availability { availability = .starting }
      let subscriptions = try await subscribe(connection)
      let owner = try await connection.watchName(BusName.bluez) { [weak self] in self?.ownerChanged($0, connection) }
      reconnection.reached()
      guard (try? await lost.value()) != nil else { return false }
      withExtendedLifetime((subscriptions, owner)) {}
      log("lost the connection to the bus")
      ownerTask?.cancel()
      forgetObjects(.noBus(.disconnected))
    } catch {
      guard !isClosed else { return false }
      reconnection.failed(error)
      log("cannot connect to the bus: \(error)")
      forgetObjects(.noBus(error))
    }
    connection.close()
    return true
  }

  /// Called before the objects are queried, so that no change is missed. The handler of values is first, because values
  /// are frequent. Changes of devices arrive with `DeviceRules`.
  private func subscribe(_ connection: BusConnection) async throws(BusError) -> [AnyObject] {
    let changes = MatchRule(
      sender: BusName.bluez, pathNamespace: ObjectPath.bluez, interface: Interface.properties.rawValue,
      member: "PropertiesChanged")
    var adapters = changes
    adapters.argument0 = Interface.adapter.rawValue
    let added = MatchRule(
      sender: BusName.bluez, interface: Interface.objectManager.rawValue, member: "InterfacesAdded",
      argument0Path: "/org/bluez/")
    var removed = added
    removed.member = "InterfacesRemoved"
    let disconnected = MatchRule(
      sender: BusName.bluez, pathNamespace: ObjectPath.bluez, interface: Interface.device.rawValue,
      member: "Disconnected")
    return [
      try await connection.receive(changes) { [cache] in cache.propertiesChanged($0) },
      try await connection.addMatch(adapters),
      try await connection.subscribe(added) { [cache] in cache.interfacesAdded($0) },
      try await connection.subscribe(removed) { [cache] in cache.interfacesRemoved($0) },
      try await connection.subscribe(disconnected) { [cache] in cache.deviceDisconnected($0) },
    ]
  }

  private func ownerChanged(_ owner: String?, _ connection: BusConnection) {
    guard connection === self.connection else { return }
    ownerTask?.cancel()
    suspicion?.cancel()
    ownerTask = loop.spawn { [weak self] in
      guard let self else { return }
      serviceHasStopped()
      if let owner { await self.load(owner, connection) } else { await self.activate(connection) }
    }
  }

  private func load(_ owner: String, _ connection: BusConnection) async {
    log("bluetoothd has the bus name \(owner)")
    cache.attach(connection, owner: owner)
    guard await loadTree(), !Task.isCancelled else { return }
    set(.running)
  }

  /// Retries until there is a reply, at a decreasing rate. Returns false if it was cancelled, because this bluetoothd
  /// has ended.
  private func loadTree() async -> Bool {
    let began = loop.now
    var silences = 0
    var errors = 0
    while true {
      let deadline = BlueZDeadlines.load[min(silences, BlueZDeadlines.load.count - 1)]
      let asked = loop.now
      do throws(BlueZError) {
        try await cache.loadAll(deadline: deadline)
        return true
      } catch {
        guard !Task.isCancelled else { return false }
        if asked.duration(to: loop.now) >= deadline {
          silences += 1
          guard began.duration(to: loop.now) >= BlueZDeadlines.proofOfLife else { continue }
          log("bluetoothd does not respond")
          set(.noService(error))
        } else {
          log("bluetoothd did not list its objects: \(error.name ?? error.message)")
          set([.accessDenied, .filtered].contains(error.kind) ? .denied(error) : .noService(error))
          let pause = BlueZDeadlines.loadPauses[min(errors, BlueZDeadlines.loadPauses.count - 1)]
          guard (try? await loop.sleep(pause)) != nil else { return false }
          errors += 1
        }
      }
    }
  }

  /// A call got no reply in time, or expected values are missing. This checks whether bluetoothd responds at all.
  /// The known objects stay valid: bluetoothd will signal all changes when it continues.
  public func suspectHang() {
    guard case .running = availability, suspicion == nil else { return }
    suspectedSince = loop.now
    suspicion = loop.spawn { [weak self] in
      await self?.awaitProofOfLife()
      self?.suspicion = nil
      self?.proofs.send(())
    }
  }

  /// Sends a probe, and returns when bluetoothd has responded to it, or has ended. False if the task is cancelled.
  public func hasResponded() async -> Bool {
    suspectHang()
    let hasEnded = try? await proofs.until { [weak self] () throws(CancellationError) in
      self?.suspicion == nil ? true : nil
    }
    return hasEnded != nil
  }

  /// See `ObjectCache.hasHung`. False for a bluetoothd that has not responded for `BlueZDeadlines.hang`.
  private func hasHung() async -> Bool {
    suspectHang()
    guard suspicion != nil, let since = suspectedSince else { return false }
    let left = BlueZDeadlines.hang - since.duration(to: loop.now)
    guard left > .zero else { return false }
    let responds = try? await proofs.until(within: left, on: loop) { [weak self] in
      self?.suspicion == nil ? true : nil
    }
    guard responds == true, case .running = availability else { return false }
    return since.duration(to: loop.now) >= BlueZDeadlines.promptProof
  }

  private func awaitProofOfLife() async {
    var deadline = BlueZDeadlines.proofOfLife
    while true {
      do throws(BlueZError) {
        try await cache.call(ObjectPath.root, .introspectable, "Introspect", [], deadline: deadline)
        break
      } catch {
        guard !Task.isCancelled, error.kind != .unavailable else { return }
        guard error.kind == .deadline else { break }
        if case .running = availability { log("bluetoothd does not respond") }
        set(.noService(error))
        deadline = BlueZDeadlines.nextProofOfLife
      }
    }
    if case .noService = availability {
      let silence = suspectedSince?.duration(to: loop.now).components.seconds ?? 0
      log("bluetoothd responds again after \(silence) s or more; values of that time may be lost")
      set(.running)
      recoveries.send(())
    }
  }

  /// Whether bluetoothd is running and responds.
  public func answers(within deadline: Duration) async -> Bool {
    (try? await cache.call(ObjectPath.root, .introspectable, "Introspect", [], deadline: deadline)) != nil
  }

  /// Starts bluetoothd by bus activation, only once, so as not to fight a deliberate stop.
  private func activate(_ connection: BusConnection) async {
    do throws(BusError) {
      try await connection.startService(BusName.bluez)
    } catch {
      guard !Task.isCancelled, error != .cancelled else { return }
      log("bluetoothd is not running: \(error)")
      if case .filtered = error { return set(.denied(BlueZError(error))) }
      set(.noService(BlueZError(.unavailable, name: error.name, "org.bluez has no owner: \(error.message)")))
    }
  }

  /// The bluetoothd whose objects are known, if any, no longer has its name. An earlier reason why none can be used
  /// stays.
  private func serviceHasStopped() {
    if case .running = availability {
      forgetObjects(.noService(BlueZError(.unavailable, "bluetoothd stopped.")))
    } else {
      forgetObjects(availability)
    }
  }

  /// Handlers of removed objects can see that bluetoothd is unavailable.
  private func forgetObjects(_ new: Availability) {
    guard !isClosed else { return }
    availability = new
    cache.clear()
    cache.changes.send(.availability)
  }

  private func set(_ new: Availability) {
    guard !isClosed else { return }
    availability = new
    cache.changes.send(.availability)
  }
}
