/// The division of a packet into GATT values, in protocol version 2.
///
/// The first fragment consists of a header, the packet's length as a varint, and data; later fragments consist of a
/// header and data. The length does not include headers.
public enum FragmentFormat: Sendable {
  /// The maximum size of a packet in bytes, without the headers of its fragments.
  public static let longestPacket = 1024

  /// The tag's own limit: it assumes an ATT MTU of 64, whatever was negotiated.
  public static let longestValue = 61

  /// The size of a value with the smallest ATT MTU, 23.
  static let shortestCapacity = 20

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

/// A packet longer than a tag accepts; nothing is sent.
public struct PacketTooLong: Error, Hashable, CustomStringConvertible, Sendable {
  /// The size of the packet in bytes.
  public let count: Int

  public init(count: Int) { self.count = count }

  public var description: String {
    "a packet of \(count) bytes exceeds the protocol's limit of \(FragmentFormat.longestPacket)"
  }
}

/// The reason for dropping a value, and possibly the packet that it belonged to.
public enum FragmentError: String, Error, CaseIterable, Sendable {
  /// An empty value; an incomplete packet is kept.
  case emptyValue = "empty value"
  /// A new packet began before the last fragment of the previous one, which is lost.
  case interrupted = "packet interrupted by the next"
  case firstCounterNotZero = "first fragment not numbered 0"
  case counterMismatch = "fragment out of order"
  case orphan = "fragment of a packet that never began"
  /// The length is truncated, or has more than two bytes.
  case malformedLength = "malformed packet length"
  case emptyPacket = "packet of length 0"
  case packetTooLong = "packet length over the limit"
  case tooMuchData = "more data than the packet length says"
  case tooLittleData = "less data than the packet length says"
}
