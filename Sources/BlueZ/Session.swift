import DBus
import EventLoop

/// The connection to the bus and to bluetoothd on it, made again whenever either comes back.
public final class Session {
  /// Pauses between attempts to reach a bus whose socket exists but does not serve: it is about to, or broken for good.
  private static let pauses: [Duration] = [
    .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(2), .seconds(5),
  ]
  /// A bluetoothd with a hundred devices answers in well under a second.
  private static let loadDeadline: Duration = .seconds(10)

  public let mirror: Mirror
  public private(set) var availability = Availability.starting

  private let loop: EventLoop
  private let address: BusAddress
  private let log: (String) -> Void
  private var connection: BusConnection?
  private var task: Task<Void, Never>?
  private var ownerTask: Task<Void, Never>?

  public init(loop: EventLoop, address: BusAddress, log: @escaping (String) -> Void) {
    self.loop = loop
    self.address = address
    self.log = log
    mirror = Mirror(loop: loop)
  }

  public func start() {
    guard task == nil else { return }
    task = loop.spawn { [weak self] in
      var failures = 0
      while !Task.isCancelled, let wait = await self?.serve(&failures) { await wait() }
    }
  }

  public func close() {
    task?.cancel()
    ownerTask?.cancel()
    connection?.close()
    connection = nil
    mirror.clear()
  }

  /// One life of the bus. Returns how to wait for the next; nil: never.
  private func serve(_ failures: inout Int) async -> (() async -> Void)? {
    let connection = BusConnection(loop, address)
    self.connection = connection
    do {
      let lost = Completion<Void>()
      connection.onDisconnected = { lost.succeed(()) }
      try await connection.open()
      log("connected to the bus as \(connection.uniqueName ?? "?")")
      failures = 0
      let subscriptions = try await subscribe(connection)
      let owner = try await connection.watchName(Name.service) { [weak self] in self?.ownerChanged($0, connection) }
      try await lost.value()
      withExtendedLifetime((subscriptions, owner)) {}
      log("lost the bus")
      forgetService(.noBus(.disconnected))
    } catch let error as BusError {
      failures += 1
      log("no bus: \(error)")
      forgetService(.noBus(error))
    } catch {
      return nil
    }
    connection.close()
    return Task.isCancelled ? nil : { [loop, address, failures] in await Self.comeback(loop, address, failures) }
  }

  /// Returns when it is worth trying again: at the next change of the bus's socket, and a few times before, since a
  /// socket exists a moment before anybody listens on it.
  private static func comeback(_ loop: EventLoop, _ address: BusAddress, _ failures: Int) async {
    let changed = Completion<Void>()
    let watches = address.entries.compactMap { entry -> FileWatch? in
      guard case .path(let path) = entry.socket else { return nil }
      return try? FileWatch(loop, path) { changed.succeed(()) }
    }
    let timer: LoopTimer?
    if failures <= pauses.count {
      timer = loop.schedule(after: pauses[max(failures, 1) - 1]) { changed.succeed(()) }
    } else if watches.isEmpty {
      timer = loop.schedule(after: .seconds(30)) { changed.succeed(()) }
    } else {
      timer = nil
    }
    try? await changed.value()
    timer?.cancel()
    for watch in watches { watch.cancel() }
  }

  /// In force before the tree is asked for, so that no change between falls through. Values first: they are frequent.
  private func subscribe(_ connection: BusConnection) async throws -> [Subscription] {
    let values = MatchRule(
      sender: Name.service, pathNamespace: "/org/bluez", interface: Name.properties, member: "PropertiesChanged")
    let added = MatchRule(
      sender: Name.service, interface: Name.objectManager, member: "InterfacesAdded", argument0Path: "/org/bluez/")
    let removed = MatchRule(
      sender: Name.service, interface: Name.objectManager, member: "InterfacesRemoved", argument0Path: "/org/bluez/")
    return [
      try await connection.subscribe(values) { [mirror] in mirror.propertiesChanged($0) },
      try await connection.subscribe(added) { [mirror] in mirror.interfacesAdded($0) },
      try await connection.subscribe(removed) { [mirror] in mirror.interfacesRemoved($0) },
    ]
  }

  private func ownerChanged(_ owner: String?, _ connection: BusConnection) {
    guard connection === self.connection else { return }
    ownerTask?.cancel()
    ownerTask = loop.spawn { [weak self] in
      guard let self else { return }
      if let owner { await self.load(owner, connection) } else { await self.activate(connection) }
    }
  }

  private func load(_ owner: String, _ connection: BusConnection) async {
    log("bluetoothd is \(owner)")
    forgetService(nil)
    mirror.attach(connection, owner: owner)
    do {
      try await mirror.call(
        Name.root, Name.objectManager, "GetManagedObjects", [], deadline: Self.loadDeadline
      ) { [mirror] tree in mirror.load(tree.first?.asEntries ?? []) }
      guard !Task.isCancelled else { return }
      set(.running)
    } catch let error as BlueZError {
      guard !Task.isCancelled else { return }
      forgetService(error.kind == .accessDenied ? .denied(error) : .noService(error))
    } catch {}
  }

  /// bluetoothd may be started by asking for it. Once: whoever stopped it on purpose is not fought with.
  private func activate(_ connection: BusConnection) async {
    forgetService(nil)
    do {
      try await connection.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "StartServiceByName",
        [.string(Name.service), .uint32(0)])
    } catch {
      guard !Task.isCancelled, error != .cancelled else { return }
      log("bluetoothd is not running: \(error)")
      set(.noService(BlueZError(.unavailable, name: error.name, "Nobody provides org.bluez: \(error.message)")))
    }
  }

  /// Whoever hears that an object is gone can see that bluetoothd is.
  private func forgetService(_ new: Availability?) {
    if let new {
      availability = new
    } else if case .running = availability {
      availability = .noService(BlueZError(.unavailable, "bluetoothd has gone."))
    }
    mirror.clear()
    mirror.changes.send(.availability)
  }

  private func set(_ new: Availability) {
    availability = new
    mirror.changes.send(.availability)
  }
}
