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
