import DBus

/// `org.bluez.Device1` as last signalled.
public final class Device: BlueZObject {
  public private(set) var adapterPath = ""
  public private(set) var address = ""
  public private(set) var name = ""
  public private(set) var alias = ""
  /// Only advertisements set it; BlueZ withdraws it when discovery stops.
  public private(set) var rssi: Int16?
  /// The last one, also when it has been withdrawn.
  public private(set) var lastRSSI: Int16?
  public private(set) var serviceUUIDs: [String] = []
  public private(set) var manufacturerData: [UInt16: [UInt8]] = [:]
  public private(set) var paired = false
  public private(set) var trusted = false
  /// Nil before BlueZ 5.65, which did not tell pairing from bonding.
  public private(set) var bonded: Bool?
  public private(set) var connected = false
  public private(set) var servicesResolved = false
  /// "le", "bredr", "last-used" or "last-seen"; nil before BlueZ 5.80, and where its experiments are off.
  public private(set) var preferredBearer: String?
  /// The reason in the last `Disconnected`, which comes right before the property changes; nil once a link is asked for or
  /// up again, and always before BlueZ 5.83.
  public private(set) var disconnection: String?

  /// The latest link since `Connect` was called, or since the device is known.
  public private(set) var link: LinkPeriod?
  /// `Connect` has been called, and neither answered nor cancelled.
  public private(set) var isConnecting = false

  public var isBonded: Bool { bonded ?? paired }

  override func apply(_ changes: PropertyMap) {
    if let value = changes["Adapter"]?.asObjectPath { adapterPath = value }
    if let value = changes["Address"]?.asString { address = value }
    if let value = changes["Name"]?.asString { name = value }
    if let value = changes["Alias"]?.asString { alias = value }
    if let value: Int16 = changes["RSSI"]?.asInteger() { (rssi, lastRSSI) = (value, value) }
    if let value = changes["UUIDs"]?.asStrings { serviceUUIDs = value.map { $0.lowercased() } }
    if let value = changes["ManufacturerData"] { manufacturerData = Self.manufacturerData(from: value) }
    if let value = changes["Paired"]?.asBool { paired = value }
    if let value = changes["Trusted"]?.asBool { trusted = value }
    if let value = changes["Bonded"]?.asBool { bonded = value }
    if let value = changes["PreferredBearer"]?.asString { preferredBearer = value }
    if let value = changes["Connected"]?.asBool {
      if value { disconnection = nil } else { isConnecting = false }
      linkChanged(isUp: value)
      connected = value
    }
    if let value = changes["ServicesResolved"]?.asBool { servicesResolved = value }
  }

  override func invalidate(_ property: String) {
    switch property {
    case "RSSI": rssi = nil
    case "Name": name = ""
    case "ManufacturerData": manufacturerData = [:]
    case "UUIDs": serviceUUIDs = []
    default: break
    }
  }

  /// bluetoothd sends properties as they are at the end of its turn: of a link that came and went in one turn only the end is
  /// signalled.
  private func linkChanged(isUp: Bool) {
    guard let now = mirror?.loop.now else { return }
    if isUp {
      if !connected || link == nil { link = LinkPeriod(began: now) }
    } else if link?.ended == nil {
      link = LinkPeriod(began: link?.began ?? now, ended: now)
    }
  }

  func disconnected(because reason: String) {
    disconnection = reason
    note([:])
  }

  private static func manufacturerData(from value: Value) -> [UInt16: [UInt8]] {
    var data: [UInt16: [UInt8]] = [:]
    for entry in value.asEntries ?? [] {
      if let company: UInt16 = entry.key.asInteger(), let bytes = entry.value.asBytes { data[company] = bytes }
    }
    return data
  }

  /// The link is up when this returns, also where BlueZ does not signal `Connected` to the one who called `Connect`
  /// (seen on 5.66).
  public func connect(deadline: Duration) async throws {
    disconnection = nil
    link = nil
    isConnecting = true
    do {
      try await call(Name.device, "Connect", deadline: deadline) { [self] in
        isConnecting = false
        if !connected { note(["Connected": .boolean(true)]) }
      }
    } catch let error as BlueZError where error.isAnswer && !error.saysInProgress {
      isConnecting = false
      throw error
    }
  }

  /// Drops the link and cancels a `Connect` that is under way.
  public func disconnect() async throws {
    try await call(Name.device, "Disconnect", deadline: .seconds(10)) { [self] in isConnecting = false }
  }

  /// Through `PairingAgent`. BlueZ's reply comes when the bond is made, and before or after the services are resolved.
  func pair(deadline: Duration) async throws { try await call(Name.device, "Pair", deadline: deadline) }

  func cancelPairingWithoutWaiting() {
    if !isGone { mirror?.send(path, Name.device, "CancelPairing") }
  }

  /// Keeps BlueZ from forgetting the device after a connection that failed.
  public func trust() async throws {
    guard !trusted else { return }
    try await call(
      Name.properties, "Set", [.string(Name.device), "Trusted", .variant(true)], deadline: .seconds(5))
  }

  /// For a device that BlueZ takes for a classic one.
  public func preferLowEnergy() async throws {
    let arguments: [Value] = [.string(Name.device), .string("PreferredBearer"), .variant(.string("le"))]
    try await call(Name.properties, "Set", arguments, deadline: .seconds(5))
  }

  /// For the end of a program, which BlueZ would otherwise leave the link to.
  public func disconnectWithoutWaiting() { mirror?.send(path, Name.device, "Disconnect") }
}
