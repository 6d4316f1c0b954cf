/// A packet of the raw data channel: a sequence number, then either data or the mark of an acknowledgement.
///
/// The two look alike when the data is the single byte 0x41, and only the direction tells: a host that is not sending
/// anything takes every packet as data.
public struct RawDataPacket {
  public static let acknowledgementMark: UInt8 = 0x41

  public let sequence: UInt8
  public let payload: UnsafeRawBufferPointer

  /// Nil without a byte of payload.
  public init?(_ packet: UnsafeRawBufferPointer) {
    guard packet.count > 1 else { return nil }
    sequence = packet[0]
    payload = UnsafeRawBufferPointer(rebasing: packet.dropFirst())
  }

  public var looksLikeAcknowledgement: Bool {
    payload.count == 1 && payload[0] == Self.acknowledgementMark
  }

  /// The packet that answers this one; a repeated packet is answered again.
  public var acknowledgement: [UInt8] { [sequence, Self.acknowledgementMark] }
}
