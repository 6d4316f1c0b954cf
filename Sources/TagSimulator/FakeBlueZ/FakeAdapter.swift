import DBus
import EventLoop

/// `org.bluez.Adapter1`: power and discovery.
final class FakeAdapter {
  private final class Client {
    var filter: DiscoveryFilter?
    var isScanning = false
  }

  let path: String
  let address: String
  unowned let daemon: FakeBlueZ
  private(set) var devices: [FakeDevice] = []
  let interface: ExportedInterface
  let object: ExportedObject
  private(set) lazy var batteries = FakeBatteries(self)

  private var clients: [String: Client] = [:]
  private var reports: [ObjectIdentifier: LoopTimer] = [:]
  private var reportCount = 0

  /// - Parameter index: the kernel's number for it, which may change each time it is plugged in.
  init(index: Int, address: String, daemon: FakeBlueZ, powered: Bool) {
    path = "/org/bluez/hci\(index)"
    self.address = address
    self.daemon = daemon
    interface = ExportedInterface(
      "org.bluez.Adapter1",
      [
        "Address": .string(address), "AddressType": "public", "Name": .string("simulated"),
        "Alias": .string("simulated"), "Class": .uint32(0x6c0000), "Powered": .boolean(powered),
        "Discoverable": false, "DiscoverableTimeout": .uint32(180), "Pairable": true, "PairableTimeout": .uint32(0),
        "Discovering": false, "Modalias": .string(daemon.behaviour.modalias), "UUIDs": .strings([]),
        "Roles": .strings(["central", "peripheral"]),
      ])
    object = ExportedObject(path, [interface])
    addMethods()
    releaseChanged()
  }

  private func addMethods() {
    interface.methods = [
      "StartDiscovery": { [unowned self] in try startDiscovery($0) },
      "StopDiscovery": { [unowned self] in try stopDiscovery($0) },
      "SetDiscoveryFilter": { [unowned self] in try setDiscoveryFilter($0) },
      "GetDiscoveryFilters": { $0.answer(.strings(DiscoveryFilter.names)) },
      "RemoveDevice": { [unowned self] in try removeDevice($0) },
    ]
    interface.setters["Powered"] = { [unowned self] in
      guard let on = $0.asBool else { throw MethodFailure.invalidArguments }
      guard !(on && isBlocked) else { throw MethodFailure.blocked }
      setPowered(on)
    }
    for (name, kind) in [("Alias", "s"), ("Discoverable", "b"), ("Pairable", "b"), ("PairableTimeout", "u")] {
      interface.setters[name] = { [unowned self] in
        guard $0.signature == kind else { throw MethodFailure.invalidArguments }
        object.change(interface, [name: $0])
      }
    }
  }

  var isPowered: Bool { interface["Powered"]?.asBool == true }
  var isDiscovering: Bool { clients.values.contains { $0.isScanning } }

  // MARK: - Power

  private var isBlocked: Bool { interface["PowerState"] != nil }

  /// Blocked by rfkill. Releases newer than the simulated one report it in a property; only that property is simulated.
  func setBlocked(_ blocked: Bool) { object.change(interface, ["PowerState": blocked ? .string("off-blocked") : nil]) }

  func releaseChanged() {
    object.change(interface, ["Modalias": .string(daemon.behaviour.modalias)])
    let hasBatteries = object.interfaces.contains { $0 === batteries.interface }
    guard daemon.behaviour.takesBatteries != hasBatteries else { return }
    if hasBatteries { object.remove(batteries.interface) } else { object.add(batteries.interface) }
  }

  func setPowered(_ on: Bool) {
    guard on != isPowered else { return }
    if !on {
      clients = [:]
      updateDiscovery()
      for device in devices { device.adapterPoweredOff() }
    }
    for neighbour in daemon.neighbours { neighbour.radio(isOn: on) }
    object.change(interface, ["Powered": .boolean(on)])
  }

  /// bluetoothd is being stopped.
  func isToEnd() {
    clients = [:]
    updateDiscovery()
    object.change(interface, ["Powered": false])
  }

  func dropLinks() { for device in devices { device.dropLink() } }

  /// The daemon was killed.
  func abandon() {
    for timer in reports.values { timer.cancel() }
    reports = [:]
    clients = [:]
  }

  /// Removes everything, as when the adapter is unplugged or bluetoothd is stopped.
  func removeAll() {
    for device in devices { device.tearDown() }
    for neighbour in daemon.neighbours { neighbour.vanish() }
    batteries.removeAll()
    abandon()
  }

  // MARK: - Discovery

  private func startDiscovery(_ call: MethodCall) throws {
    guard isPowered else { throw MethodFailure.notReady }
    let client = client(call.caller)
    guard !client.isScanning else { throw MethodFailure.alreadyInProgress }
    if let refusal = daemon.behaviour.takeDiscoveryRefusal() { throw refusal }
    client.isScanning = true
    call.answer()
    updateDiscovery()
  }

  private func stopDiscovery(_ call: MethodCall) throws {
    guard isPowered else { throw MethodFailure.notReady }
    guard clients[call.caller]?.isScanning == true else {
      throw MethodFailure.failed("No discovery started")
    }
    // The filter ends with the session, and must be set again for the next scan.
    clients[call.caller] = nil
    if !isDiscovering { for device in devices { device.forgetSignalStrength() } }
    call.answer()
    updateDiscovery()
  }

  private func setDiscoveryFilter(_ call: MethodCall) throws {
    guard call.arguments.count == 1, let properties = call.arguments[0].asProperties else {
      throw MethodFailure.invalidArguments
    }
    client(call.caller).filter = properties.isEmpty ? nil : try DiscoveryFilter(properties)
    call.answer()
  }

  private func client(_ name: String) -> Client {
    if let client = clients[name] { return client }
    let client = Client()
    clients[name] = client
    return client
  }

  /// A client has disconnected from the bus.
  func clientGone(_ name: String) {
    batteries.clientGone(name)
    guard let client = clients.removeValue(forKey: name), client.isScanning else { return }
    if !isDiscovering { for device in devices { device.forgetSignalStrength() } }
    updateDiscovery()
  }

  private func updateDiscovery() {
    object.change(interface, ["Discovering": .boolean(isDiscovering)])
    for neighbour in daemon.neighbours { neighbour.discovery(isOn: isDiscovering) }
    if isDiscovering {
      for tag in daemon.tags { listen(to: tag) }
    } else {
      for timer in reports.values { timer.cancel() }
      reports = [:]
    }
  }

  /// Advertising starts, stops or changes.
  func presenceChanged(of tag: SoftwareTag) {
    if isDiscovering { listen(to: tag) }
    for device in devices where device.tag === tag { device.presenceChanged() }
  }

  private func listen(to tag: SoftwareTag) {
    let key = ObjectIdentifier(tag)
    guard daemon.isHeard(tag) else {
      reports.removeValue(forKey: key)?.cancel()
      return
    }
    guard reports[key] == nil else { return }
    reports[key] = daemon.clock.schedule(after: tag.advertisingInterval) { [weak self, weak tag] in
      guard let self, let tag else { return }
      self.reports[key] = nil
      self.report(tag)
      self.listen(to: tag)
    }
  }

  private func report(_ tag: SoftwareTag) {
    reportCount += 1
    let strength = tag.rssi + [0, 2, -1, 1, -2][reportCount % 5]
    let scanning = clients.values.filter(\.isScanning)
    if daemon.behaviour.release == 87, scanning.contains(where: { $0.filter?.uuids.isEmpty == false }) {
      return daemon.kill()
    }
    guard scanning.contains(where: { $0.filter?.accepts(tag, rssi: strength) ?? true }) else { return }
    if let outdated = self.device(for: tag), outdated.isOutdated { outdated.vanish() }
    let device = device(for: tag) ?? addDevice(for: tag)
    device.sighted(rssi: strength, duplicateData: scanning.contains { $0.filter?.duplicateData == true })
  }

  // MARK: - Devices

  func device(for tag: SoftwareTag) -> FakeDevice? { devices.first { $0.tag === tag } }

  @discardableResult
  func addDevice(for tag: SoftwareTag, isBonded: Bool = false) -> FakeDevice {
    let address = isBonded ? tag.profile.address : tag.advertisedAddress
    let device = FakeDevice(tag: tag, adapter: self, address: address)
    devices.append(device)
    return device
  }

  func forget(_ device: FakeDevice) { devices.removeAll { $0 === device } }

  private func removeDevice(_ call: MethodCall) throws {
    guard let path = call.arguments.first?.asObjectPath else { throw MethodFailure.invalidArguments }
    if let neighbour = daemon.neighbours.first(where: { $0.path == path }) {
      neighbour.remove()
      return call.answer()
    }
    guard let device = devices.first(where: { $0.path == path }) else { throw MethodFailure.doesNotExist }
    guard isPowered else { throw MethodFailure.notReady }
    device.remove { call.answer() }
  }
}
