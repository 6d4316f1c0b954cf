/// The messages between a tag and an external radio; docs/scenarios.md lists them.
public enum PeerMessage: Equatable, Sendable {
  public static let version: UInt8 = 1
  /// The maximum length of an attribute (Core Specification, volume 3, part F, 3.2.9) plus the other fields.
  static let largestSize = 512 + 16

  /// A radio's information about a link.
  public struct Security: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let encrypted = Security(rawValue: 1)
    public static let bonded = Security(rawValue: 2)
  }

  // From the radio.
  case linkUp(mtu: UInt16, Security)
  case security(Security)
  case subscribe(token: UInt16, characteristic: UInt8, Bool)
  case write(token: UInt16, characteristic: UInt8, WriteType, [UInt8])
  case linkDown(reason: UInt8)
  case mtu(UInt16)

  // From both.
  case hello(version: UInt8)

  // From the tag.
  case attribute(number: UInt8, properties: UInt8, uuid: [UInt8])
  case presence(Presence)
  case notification(characteristic: UInt8, [UInt8])
  case result(token: UInt16, error: UInt8)
  case hangUp(reason: UInt8)
  case forgetBonds

  public struct Presence: Equatable, Sendable {
    public var advertises: Bool
    public var intervalMilliseconds: UInt16
    public var rssi: Int8
    public var pairing: TagProfile.Pairing
    /// Includes the company identifier.
    public var manufacturerData: [UInt8]
    public var name: String
  }

  /// Parses a type and its fields; nil if they are invalid.
  init?(_ bytes: ArraySlice<UInt8>) {
    var reader = Reader(bytes)
    guard let type = reader.byte() else { return nil }
    switch type {
    case 0x01: self = .hello(version: reader.byte() ?? 0)
    case 0x02: self = .linkUp(mtu: reader.word() ?? 0, Security(rawValue: reader.byte() ?? 0))
    case 0x03: self = .security(Security(rawValue: reader.byte() ?? 0))
    case 0x04: self = .subscribe(token: reader.word() ?? 0, characteristic: reader.byte() ?? 0, reader.flag())
    case 0x05:
      self = .write(
        token: reader.word() ?? 0, characteristic: reader.byte() ?? 0, reader.flag() ? .request : .command,
        reader.rest(upTo: 512))
    case 0x06: self = .linkDown(reason: reader.byte() ?? 0)
    case 0x07: self = .mtu(reader.word() ?? 0)
    default: return nil
    }
    guard reader.isDone else { return nil }
  }

  /// The encoded message, including its length.
  var encoded: [UInt8] {
    let body = self.body
    return Self.word(UInt16(body.count)) + body
  }

  private var body: [UInt8] {
    switch self {
    case .hello(let version): return [0x01, version]
    case .linkUp(let mtu, let security): return [0x02] + Self.word(mtu) + [security.rawValue]
    case .security(let security): return [0x03, security.rawValue]
    case .subscribe(let token, let characteristic, let on):
      return [0x04] + Self.word(token) + [characteristic, on ? 1 : 0]
    case .write(let token, let characteristic, let type, let value):
      return [0x05] + Self.word(token) + [characteristic, type == .request ? 1 : 0] + value
    case .linkDown(let reason): return [0x06, reason]
    case .mtu(let mtu): return [0x07] + Self.word(mtu)
    case .attribute(let number, let properties, let uuid): return [0x81, number, properties] + uuid
    case .presence(let presence):
      let pairing = UInt8(TagProfile.Pairing.allCases.firstIndex(of: presence.pairing) ?? 0)
      return [0x82, presence.advertises ? 1 : 0] + Self.word(presence.intervalMilliseconds)
        + [UInt8(bitPattern: presence.rssi), pairing, UInt8(presence.manufacturerData.count)]
        + presence.manufacturerData + presence.name.utf8
    case .notification(let characteristic, let value): return [0x83, characteristic] + value
    case .result(let token, let error): return [0x84] + Self.word(token) + [error]
    case .hangUp(let reason): return [0x85, reason]
    case .forgetBonds: return [0x86]
    }
  }

  private static func word(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8)] }

  /// Reads fields from the front; a missing or invalid field makes the whole message invalid.
  private struct Reader {
    private var bytes: ArraySlice<UInt8>
    private var isSound = true
    var isDone: Bool { isSound && bytes.isEmpty }

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    mutating func byte() -> UInt8? {
      let byte = bytes.popFirst()
      if byte == nil { isSound = false }
      return byte
    }

    mutating func word() -> UInt16? {
      guard let low = byte(), let high = byte() else { return nil }
      return UInt16(high) << 8 | UInt16(low)
    }

    mutating func flag() -> Bool {
      let byte = self.byte() ?? 0
      if byte > 1 { isSound = false }
      return byte == 1
    }

    mutating func rest(upTo size: Int) -> [UInt8] {
      defer { bytes = [] }
      if bytes.count > size { isSound = false }
      return Array(bytes)
    }
  }
}
