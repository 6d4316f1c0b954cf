/// A packet of the raw data channel: a sequence number, followed by data or by the mark of an acknowledgement.
///
/// Data that consists of the single byte 0x41 looks like an acknowledgement. A host that has not sent a packet treats
/// every packet as data.
public struct RawDataPacket {
  /// The only byte after the sequence number of an acknowledgement.
  public static let acknowledgementMark: UInt8 = 0x41

  /// The number that the acknowledgement repeats.
  public let sequence: UInt8
  /// The bytes after the number, never empty; borrowed from the packet, and valid as long as its memory.
  public let payload: UnsafeRawBufferPointer

  /// Reads a packet in place; nil if it has no payload.
  public init?(_ packet: UnsafeRawBufferPointer) {
    guard packet.count > 1 else { return nil }
    sequence = packet[0]
    payload = UnsafeRawBufferPointer(rebasing: packet.dropFirst())
  }

  /// Whether the payload is the mark alone, which may also be data.
  public var looksLikeAcknowledgement: Bool {
    payload.count == 1 && payload[0] == Self.acknowledgementMark
  }

  /// The acknowledgement of this packet; a repeated packet is acknowledged again.
  public var acknowledgement: [UInt8] { [sequence, Self.acknowledgementMark] }
}
