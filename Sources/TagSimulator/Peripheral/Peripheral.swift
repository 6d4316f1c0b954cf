import DBus
import EventLoop

/// A software tag on a real adapter: advertised and served by the bluetoothd of this machine.
///
/// It registers again whenever bluetoothd is restarted.
public final class Peripheral {
  private static let bluez = "org.bluez"
  private static let propertiesInterface = "org.freedesktop.DBus.Properties"

  public var complain: (String) -> Void = { _ in }

  private let tag: SoftwareTag
  private let adapter: String
  private let withAgent: Bool
  private let address: BusAddress
  private let loop: EventLoop
  private var connection: BusConnection?
  private var application: PeripheralApplication?
  private var advertisement: PeripheralAdvertisement?
  private var agent: PeripheralAgent?
  private var ownerWatch: NameWatch?
  private var subscriptions: [Subscription] = []
  private var adapterPath: String?
  private var name: String?
  private var host: String?
  private var isAdvertising = false
  private var isRegistering = false
  private let registered = Completion<Result<Void, any Error>, CancellationError>()

  /// - Parameter adapter: its name, such as hci1, or its address.
  /// - Parameter agent: handles bluetoothd's pairing requests; must not be used if the host uses the same bluetoothd.
  public init(_ address: BusAddress, adapter: String, tag: SoftwareTag, agent: Bool = false) {
    self.address = address
    self.adapter = adapter
    self.tag = tag
    withAgent = agent
    loop = tag.clock.loop
  }

  /// Returns when the tag can be found.
  public func start() async throws {
    let connection = BusConnection(loop, address)
    self.connection = connection
    try await connection.open()
    connection.onDisconnected = { [weak self] in self?.complain("the bus closed the connection") }
    let application = try PeripheralApplication(connection, tag)
    application.used = { [weak self] device, mtu in self?.hostSeen(device, mtu) }
    self.application = application
    advertisement = try PeripheralAdvertisement(connection, tag) { [weak self] in self?.isAdvertising = false }
    if withAgent { agent = try PeripheralAgent(connection, tag) }
    tag.transmit = { [weak application] in application?.notify($0, $1) }
    tag.dropLink = { [weak self] in self?.dropLink() }
    tag.presenceChanged = { [weak self] in self?.updateAdvertising() }
    tag.bondForgotten = { [weak self] in self?.forgetHosts() }

    subscriptions = [
      try await connection.subscribe(
        MatchRule(
          sender: Self.bluez, pathNamespace: "/org/bluez", interface: Self.propertiesInterface,
          member: "PropertiesChanged")
      ) { [weak self] in self?.propertiesChanged($0) },
      try await connection.subscribe(
        MatchRule(sender: Self.bluez, interface: ObjectServer.objectManager, member: "InterfacesRemoved")
      ) { [weak self] in self?.interfacesRemoved($0) },
    ]
    ownerWatch = try await connection.watchName(Self.bluez) { [weak self] in self?.ownerChanged($0) }
    try await registered.value().get()
  }

  // MARK: - Restarts of bluetoothd

  private func ownerChanged(_ owner: String?) {
    isAdvertising = false
    adapterPath = nil
    if !tag.bonded { application?.forgetSubscriptions() }
    hostGone()
    guard owner != nil else { return }
    loop.spawn { [weak self] in if let self { await self.register() } }
  }

  /// bluetoothd may start before its adapters exist, and adapters before they are usable: retries for ten seconds.
  private func register() async {
    guard !isRegistering else { return }
    isRegistering = true
    defer { isRegistering = false }
    for attempt in 1...20 {
      do {
        try await registerNow()
        registered.succeed(.success(()))
        return
      } catch {
        if attempt == 20 || (error as? BusError) == .disconnected {
          if !registered.succeed(.failure(error)) { complain("cannot register with bluetoothd: \(error)") }
          return
        }
        do { try await loop.sleep(.milliseconds(500)) } catch { return }
      }
    }
  }

  private func registerNow() async throws {
    let path = try await findAdapter()
    if withAgent { try await registerAgent() }
    try await set(path, "Powered", true)
    try await takeName(path)
    try await call(
      path, "org.bluez.GattManager1", "RegisterApplication", [.objectPath(PeripheralApplication.root), [:]])
    adapterPath = path
    try await setAdvertising(tag.isAdvertising)
  }

  private func findAdapter() async throws -> String {
    guard let connection else { throw BusError.disconnected }
    let answer = try await connection.call(
      to: Self.bluez, path: "/", interface: ObjectServer.objectManager, member: "GetManagedObjects")
    for entry in answer.body().first?.asEntries ?? [] {
      guard let path = entry.key.asObjectPath else { continue }
      let interfaces = entry.value.asEntries ?? []
      let properties = interfaces.first { $0.key.asString == "org.bluez.Adapter1" }?.value
      guard let address = properties?["Address"]?.asString else { continue }
      if path.hasSuffix("/" + adapter) || address == adapter.uppercased() { return path }
    }
    throw TagActionError("there is no Bluetooth adapter \(adapter)")
  }

  /// A call that an earlier attempt may already have made successfully.
  private func call(_ path: String, _ interface: String, _ method: String, _ body: [Value]) async throws {
    guard let connection else { throw BusError.disconnected }
    do {
      try await connection.call(to: Self.bluez, path: path, interface: interface, member: method, body)
    } catch {
      guard error.name == "org.bluez.Error.AlreadyExists" else { throw error }
    }
  }

  /// Hosts read the name again from the generic access service, which contains the adapter's name.
  private func takeName(_ path: String) async throws {
    let name = tag.advertisedName
    self.name = name
    try await set(path, "Alias", .string(name))
  }

  private func registerAgent() async throws {
    let manager = "org.bluez.AgentManager1"
    let path = Value.objectPath(PeripheralAgent.root)
    try await call("/org/bluez", manager, "RegisterAgent", [path, "NoInputNoOutput"])
    try await call("/org/bluez", manager, "RequestDefaultAgent", [path])
  }

  private func set(_ path: String, _ property: String, _ value: Value) async throws {
    try await connection?.call(
      to: Self.bluez, path: path, interface: Self.propertiesInterface, member: "Set",
      ["org.bluez.Adapter1", .string(property), .variant(value)])
  }

  // MARK: - Advertising

  private func updateAdvertising() {
    guard adapterPath != nil else { return }
    advertisement?.rename(tag.advertisedName)
    loop.spawn { [weak self] in
      guard let self, let path = self.adapterPath else { return }
      do {
        if self.name != self.tag.advertisedName { try await self.takeName(path) }
        try await self.setAdvertising(self.shouldAdvertise)
      } catch { self.complain("advertising: \(error)") }
    }
  }

  /// The controller stops advertising while a host is connected, and resumes afterwards.
  private var shouldAdvertise: Bool { tag.advertisesUnlessConnected }

  private func setAdvertising(_ on: Bool) async throws {
    guard let connection, let adapterPath, on != isAdvertising else { return }
    isAdvertising = on
    let path = Value.objectPath(PeripheralAdvertisement.root)
    do {
      try await connection.call(
        to: Self.bluez, path: adapterPath, interface: "org.bluez.LEAdvertisingManager1",
        member: on ? "RegisterAdvertisement" : "UnregisterAdvertisement", on ? [path, [:]] : [path])
    } catch {
      isAdvertising = !on
      throw error
    }
    if isAdvertising == on, shouldAdvertise != on { try await setAdvertising(shouldAdvertise) }
  }

  // MARK: - The host

  private func hostSeen(_ device: String?, _ mtu: UInt16?) {
    if let device { host = device }
    guard !tag.isConnected else { return }
    // If the tag requires a bond, bluetoothd refuses writes on an unencrypted link.
    tag.linkUp(
      capacity: mtu.map { Int($0) - 3 } ?? FragmentCutter.largestFragment, encrypted: tag.profile.requiresBond)
    for characteristic in TagCharacteristic.notifying where application?.subscribed.contains(characteristic) == true {
      tag.setNotifying(true, on: characteristic)
    }
  }

  private func hostGone() {
    host = nil
    tag.linkDown()
  }

  private func dropLink() {
    guard let connection, let host else { return tag.linkDown() }
    loop.spawn { [weak self] in
      do {
        // A tag that must not be found afterwards stops advertising first, because the host reconnects immediately.
        if let self { try await self.setAdvertising(self.shouldAdvertise) }
        try await connection.call(to: Self.bluez, path: host, interface: "org.bluez.Device1", member: "Disconnect")
      } catch {
        self?.complain("cannot drop the link: \(error)")
      }
    }
  }

  /// Makes bluetoothd delete its side of every bond.
  private func forgetHosts() {
    loop.spawn { [weak self] in
      do { try await self?.removeHosts() } catch { self?.complain("cannot forget the hosts: \(error)") }
    }
  }

  private func removeHosts() async throws {
    guard let connection, let adapterPath else { return }
    let answer = try await connection.call(
      to: Self.bluez, path: "/", interface: ObjectServer.objectManager, member: "GetManagedObjects")
    for entry in answer.body().first?.asEntries ?? [] {
      guard let path = entry.key.asObjectPath, path.hasPrefix(adapterPath + "/dev_"),
        entry.value.asEntries?.contains(where: { $0.key.asString == "org.bluez.Device1" }) == true
      else { continue }
      try await call(adapterPath, "org.bluez.Adapter1", "RemoveDevice", [.objectPath(path)])
    }
  }

  private func propertiesChanged(_ view: MessageView) {
    let message = Message(view)
    let body = message.body()
    guard let adapterPath, let path = message.path, path.hasPrefix(adapterPath + "/dev_"), body.count == 3,
      body[0].asString == "org.bluez.Device1"
    else { return }
    if body[1]["Connected"]?.asBool == true { hostSeen(path, nil) }
    if body[1]["Paired"]?.asBool == true { tag.linkEncrypted() }
    if body[1]["Connected"]?.asBool == false, path == host || host == nil { hostGone() }
  }

  private func interfacesRemoved(_ view: MessageView) {
    let body = Message(view).body()
    guard body.count == 2, let path = body[0].asObjectPath, path == host,
      body[1].asStrings?.contains("org.bluez.Device1") == true
    else { return }
    hostGone()
  }
}
