/// A packet whose bytes are no message of the protocol.
public enum PacketFault: Error, Hashable {
  case malformed
  /// It decodes, but a field that gives it its meaning is absent.
  case missing(field: String)
}
