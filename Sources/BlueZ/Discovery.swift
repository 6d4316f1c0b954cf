import DBus
import EventLoop

/// The one discovery session that BlueZ grants a bus connection on an adapter, shared by all clients.
///
/// One task serialises starting and stopping. BlueZ reports every refusal of the controller as `InProgress`, which is
/// also its reply to a second start. Since this class knows whether it has started discovery, it treats this error as a
/// refusal.
public final class Discovery {
  /// A request for discovery, such as that of a scan.
  public final class Client {
    fileprivate var onFollowing: (() -> Void)?
    fileprivate let onFailure: (BlueZError) -> Void
    /// Why discovery has not run yet although it was requested; nil when it has run, or is being started.
    public fileprivate(set) var refusal: BlueZError?
    fileprivate var hasRun = false
    private let onEnd: (Client) -> Void

    fileprivate init(
      onFollowing: @escaping () -> Void, onFailure: @escaping (BlueZError) -> Void, onEnd: @escaping (Client) -> Void
    ) {
      self.onFollowing = onFollowing
      self.onFailure = onFailure
      self.onEnd = onEnd
    }

    /// Withdraws the request. Discovery stops when no client is left.
    public func end() {
      onFollowing = nil
      onEnd(self)
    }
  }

  private let adapter: Adapter
  private let loop: EventLoop
  private let serviceUUID: String
  private let log: (String) -> Void
  private var clients: [Client] = []
  private var running = false { didSet { watchSilence() } }
  private var silenceTimer: LoopTimer?
  /// Restarts because of silence, all of them and those since the last report.
  private var (restarts, vainRestarts) = (0, 0)
  /// Why the last attempt to start failed; nil after a success, and when no more attempts are made.
  private var refusal: BlueZError?
  private var wasPowered: Bool
  /// A session that was started before the last reset is invalid.
  private var powerCycles: UInt = 0
  private var task: Task<Void, Never>?
  /// Follows all devices while there are clients: advertisements arrive as changes of devices.
  private var following: ObjectCache.Following?

  /// Discovery starts with the first client: see `join`. BlueZ filters by the service UUID if its release can.
  public init(
    _ adapter: Adapter, loop: EventLoop, serviceUUID: String, log: @escaping (String) -> Void = { _ in }
  ) {
    self.adapter = adapter
    self.loop = loop
    wasPowered = adapter.powered
    self.serviceUUID = serviceUUID
    self.log = log
  }

  /// Release 5.87 crashes at the first advertised service while any program filters by services (bluez #2282). For it,
  /// and for unknown releases, all advertising devices are reported.
  private var filter: PropertyMap {
    var filter: PropertyMap = ["Transport": .string("le"), "DuplicateData": .boolean(false)]
    if let release = adapter.release, release != Release(5, 87) { filter["UUIDs"] = .strings([serviceUUID]) }
    return filter
  }

  deinit { silenceTimer?.cancel() }

  /// Discovery runs from now until every client has ended. `onFollowing` is called when the known devices are up to
  /// date, `onFailure` if it cannot be started.
  public func join(onFollowing: @escaping () -> Void = {}, onFailure: @escaping (BlueZError) -> Void) -> Client {
    let client = Client(onFollowing: onFollowing, onFailure: onFailure) { [weak self] client in
      self?.clients.removeAll { $0 === client }
      self?.reconcile()
    }
    clients.append(client)
    client.hasRun = running
    client.refusal = refusal
    if following != nil { loop.spawn { [weak self] in if let self { reportFollowing() } } }
    reconcile()
    return client
  }

  /// Powering off ends BlueZ's sessions silently; after power on, or with a new filter, discovery must be restarted.
  public func adapterChanged() {
    if !adapter.powered, wasPowered { powerCycles &+= 1 }
    wasPowered = adapter.powered
    if !adapter.powered || adapter.isGone { running = false }
    reconcile()
  }

  /// BlueZ was seen to lose a filter when a device connects (bluez #920).
  public func reassertFilter() {
    guard running, wanted, task == nil else { return }
    loop.spawn { [adapter, filter] in _ = try? await adapter.setDiscoveryFilter(filter) }
  }

  private var wanted: Bool { !clients.isEmpty && adapter.powered && !adapter.isGone }

  private func reconcile(isRestart: Bool = false) {
    guard task == nil else { return }
    guard wanted != running || isRestart, !adapter.isGone else {
      if clients.isEmpty { following = nil }
      return
    }
    task = loop.spawn { [weak self] in
      if isRestart { await self?.stop() }
      while let self, self.wanted != self.running, !self.adapter.isGone {
        if self.wanted { await self.start() } else { await self.stop() }
      }
      self?.task = nil
      if self?.clients.isEmpty ?? false { self?.following = nil }
    }
  }

  private func reportFollowing() {
    for client in clients {
      let report = client.onFollowing
      client.onFollowing = nil
      report?()
    }
  }

  private func start() async {
    defer { refusal = nil }
    for pause in BlueZDeadlines.discoveryPauses + [nil] {
      let life = powerCycles
      do throws(BlueZError) {
        if following == nil { following = try await adapter.cache?.followAllDevices() }
        reportFollowing()
        try await adapter.setDiscoveryFilter(filter)
        try await adapter.startDiscovery()
        running = life == powerCycles && !adapter.isGone
        for client in clients { (client.hasRun, client.refusal) = (true, nil) }
        refusal = nil
        // It is unknown whether bluetoothd started it before or after the power cycle.
        if !running { try? await adapter.stopDiscovery() }
        return
      } catch {
        let mayPass = [.inProgress, .deadline, .exhausted].contains(error.kind)
        if mayPass {
          // Stopping a possible session in bluetoothd ends a scan that hangs in the controller or was started after
          // all.
          try? await adapter.stopDiscovery()
        }
        refusal = error
        for client in clients where !client.hasRun { client.refusal = error }
        guard wanted else { return }
        guard let pause, mayPass else { return fail(error) }
        try? await loop.sleep(pause)
        guard wanted else { return }
      }
    }
  }

  /// Each client is notified and removed; a client that still needs discovery must request it again.
  private func fail(_ error: BlueZError) {
    let failed = clients
    clients = []
    for client in failed { client.onFailure(error) }
  }

  /// A room without tags is silent, too, because BlueZ filters: restarts in vain become rare.
  private func watchSilence() {
    silenceTimer?.cancel()
    guard running, let heard = adapter.cache?.advertisements else { return silenceTimer = nil }
    let limit = BlueZDeadlines.discoverySilence * (1 << min(vainRestarts, 4))
    silenceTimer = loop.schedule(after: limit) { [weak self] in self?.listen(since: heard, for: limit) }
  }

  private func listen(since heard: UInt, for limit: Duration) {
    let isSilent = heard == adapter.cache?.advertisements
    if !isSilent { vainRestarts = 0 }
    guard running, isSilent, task == nil else { return watchSilence() }
    restarts += 1
    vainRestarts += 1
    log("discovery on \(adapter.address) reported no device for \(limit.components.seconds) s; restarts: \(restarts)")
    reconcile(isRestart: true)
  }

  private func stop() async {
    running = false
    try? await adapter.stopDiscovery()
  }
}
