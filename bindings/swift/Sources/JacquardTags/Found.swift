import CJacquard

/// The adapter in use, or why there is none.
public struct Adapter: Sendable, Hashable {
  /// Whether it can be used.
  public let state: AdapterState
  /// "00:11:22:33:44:55"; "" if there is none.
  public let address: String
  /// The adapter's alias; "" if there is none.
  public let name: String
  /// Why it cannot be used; nil when powered on or unknown.
  public let error: JacquardError?

  init(_ adapter: jacquard_adapter) {
    state = AdapterState(rawValue: adapter.state)
    address = text(adapter.address)
    name = text(adapter.name)
    error = JacquardError(adapter.error)
  }
}

/// One log message.
public struct LogMessage: Sendable, Hashable {
  /// The importance of the message.
  public let level: LogLevel
  /// The source: "bus", "bluez", "scan", "link", "wire", "state".
  public let part: String
  /// One line, without a newline.
  public let message: String

  init(_ log: jacquard_log) {
    level = LogLevel(rawValue: log.level)
    part = text(log.part)
    message = text(log.message)
  }
}

/// Options of `Manager.scan()`.
public struct ScanOptions: Sendable, Hashable {
  /// The scan ends after this time; nil: never.
  public var timeout: Duration?
  /// The serial number that a tag advertises, or a longer one that ends with it, case-insensitive; nil: any.
  public var serial: String?
  /// In dBm, -127 to 20: tags that are weaker or of unknown strength are ignored; nil: any.
  public var minimumRSSI: Int?
  /// Whether every report of a tag is delivered; otherwise each tag once.
  public var reportsEverything = false
  /// Whether the scan waits for an adapter that is off or missing; otherwise it ends.
  public var waitsForAdapter = false

  /// The defaults.
  public init() {}
}

/// A tag that was seen.
public struct Advertisement: Sendable, Hashable {
  /// A UUID, the same on every adapter and machine: pass it to `Manager.connect()`, or store it.
  public let identifier: String
  /// The end of the number that is printed on the tag, "01ZK"; "" if it is not advertised.
  public let serial: String
  /// Advertised name, "Jacquard-01ZK"; "" if there is none.
  public let name: String
  /// Bluetooth address.
  public let address: String
  /// Signal strength in dBm; nil if unknown.
  public let rssi: Int?
  /// Whether this machine has a bond with it.
  public let isBonded: Bool
  /// Whether it is already connected to this machine, possibly by another program.
  public let isConnected: Bool

  init(_ found: jacquard_advertisement) {
    identifier = text(found.identifier)
    serial = text(found.serial)
    name = text(found.name)
    address = text(found.address)
    rssi = known(rssi: found.rssi)
    isBonded = found.bonded != 0
    isConnected = found.connected != 0
  }
}

func known(rssi: Int32) -> Int? {
  rssi == JACQUARD_RSSI_UNKNOWN ? nil : Int(rssi)
}
