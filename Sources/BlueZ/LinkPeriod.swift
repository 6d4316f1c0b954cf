import EventLoop

/// A link to a device, as the property `Connected` and the reply to `Connect` show it.
public struct LinkPeriod {
  public let began: LoopInstant
  /// Nil: it is up.
  public internal(set) var ended: LoopInstant?

  /// Nil: it is up.
  public var length: Duration? { ended.map { began.duration(to: $0) } }
}
