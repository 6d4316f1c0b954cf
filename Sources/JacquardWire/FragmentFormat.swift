/// The division of a packet into GATT values, in protocol version 2.
///
/// The first fragment consists of a header, the packet's length as a varint, and data; later fragments consist of a
/// header and data. The length does not include headers.
public enum FragmentFormat: Sendable {
  public static let longestPacket = 1024

  /// The tag's own limit: it assumes an ATT MTU of 64, whatever was negotiated.
  public static let longestValue = 61

  /// The size of a value with the smallest ATT MTU, 23.
  public static let shortestCapacity = 20

  static let attHeader = 3
  static let firstFlag: UInt8 = 0x80
  static let lastFlag: UInt8 = 0x40
  static let counterMask: UInt8 = 0x3f

  /// Sources disagree on whether tags count with four bits or six; comparing four accepts both.
  static let comparedCounterMask: UInt8 = 0x0f

  /// Whether a value is a packet of one fragment; any other value differs from the previous one.
  public static func isWholePacket(_ value: UnsafeRawBufferPointer) -> Bool {
    value.first.map { $0 & (firstFlag | lastFlag) == firstFlag | lastFlag } ?? true
  }
}
