import EventLoop

/// A link to a device, according to the property `Connected` and the reply to `Connect`.
public struct LinkPeriod {
  /// When the link was first seen to be up; its end, if only that was signalled.
  public let began: LoopInstant
  /// When the link was seen to be down; nil while it is up.
  public internal(set) var ended: LoopInstant?
}
