import DBus
import EventLoop

/// A simulated `org.bluez`, release 5.66: adapters that receive software tags.
///
/// docs/bluez-observed.md describes the behaviour of a real bluetoothd; this class reproduces it, including its quirks.
/// It can be killed, stopped and started again while tags and hosts continue.
public final class FakeBlueZ {
  public static let busName = "org.bluez"

  public let clock: SimulationClock
  public private(set) var tags: [SoftwareTag] = []
  var behaviour = HostBehaviour()

  /// Called for each method call, with its path and member.
  public var called: (String, String) -> Void = { _, _ in }

  /// Called with the reason if a scenario could not restart the daemon.
  var complain: (String) -> Void = { _ in }

  let address: BusAddress
  private(set) var connection: BusConnection?
  private(set) var server: ObjectServer?
  private(set) var adapters: [FakeAdapter] = []
  private(set) var neighbours: [Neighbour] = []
  private var departures: Subscription?
  private(set) var agents = AgentRegistry()
  private var adapterIsPresent = true
  private var adapterIsPowered = true
  private var adapterIsBlocked = false
  private var adapterIndex = 0
  private var isAsleep = false
  private var links: [ObjectIdentifier: FakeDevice] = [:]
  private var remains: [FakeDevice.Remains] = []
  /// A call that is released without a reply replies with an error.
  var unanswered: [MethodCall] = []

  public init(_ address: BusAddress, clock: SimulationClock) {
    self.address = address
    self.clock = clock
  }

  /// The number of registered agents.
  public var agentCount: Int { agents.count }

  /// How long a link caused by `connect flaps` stays up.
  public func setFlapLength(_ length: Duration) { behaviour.flapLength = length }

  /// Times if the tag has lost its bond: from a link until the tag refuses to encrypt it, and from then to the link's
  /// end.
  public func setKeyMissing(refused: Duration, ended: Duration) { behaviour.keyMissing = (refused, ended) }

  /// Time from a write request to its response.
  public func setWriteTime(_ time: Duration) { behaviour.writeTime = time }

  /// How many times StartNotify succeeds without effect.
  public func ignoreStartNotify(times: Int) { behaviour.ignoredStartNotifies = times }

  public var isRunning: Bool { server != nil }

  private var isStopping = false
  private var startsAfterStop = false

  /// While true, the daemon sends neither replies nor signals.
  public var isHanging: Bool { server?.isHolding ?? false }

  /// Values that had no room in the kernel while the daemon was hanging.
  public internal(set) var valuesDropped = 0

  /// Everything that clients have started and not stopped: StartNotify sessions, discovery and agents.
  public var whatClientsKeep: [String] {
    let characteristics = adapters.flatMap(\.devices).flatMap(\.characteristics)
    return characteristics.filter(\.hasSubscribers).map { "StartNotify on \($0.object.path)" }
      + adapters.filter(\.isDiscovering).map { "discovery on \($0.path)" }
      + (agents.count > 0 ? ["\(agents.count) agents"] : [])
      + adapters.flatMap(\.batteries.paths).map { "battery provider \($0)" }
  }

  /// The levels that programs have reported, and that are exported as `org.bluez.Battery1`.
  public var batteryLevels: [UInt8] { adapters.flatMap(\.batteries.levels) }

  /// Puts a tag within range. The daemon simulates its radio; the tag's owner is responsible for everything else.
  public func add(_ tag: SoftwareTag) {
    tags.append(tag)
    tag.transmit = { [weak self, unowned tag] characteristic, value in
      self?.links[ObjectIdentifier(tag)]?.characteristics.first { $0.kind == characteristic }?.notified(value)
    }
    tag.dropLink = { [weak self, unowned tag] in
      guard let device = self?.links[ObjectIdentifier(tag)] else { return tag.linkDown() }
      device.linkLost(tag.presence.inRange ? .remote : .timeout)
    }
    tag.presenceChanged = { [weak self, unowned tag] in
      for adapter in self?.adapters ?? [] { adapter.presenceChanged(of: tag) }
    }
    for adapter in adapters { adapter.presenceChanged(of: tag) }
  }

  private func isCalled(_ call: MethodCall) {
    for neighbour in neighbours { neighbour.note(call) }
    called(call.path, call.member)
  }

  /// Adds devices other than tags, of all kinds in turn: first a keyboard and a headset, bonded and connected.
  private func addNeighbours(_ count: Int) {
    let added = (0..<count).map { Neighbour(number: neighbours.count + $0) }
    neighbours += added
    for adapter in adapters { for neighbour in added { neighbour.appear(on: adapter) } }
  }

  public var neighbourAddresses: [String] { neighbours.map(\.address) }

  /// The neighbours that a call has named, or that have changed.
  public var touchedNeighbours: [String] { neighbours.filter { !$0.isUntouched }.map(\.text) }

  // MARK: - The daemon's life cycle

  public func start() async throws {
    guard connection == nil else {
      startsAfterStop = isStopping
      return
    }
    let connection = BusConnection(clock.loop, address)
    self.connection = connection
    do {
      try await appear(on: connection)
    } catch {
      connection.close()
      if self.connection === connection { self.connection = nil }
      throw error
    }
  }

  private func appear(on connection: BusConnection) async throws {
    try await connection.open()
    departures = try await connection.subscribe(
      MatchRule(
        sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged")
    ) { [weak self] in self?.ownerChanged($0) }
    let server = try ObjectServer(connection) { [weak self] in self?.isCalled($0) }
    try await claimName(connection)
    // It was killed while starting.
    guard self.connection === connection else { return connection.close() }
    self.server = server
    agents = AgentRegistry()
    server.add(ExportedObject("/org/bluez", [agents.interface]))
    if adapterIsPresent { plugIn() }
  }

  /// The bus may take a moment to notice that a killed daemon has disconnected.
  private func claimName(_ connection: BusConnection) async throws {
    if try await connection.requestName(Self.busName) == .primaryOwner { return }
    let vacant = Completion<Void, CancellationError>()
    let watch = try await connection.watchName(Self.busName) { if $0 == nil { vacant.succeed(()) } }
    let timer = clock.loop.schedule(after: .seconds(5)) { vacant.succeed(()) }
    defer {
      watch.cancel()
      timer.cancel()
    }
    try await vacant.value()
    guard try await connection.requestName(Self.busName) == .primaryOwner else {
      throw TagActionError("another program owns \(Self.busName) on this bus")
    }
  }

  /// Ends as with SIGKILL: the name is released, the kernel keeps the links.
  public func kill() {
    startsAfterStop = false
    // A daemon that was killed before has already stored its devices.
    if server != nil, adapterIsPresent { rememberDevices() }
    for device in adapters.flatMap(\.devices) { device.abandon() }
    for adapter in adapters { adapter.abandon() }
    links = [:]
    leave()
  }

  /// Ends as with SIGTERM: powers the adapters off, drops links and removes all objects before it releases the name. If
  /// it is started meanwhile, it starts again afterwards.
  public func stop() async {
    guard let connection, server != nil, !isStopping else { return }
    isStopping = true
    await end(connection)
    isStopping = false
    guard startsAfterStop else { return }
    startsAfterStop = false
    startSoon()
  }

  private func end(_ connection: BusConnection) async {
    for adapter in adapters { adapter.isToEnd() }
    try? await clock.sleep(for: behaviour.stopTimes.links)
    guard self.connection === connection else { return }
    rememberDevices()
    for index in remains.indices { remains[index].isLinked = false }
    for adapter in adapters { adapter.dropLinks() }
    try? await clock.sleep(for: behaviour.stopTimes.owner)
    guard self.connection === connection else { return }
    for adapter in adapters { adapter.removeAll() }
    for adapter in adapters { server?.remove(adapter.object) }
    try? await connection.releaseName(Self.busName)
    leave()
  }

  private func leave() {
    adapters = []
    departures?.cancel()
    departures = nil
    server?.end()
    server = nil
    connection?.close()
    connection = nil
    unanswered = []
    for neighbour in neighbours { neighbour.vanish() }
  }

  private func rememberDevices() {
    remains = adapters.flatMap(\.devices).compactMap { $0.remains() }
  }

  /// The bonds of bluetoothd and of its tags, which outlive a run of the simulator: a line for each device, with its
  /// address and some of the words `bonded`, `trusted` and `known-to-tag`.
  public var bonds: String {
    let devices = server != nil && adapterIsPresent ? adapters.flatMap(\.devices).compactMap { $0.remains() } : remains
    return devices.filter { $0.isBonded || $0.isTrusted }.map { device in
      let words = [
        (device.isBonded, "bonded"), (device.isTrusted, "trusted"), (device.tag.bonded, "known-to-tag"),
      ]
      return ([device.tag.profile.address] + words.filter(\.0).map(\.1)).joined(separator: " ") + "\n"
    }.joined()
  }

  /// Restores `bonds` of an earlier run, before `start()`. Ignores lines about other tags.
  public func restore(bonds: String) {
    for line in bonds.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let tag = tags.first(where: { $0.profile.address == words.first ?? "" }) else { continue }
      tag.bonded = words.contains("known-to-tag")
      remains.append(
        .init(tag: tag, isBonded: words.contains("bonded"), isTrusted: words.contains("trusted"), isLinked: false))
    }
  }

  /// Links that outlived bluetoothd end with the adapter.
  private func dropInheritedLinks() {
    for index in remains.indices where remains[index].isLinked {
      remains[index].isLinked = false
      remains[index].tag.linkDown()
    }
  }

  private func ownerChanged(_ view: MessageView) {
    let names = Message(view).body().compactMap(\.asString)
    guard names.count == 3, names[0].hasPrefix(":"), names[2].isEmpty else { return }
    // Earlier calls of the client are handled first, even if they are still queued.
    server?.perform { [weak self] in self?.clientGone(names[0]) }
  }

  private func clientGone(_ client: String) {
    agents.clientGone(client)
    var hadSession = false
    for adapter in adapters {
      adapter.clientGone(client)
      for characteristic in adapter.devices.flatMap(\.characteristics) {
        hadSession = characteristic.clientGone(client) || hadSession
      }
    }
    // bluetoothd then asks the bus to end its watch for the client. Only the serial number of that call matters here.
    guard hadSession, let connection else { return }
    let call = try? Message.methodCall(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
      member: "GetId")
    if let call { _ = try? connection.send(call) }
  }

  // MARK: - Adapters

  private func plugIn() {
    guard let server else { return }
    let adapter = FakeAdapter(
      index: adapterIndex, address: "00:1A:7D:DA:71:13", daemon: self, powered: adapterIsPowered && !adapterIsBlocked)
    adapters = [adapter]
    adapter.setBlocked(adapterIsBlocked)
    server.add(adapter.object)
    for neighbour in neighbours { neighbour.appear(on: adapter) }
    for remains in remains { adapter.addDevice(for: remains.tag, isBonded: remains.isBonded).restore(remains) }
    remains = []
  }

  func perform(_ action: HostAction) {
    switch action {
    case .daemon(let verb, let downtime): perform(verb, downtime)
    case .powered(let on):
      adapterIsPowered = on
      if !on { dropInheritedLinks() }
      for adapter in adapters { adapter.setPowered(on && !adapterIsBlocked) }
    case .blocked(let blocked):
      adapterIsBlocked = blocked
      if blocked { dropInheritedLinks() }
      for adapter in adapters {
        adapter.setBlocked(blocked)
        adapter.setPowered(adapterIsPowered && !blocked)
      }
    case .adapterPresent(let present, let index): setAdapterPresent(present, index)
    case .connectTime(let time): behaviour.connectTime = time
    case .notifyFails(let times): behaviour.failedStartNotifies = times ?? .max
    case .notifyWorks: behaviour.failedStartNotifies = 0
    case .connectFault(let fault): behaviour.connectFault = fault
    case .pairingTime(let time): behaviour.pairTime = time
    case .pairingQuestion(let question): behaviour.pairingQuestion = question
    case .resolveTime(let time): behaviour.resolveTime = time
    case .disconnectTime(let time): behaviour.disconnectTime = time
    case .capacity(let capacity): behaviour.capacity = capacity
    case .silentConnected(let value): behaviour.silentConnected = value
    case .resolvedFirst(let value): behaviour.resolvedFirst = value
    case .release(let release):
      behaviour.release = release
      for adapter in adapters { adapter.releaseChanged() }
    case .saysWhyDisconnected(let value): behaviour.saysWhyDisconnected = value
    case .asleep(let value): setAsleep(value)
    case .connectUnanswered(let value): behaviour.connectUnanswered = value
    case .writeUnanswered(let value): behaviour.writeUnanswered = value
    case .securityUnanswered(let value): behaviour.securityUnanswered = value
    case .resolveIncomplete(let times): behaviour.incompleteResolutions = times ?? .max
    case .resolveWorks: behaviour.incompleteResolutions = 0
    case .renumberServices: for device in adapters.flatMap(\.devices) { device.renumberServices() }
    case .removeServices: for device in adapters.flatMap(\.devices) { device.removeServices() }
    case .refuseDiscovery(let name, let times): behaviour.discoveryRefusal = (name, times ?? .max)
    case .allowDiscovery: behaviour.discoveryRefusal = nil
    case .neighbours(let count): addNeighbours(count)
    }
  }

  private func perform(_ verb: HostAction.Daemon, _ downtime: Duration) {
    switch verb {
    case .start: startSoon()
    case .kill: kill()
    case .hang: server?.hold()
    case .continue: server?.release()
    case .stop: clock.loop.spawn { [weak self] in if let self { await self.stop() } }
    case .restart:
      kill()
      clock.schedule(after: downtime) { [weak self] in self?.startSoon() }
    }
  }

  private func startSoon() {
    clock.loop.spawn { [weak self] in
      do { try await self?.start() } catch { self?.complain("bluetoothd does not start: \(error)") }
    }
  }

  private func setAdapterPresent(_ present: Bool, _ index: Int) {
    guard present != adapterIsPresent else { return }
    adapterIsPresent = present
    adapterIndex = index
    if present { return plugIn() }
    dropInheritedLinks()
    if server != nil { rememberDevices() }
    for index in remains.indices { remains[index].isLinked = false }
    for adapter in adapters {
      adapter.removeAll()
      server?.remove(adapter.object)
    }
    adapters = []
  }

  /// The kernel drops its links before it suspends, and receives nothing during suspend. Programs are suspended as
  /// well, which only a real machine can show.
  private func setAsleep(_ asleep: Bool) {
    isAsleep = asleep
    if asleep {
      dropInheritedLinks()
      for device in adapters.flatMap(\.devices) where links[ObjectIdentifier(device.tag)] === device {
        device.linkLost(.suspend)
      }
    }
    for adapter in adapters {
      for neighbour in neighbours { neighbour.radio(isOn: !asleep && adapter.isPowered) }
      for tag in tags { adapter.presenceChanged(of: tag) }
    }
  }

  /// Whether the agent accepts.
  func ask(_ agent: AgentRegistry.Agent, _ method: String, _ arguments: [Value]) async -> Bool {
    guard let connection else { return false }
    do {
      try await connection.call(
        to: agent.client, path: agent.path, interface: "org.bluez.Agent1", member: method, arguments)
      return true
    } catch {
      return false
    }
  }

  // MARK: - Links

  func isHeard(_ tag: SoftwareTag) -> Bool { tag.isAdvertising && !isAsleep }

  func attach(_ device: FakeDevice) { links[ObjectIdentifier(device.tag)] = device }

  func detach(_ device: FakeDevice) {
    guard links[ObjectIdentifier(device.tag)] === device else { return }
    links[ObjectIdentifier(device.tag)] = nil
    device.tag.linkDown()
  }
}
