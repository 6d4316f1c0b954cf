/// The reason why a packet is not a message of the protocol.
public enum PacketError: Error, Hashable, Sendable {
  case malformed
  /// It can be decoded, but a necessary field is absent.
  case missing(field: String)
}
