import DBus
import EventLoop

/// `org.bluez.Device1` as last signalled.
public final class Device: BlueZObject {
  /// The object path of the adapter that has seen the device.
  public private(set) var adapterPath = ""
  public private(set) var address = BluetoothAddress.unknown
  /// The name that BlueZ has received from the device; empty if it has received none.
  public private(set) var name = ""
  /// Only advertisements set it; BlueZ removes it when discovery stops.
  public private(set) var rssi: Int16?
  /// The last value, even after BlueZ has removed it.
  public private(set) var lastRSSI: Int16?
  /// The UUIDs of the services that the device advertises or has, in lower case.
  public private(set) var serviceUUIDs: [String] = []
  /// The advertised manufacturer data, by company ID.
  public private(set) var manufacturerData = ManufacturerData()
  /// Whether BlueZ has paired with the device; the bond may not be stored: see `isBonded`.
  public private(set) var paired = false
  /// Whether BlueZ keeps the device after a failed connection: see `trust()`.
  public private(set) var trusted = false
  /// Whether keys of the device are stored; nil before BlueZ 5.65, which did not distinguish pairing from bonding.
  public private(set) var bonded: Bool?
  /// Whether there is a link, which any program may have requested.
  public private(set) var connected = false
  /// Whether BlueZ has read the list of GATT services on the current link.
  public private(set) var servicesResolved = false
  /// "le", "bredr", "last-used" or "last-seen"; nil before BlueZ 5.80, and without experimental features.
  public private(set) var preferredBearer: String?
  /// The reason in the last `Disconnected`, which arrives immediately before the property changes; nil after a link is
  /// requested or up again, and always before BlueZ 5.83.
  public private(set) var disconnection: String?

  /// Whether there has been a link since `Connect` was called, or since the device became known, and there is none now,
  /// according to the property `Connected`.
  public private(set) var linkHasEnded = false
  /// The tag has refused to encrypt the latest link with the bond, as far as the reply to `Connect` shows it: see
  /// `linkContradicts`.
  public private(set) var refusedEncryption = false
  /// `Connect` has been called, and has neither completed nor been cancelled.
  public private(set) var isConnecting = false

  /// Whether this machine has stored keys of the device. Equals `paired` before BlueZ 5.65.
  public var isBonded: Bool { bonded ?? paired }

  /// How often it is followed.
  var followers = 0

  /// Sends changes of the device, its services and their characteristics. Most devices have no observers.
  public var changes: Observers<ObjectCache.Change> {
    let changes = observers ?? Observers()
    observers = changes
    return changes
  }
  private var observers: Observers<ObjectCache.Change>?

  func announce(_ change: ObjectCache.Change) { observers?.send(change) }

  override func apply(_ property: String, _ value: Value) {
    switch property {
    case "RSSI":
      guard let value: Int16 = value.asInteger() else { return }
      (rssi, lastRSSI) = (value, value)
      cache?.noteAdvertisement()
    case "ManufacturerData": manufacturerData = ManufacturerData(value)
    case "UUIDs":
      guard let value = value.asStrings?.map({ $0.lowercased() }) else { return }
      serviceUUIDs = cache?.shared(value) ?? value
    case "Name": name = value.asString ?? name
    case "Adapter": adapterPath = value.asObjectPath ?? adapterPath
    case "Address": address = value.asString.map { BluetoothAddress($0) ?? .unknown } ?? address
    case "Paired": paired = value.asBool ?? paired
    case "Trusted": trusted = value.asBool ?? trusted
    case "Bonded": bonded = value.asBool ?? bonded
    case "PreferredBearer": preferredBearer = value.asString ?? preferredBearer
    case "ServicesResolved": servicesResolved = value.asBool ?? servicesResolved
    case "Connected": if let value = value.asBool { connectedChanged(to: value) }
    default: break
    }
  }

  /// bluetoothd sends properties with their values at the end of its loop iteration: for a link that came up and ended
  /// in one iteration, only the end is signalled.
  private func connectedChanged(to isUp: Bool) {
    if isUp { (disconnection, refusedEncryption) = (nil, false) } else { isConnecting = false }
    linkHasEnded = !isUp
    connected = isUp
  }

  override func invalidate(_ property: String) {
    switch property {
    case "RSSI": rssi = nil
    case "Name": name = ""
    case "ManufacturerData": manufacturerData = ManufacturerData()
    case "UUIDs": serviceUUIDs = []
    default: break
    }
  }

  override func invalidate(missingIn properties: PropertyMap) {
    for name in ["RSSI", "Name", "ManufacturerData", "UUIDs"] where properties[name] == nil { invalidate(name) }
  }

  func disconnected(because reason: String) {
    disconnection = reason
    note([:])
  }

  /// The link is up when this returns, even if BlueZ does not signal `Connected` to the caller of `Connect` (seen on
  /// 5.66).
  public func connect(deadline: Duration) async throws(BlueZError) {
    (disconnection, refusedEncryption) = (nil, false)
    linkHasEnded = false
    isConnecting = true
    let began = cache?.loop.now
    do throws(BlueZError) {
      try await call(.device, "Connect", deadline: deadline) { [self] in
        isConnecting = false
        if !connected { note(["Connected": .boolean(true)]) }
      }
    } catch {
      if error.isAnswer, !error.saysInProgress { isConnecting = false }
      if error.saysAborted, let began, let cache, began.duration(to: cache.loop.now) < BlueZDeadlines.connect {
        refusedEncryption = await linkContradicts(isUp: false)
      }
      throw error
    }
    refusedEncryption = await linkContradicts(isUp: true)
  }

  /// Whether the state of the link contradicts the reply to `Connect` that has just arrived, for a bonded device.
  ///
  /// bluetoothd replies when its ATT channel is usable, which requires encryption with the bond. If the tag refuses,
  /// the kernel ends the link. bluetoothd 5.55 to 5.87 mistakes a channel that this machine has ended for a success
  /// (`att_connect_cb`): the link is already down. If the end takes more than 100 ms, the kernel gives up the channel
  /// before (`L2CAP_DISC_TIMEOUT`), and the reply is an error while the link is still up. A link that could not be
  /// established, or was lost, is down at an error and up at a success.
  ///
  /// bluetoothd sends the signals that are due before any reply, so the reply to this call shows the link as it was
  /// when the first reply was sent, unless it has changed since.
  private func linkContradicts(isUp reported: Bool) async -> Bool {
    guard isBonded, !isGone, let cache else { return false }
    let reply = try? await cache.call(
      path, .properties, "GetAll", [.string(Interface.device.rawValue)], deadline: BlueZDeadlines.setting)
    let isUp = reply?.first?.asProperties?["Connected"]?.asBool
    return isUp.map { $0 != reported } ?? false
  }

  /// Drops the link and cancels a pending `Connect`.
  public func disconnect() async throws(BlueZError) {
    try await call(.device, "Disconnect", deadline: BlueZDeadlines.disconnect) { [self] in isConnecting = false }
  }

  /// Used by `PairingAgent`. BlueZ replies when the bond has been created, before or after the services are resolved.
  func pair(deadline: Duration) async throws(BlueZError) { try await call(.device, "Pair", deadline: deadline) }

  func cancelPairingWithoutWaiting() {
    if !isGone { cache?.send(path, .device, "CancelPairing") }
  }

  /// Prevents BlueZ from removing the device after a failed connection.
  public func trust() async throws(BlueZError) {
    guard !trusted else { return }
    try await call(
      .properties, "Set", [.string(Interface.device.rawValue), "Trusted", .variant(true)],
      deadline: BlueZDeadlines.setting)
  }

  /// Makes BlueZ use LE for a device that it treats as BR/EDR; needs the property `PreferredBearer`.
  public func preferLowEnergy() async throws(BlueZError) {
    let arguments: [Value] = [.string(Interface.device.rawValue), .string("PreferredBearer"), .variant(.string("le"))]
    try await call(.properties, "Set", arguments, deadline: BlueZDeadlines.setting)
  }

  /// Requests the end of the link when the program ends: BlueZ would keep the link.
  public func disconnectWithoutWaiting() { cache?.send(path, .device, "Disconnect") }
}
