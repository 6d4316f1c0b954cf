/// A packet of the raw data channel: a sequence number, followed by data or by the mark of an acknowledgement.
///
/// Data that consists of the single byte 0x41 looks like an acknowledgement. A host that has not sent a packet treats
/// every packet as data.
public struct RawDataPacket {
  public static let acknowledgementMark: UInt8 = 0x41

  public let sequence: UInt8
  public let payload: UnsafeRawBufferPointer

  /// Nil without payload.
  public init?(_ packet: UnsafeRawBufferPointer) {
    guard packet.count > 1 else { return nil }
    sequence = packet[0]
    payload = UnsafeRawBufferPointer(rebasing: packet.dropFirst())
  }

  public var looksLikeAcknowledgement: Bool {
    payload.count == 1 && payload[0] == Self.acknowledgementMark
  }

  /// The acknowledgement of this packet; a repeated packet is acknowledged again.
  public var acknowledgement: [UInt8] { [sequence, Self.acknowledgementMark] }
}
