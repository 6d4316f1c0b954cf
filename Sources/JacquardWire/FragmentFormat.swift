/// How a packet is cut into GATT values, protocol version 2.
///
/// A first fragment is a header, the packet's length as a varint, and data; a later one is a header and data. The
/// length counts the packet alone.
public enum FragmentFormat {
  public static let longestPacket = 1024

  /// The tag's own limit: it assumes an ATT MTU of 64, whatever was negotiated.
  public static let longestValue = 61

  /// What the smallest ATT MTU, 23, leaves for a value.
  public static let shortestCapacity = 20

  static let attHeader = 3
  static let firstFlag: UInt8 = 0x80
  static let lastFlag: UInt8 = 0x40
  static let counterMask: UInt8 = 0x3f

  /// Tags are said to count with four bits or with six; comparing four accepts both.
  static let comparedCounterMask: UInt8 = 0x0f

  /// Whether a value is a packet of one fragment; others differ from the value before them.
  public static func isWholePacket(_ value: UnsafeRawBufferPointer) -> Bool {
    value.first.map { $0 & (firstFlag | lastFlag) == firstFlag | lastFlag } ?? true
  }
}
