/// A packet longer than a tag accepts; nothing is sent.
public struct PacketTooLong: Error, Hashable, CustomStringConvertible, Sendable {
  public let count: Int

  public init(count: Int) { self.count = count }

  public var description: String {
    "a packet of \(count) bytes exceeds the protocol's limit of \(FragmentFormat.longestPacket)"
  }
}
