import BlueZ
import EventLoop

/// A search for tags. It outlives restarts of bluetoothd and of the bus.
public final class Scan {
  /// Selects the tags that a scan reports, and its end.
  public struct Options: Sendable {
    /// How long the scan runs; nil for no limit.
    public var timeout: Duration?
    /// The serial number that a tag advertises, or a longer one that ends with it.
    public var serial: String?
    /// Ignores tags whose signal is weaker than this or unknown, in dBm; nil reports all tags.
    public var minimumRSSI: Int16?
    /// Whether each report from BlueZ is passed on, instead of each tag once.
    public var everyReport = false
    /// Whether the scan waits while the adapter is off or missing, instead of ending.
    public var waitForAdapter = false

    public init() {}
  }

  /// The reason why a scan ended, with the numbers of `jacquard_scan_end`.
  public enum End: UInt32, CaseIterable, Sendable {
    case timedOut = 1
    case poweredOff = 2
    case adapterGone = 3
    case permissionDenied = 4
    case error = 5
    case stopped = 6
  }

  /// The number of tags that a scan remembers. Random addresses could fill the memory otherwise.
  static let remembered = 1024

  private let options: Options
  private let core: Core
  private var onFound: (Advertisement) -> Void
  private var onEnd: (End, JacquardError?) -> Void
  private let found = RecentlySeen<TagIdentifier>(capacity: Scan.remembered)
  private var adapter: Adapter?
  private var client: Discovery.Client?
  private var timer: LoopTimer?
  private var statusObservation: Observers<AdapterStatus>.Observation?
  private var changeObservation: Observers<ObjectCache.Change>.Observation?
  private(set) var ended = false
  /// Called after the scan has ended.
  var whenOver: () -> Void = {}

  init(
    _ core: Core, _ options: Options, onFound: @escaping (Advertisement) -> Void,
    onEnd: @escaping (End, JacquardError?) -> Void
  ) {
    self.core = core
    self.options = options
    self.onFound = onFound
    self.onEnd = onEnd
  }

  func start() {
    if let timeout = options.timeout {
      timer = core.loop.schedule(after: timeout) { [weak self] in self?.timedOut() }
    }
    statusObservation = core.monitor.changes.add { [weak self] in self?.follow($0) }
    changeObservation = core.cache.changes.add { [weak self] in self?.consider($0) }
    follow(core.monitor.status)
  }

  /// Ends the scan, and calls `onEnd` with `stopped` before this returns. Does nothing if it has ended.
  public func stop() { end(.stopped, nil) }

  /// Ends without a callback.
  public func close() {
    guard !ended else { return }
    ended = true
    // Remove handlers first: ending discovery makes BlueZ remove properties, which must not be reported as an
    // advertisement.
    changeObservation?.cancel()
    statusObservation?.cancel()
    timer?.cancel()
    client?.end()
    onFound = { _ in }
    onEnd = { _, _ in }
    whenOver()
    whenOver = {}
  }

  private func end(_ reason: End, _ error: JacquardError?) {
    guard !ended else { return }
    let onEnd = onEnd
    close()
    core.log(.info, .scan, "ended: \(reason)\(error.map { ", \($0.message)" } ?? "")")
    onEnd(reason, error)
  }

  private func timedOut() {
    if let client, let refusal = client.refusal {
      client.end()
      refused(refusal)
    }
    end(.timedOut, nil)
  }

  private func follow(_ status: AdapterStatus) {
    client?.end()
    client = nil
    adapter = core.monitor.adapter
    switch status.state {
    case .unknown, .resetting: break
    case .unsupported, .unauthorized, .poweredOff:
      if !options.waitForAdapter { end(Self.reason(for: status.state), status.error) }
    case .poweredOn: search()
    }
  }

  private static func reason(for state: AdapterState) -> End {
    switch state {
    case .poweredOff: .poweredOff
    case .unauthorized: .permissionDenied
    default: .adapterGone
    }
  }

  private func search() {
    guard let adapter else { return }
    client = core.discovery(on: adapter).join(
      onFollowing: { [weak self] in self?.reportConnected() }, onFailure: { [weak self] in self?.refused($0) })
  }

  /// Reports connected tags, because they do not advertise.
  private func reportConnected() {
    for device in core.cache.devices where device.adapterPath == adapter?.path && device.connected { report(device) }
  }

  private func refused(_ error: BlueZError) {
    client = nil
    switch error.kind {
    // The adapter's state has the details.
    case .unavailable, .objectGone, .notReady: break
    case .accessDenied, .filtered: end(.permissionDenied, JacquardError(error, otherwise: .permissionDenied))
    case .att(0x08):
      let denied = BlueZError(.accessDenied, name: error.name, error.message)
      end(.permissionDenied, JacquardError(denied, otherwise: .permissionDenied))
    default: end(.error, JacquardError(error, otherwise: .adapterRefused))
    }
  }

  /// A report is a new device or a new advertisement: RSSI and manufacturer data only change with an advertisement.
  private func consider(_ change: ObjectCache.Change) {
    switch change {
    case .added(let object):
      if let device = object as? Device, device.rssi != nil || device.connected { report(device) }
    case .changed(let object, let names):
      guard let device = object as? Device else { return }
      if names.contains("RSSI") || names.contains("ManufacturerData") {
        report(device)
      } else if names.contains("Connected") && device.connected
        || names.contains("ServicesResolved") && device.servicesResolved
      {
        // Another program has connected it before it was found here, and it does not advertise any more. BlueZ does not
        // always signal that the link is up.
        report(device, isAdvertisement: false)
      }
    default: break
    }
  }

  private func report(_ device: Device, isAdvertisement: Bool = true) {
    guard device.adapterPath == adapter?.path,
      var advertisement = Advertisement(device, core.deviceIndex.identifier(of: device)), matches(advertisement),
      found.see(advertisement.identifier) || options.everyReport && isAdvertisement
    else { return }
    if !isAdvertisement { advertisement.connected = true }
    onFound(advertisement)
  }

  private func matches(_ advertisement: Advertisement) -> Bool {
    if let serial = options.serial {
      guard !advertisement.serial.isEmpty, serial.uppercased().hasSuffix(advertisement.serial.uppercased()) else {
        return false
      }
    }
    if let minimum = options.minimumRSSI {
      guard let rssi = advertisement.rssi, rssi >= minimum else { return false }
    }
    return true
  }
}
