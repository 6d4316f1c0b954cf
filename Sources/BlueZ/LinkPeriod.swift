import EventLoop

/// A link to a device, according to the property `Connected` and the reply to `Connect`.
public struct LinkPeriod {
  public let began: LoopInstant
  /// Nil while the link is up.
  public internal(set) var ended: LoopInstant?
}
