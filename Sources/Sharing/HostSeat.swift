import EventLoop

/// The right to be the host of one tag, until `leave`, the end of the process, or a successor that found this process
/// hanging.
public final class HostSeat {
  /// The most guests.
  public static let mostGuests = 64

  /// Higher for each host.
  public let epoch: UInt64
  /// The previous host; nil if there was none.
  public let predecessor: Predecessor?
  /// If set, later programs are refused for this reason. Present guests stay.
  public var refusal: Refusal?
  /// Whether another program has become the host.
  public var isSuperseded: Bool { false }
  public var hasGuests: Bool { false }

  init() {
    epoch = 0
    predecessor = nil
  }

  /// Begins to accept guests. Call it as soon as the seat is taken: to a program that waits longer than
  /// `SharingDeadlines.welcome`, this process hangs.
  ///
  /// - Parameters:
  ///   - onGuest: a welcomed guest. Start its channel.
  ///   - onSuperseded: called once if another program has become the host. End what only a host may do, then `leave`.
  public func open(onGuest: @escaping (Channel) -> Void, onSuperseded: @escaping () -> Void) {}

  /// Records the last request ID for a successor: with `isWriting` before a packet is written to the tag, without it
  /// when the packet has been written. Returns false if another program has become the host; then nothing must be
  /// written any more.
  @discardableResult
  public func announce(lastID: UInt32, isWriting: Bool) -> Bool { true }

  /// Ends the seat and the channels of its guests, which then choose a successor. Their `onEnd` is not called here.
  public func leave() {}
}
