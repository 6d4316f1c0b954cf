/// The four characteristics of the Jacquard service, with their properties.
public enum TagCharacteristic: String, CaseIterable, Sendable {
  case command = "d2f2eabb-d165-445c-b0e1-2d6b642ec57b"
  case response = "d2f2b8d0-d165-445c-b0e1-2d6b642ec57b"
  case notification = "d2f2b8d1-d165-445c-b0e1-2d6b642ec57b"
  case rawData = "d2f2b8d2-d165-445c-b0e1-2d6b642ec57b"

  public static let serviceUUID = "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"

  public var uuid: String { rawValue }

  public var notifies: Bool { self != .command }

  /// The three that a host subscribes to before it writes anything.
  public static let notifying: [TagCharacteristic] = [.response, .notification, .rawData]
}

/// How a host writes a value: acknowledged by the attribute protocol or not.
public enum WriteType: String, Sendable {
  case request
  case command
}

/// Errors of the attribute protocol that the tag returns for writes.
public enum AttributeError: UInt8, Error, Sendable {
  case writeNotPermitted = 0x03
  case requestNotSupported = 0x06
  case invalidAttributeValueLength = 0x0d
  case insufficientAuthentication = 0x05
  case unlikelyError = 0x0e
}
