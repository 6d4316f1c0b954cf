/// The status of a response. Unknown numbers are kept: newer firmware may send others.
public struct TagStatus: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let ok = TagStatus(.ok)
  public static let unsupported = TagStatus(.errorUnsupported)
  public static let badParameter = TagStatus(.errorBadparam)
  public static let battery = TagStatus(.errorBattery)
  public static let hardware = TagStatus(.errorHardware)
  public static let authentication = TagStatus(.errorAuth)
  public static let deviceType = TagStatus(.errorDeviceTypeInfo)
  public static let invalidState = TagStatus(.errorInvalidState)
  public static let flashAccess = TagStatus(.errorFlashAccess)
  public static let checksum = TagStatus(.errorChecksum)
  public static let busy = TagStatus(.errorBusy)
  /// Present in the vendor's API, but not in the schema.
  public static let lowMemory = TagStatus(rawValue: 15)
  /// 253 and 254 are used by the vendor's libraries on the host; a tag should not send them.
  public static let hostTimeout = TagStatus(.errorAppTimeout)
  public static let hostUnknown = TagStatus(.errorAppUnknown)
  public static let unknown = TagStatus(.errorUnknown)

  public var isOK: Bool { self == .ok }

  /// Nil for a number without a known name.
  public var name: String? { Self.texts[self]?.name }
  public var meaning: String? { Self.texts[self]?.meaning }

  private init(_ status: WireStatus) { self.init(rawValue: UInt32(truncatingIfNeeded: status.rawValue)) }

  private static let texts: [TagStatus: (name: String, meaning: String)] = [
    ok: ("ok", "the request succeeded"),
    unsupported: ("unsupported", "the firmware does not know this request"),
    badParameter: ("bad parameter", "a value in the request is missing or out of range"),
    battery: ("battery low", "the battery is too low for this request"),
    hardware: ("hardware failure", "a part of the hardware failed"),
    authentication: ("not authenticated", "the link is not authenticated"),
    deviceType: ("wrong device type", "the request does not suit this kind of device"),
    invalidState: ("invalid state", "the request is not possible in the present state"),
    flashAccess: ("flash access failed", "reading, writing or erasing the flash memory failed"),
    checksum: ("checksum mismatch", "the checksum does not match the data"),
    busy: ("busy", "the tag is busy, for instance updating the gear's firmware"),
    lowMemory: ("low memory", "less than a fifth of the flash memory is free"),
    hostTimeout: ("timeout", "a host library gave up waiting"),
    hostUnknown: ("host failure", "a host library failed without saying why"),
    unknown: ("unknown failure", "the tag failed without saying why"),
  ]
}

extension TagStatus: CustomStringConvertible {
  public var description: String { name ?? "status \(rawValue)" }
}
