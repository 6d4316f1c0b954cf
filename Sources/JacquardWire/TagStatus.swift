/// The status of a response. Unknown numbers are kept: newer firmware may send others.
public struct TagStatus: RawRepresentable, Hashable, Sendable {
  /// The number that the tag sent; it may be unknown to this version.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let ok = TagStatus(.ok)
  /// The firmware does not know this request.
  public static let unsupported = TagStatus(.errorUnsupported)
  /// A value in the request is missing or out of range.
  public static let badParameter = TagStatus(.errorBadparam)
  /// The battery is too low for this request.
  public static let battery = TagStatus(.errorBattery)
  /// A part of the hardware failed.
  public static let hardware = TagStatus(.errorHardware)
  /// The link is not authenticated.
  public static let authentication = TagStatus(.errorAuth)
  /// The request does not suit this kind of device.
  public static let deviceType = TagStatus(.errorDeviceTypeInfo)
  /// The request is not possible in the present state.
  public static let invalidState = TagStatus(.errorInvalidState)
  /// Reading, writing or erasing the flash memory failed.
  public static let flashAccess = TagStatus(.errorFlashAccess)
  /// The checksum does not match the data.
  public static let checksum = TagStatus(.errorChecksum)
  /// The tag is busy, for example updating the gear's firmware.
  public static let busy = TagStatus(.errorBusy)
  /// Present in the vendor's API, but not in the schema.
  public static let lowMemory = TagStatus(rawValue: 15)
  /// 253 and 254 are used by the vendor's libraries on the host; a tag should not send them.
  public static let hostTimeout = TagStatus(.errorAppTimeout)
  /// Not sent by tags: a host library failed.
  public static let hostUnknown = TagStatus(.errorAppUnknown)
  /// The tag failed without a reason.
  public static let unknown = TagStatus(.errorUnknown)

  public var isOK: Bool { self == .ok }

  /// Nil for a number without a known name.
  public var name: String? { Self.texts[self]?.name }
  /// A clause for messages to the user, such as "the link is not authenticated"; nil for an unknown number.
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
  /// The name, or the number if it has no known name.
  public var description: String { name ?? "status \(rawValue)" }
}
