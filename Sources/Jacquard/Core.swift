import BlueZ
import EventLoop
import JacquardWire

/// State shared by the parts of one manager.
final class Core {
  let loop: EventLoop
  let log: Log
  let bluez: BlueZClient
  let monitor: AdapterMonitor
  let deadlines: Deadlines
  let sharing: SharingRules
  let serviceWatch: ServiceWatch
  /// How long the machine has been suspended.
  var timeAsleep: () -> Duration
  let knownTags: KnownTags
  let pairingAgent: PairingAgent
  let batteryProvider: BatteryProvider
  private var discoveries: [(adapter: Adapter, discovery: Discovery)] = []
  /// Devices whose links are about to be dropped, until BlueZ has been asked to drop them.
  var devicesToDrop: [Device] = []
  let deviceIndex: DeviceIndex

  var cache: ObjectCache { bluez.cache }

  init(
    loop: EventLoop, log: Log, bluez: BlueZClient, adapterAddress: String?, knownTags: KnownTags, deadlines: Deadlines,
    sharing: Manager.Options? = nil
  ) {
    self.loop = loop
    self.log = log
    self.bluez = bluez
    self.deadlines = deadlines
    self.sharing = SharingRules(sharing)
    serviceWatch = ServiceWatch(loop, self.sharing.isExclusive ? [] : self.sharing.places)
    self.knownTags = knownTags
    timeAsleep = { loop.timeAsleep }
    deviceIndex = DeviceIndex(bluez.cache)
    pairingAgent = PairingAgent(bluez.cache)
    batteryProvider = BatteryProvider(bluez.cache) { log(.debug, .bluez, $0) }
    monitor = AdapterMonitor(bluez, wantedAddress: adapterAddress, log: log)
    bluez.cache.changes.add { [weak self] change in
      guard let self, change.concernsAdapters else { return }
      for entry in discoveries { entry.discovery.adapterChanged() }
      discoveries.removeAll { $0.adapter.isGone }
    }
  }

  /// BlueZ grants one discovery session per adapter and bus connection, so there is one `Discovery` per adapter.
  func discovery(on adapter: Adapter) -> Discovery {
    if let known = discoveries.first(where: { $0.adapter === adapter }) { return known.discovery }
    let new = Discovery(adapter, loop: loop, serviceUUID: GATT.service) { [log] in log(.info, .bluez, $0) }
    discoveries.append((adapter, new))
    return new
  }
}
