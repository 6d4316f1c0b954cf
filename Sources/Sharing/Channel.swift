import EventLoop

/// Why a channel ended.
public enum ChannelEnd: Equatable, Sendable {
  /// The other side closed it, or its process ended.
  case closed
  /// Another program has become the host. Only for guests.
  case superseded
  /// The other side sent a message that is malformed, too long, or not for this side.
  case malformed
  /// The other side did not read what had to be kept for it.
  case tooSlow
  /// A system call failed.
  case system(code: Int32)
}

/// A connection between a host and a guest: a SOCK_SEQPACKET socket, whose records are the messages. The kernel keeps them
/// apart and bounds the bytes that wait, so messages need no prefix with their length.
public final class Channel {
  /// The most bytes that are kept for the other side beyond the socket's buffer.
  public static let mostKept = 256 << 10

  /// The process on the other side; 0 if the kernel does not report it, as for another PID namespace.
  public let peer: Int32
  /// The epoch of the host.
  public let epoch: UInt64
  public var isOpen: Bool { false }
  /// The number of events that were dropped because the other side did not read fast enough.
  public var droppedEvents: UInt64 { 0 }

  init() {
    peer = 0
    epoch = 0
  }

  /// Begins to receive. Messages that arrived earlier have been kept.
  ///
  /// - Parameter onEnd: called once, after the last message, unless `close` is called first.
  public func start(onMessage: @escaping (Message) -> Void, onEnd: @escaping (ChannelEnd) -> Void) {}

  /// Sends the message, or keeps it, or drops and counts an event that does not fit. Returns false if it was dropped, is
  /// longer than `Message.longest`, or the channel has ended.
  @discardableResult
  public func send(_ message: Message) -> Bool { false }

  /// Receives what has already arrived, before the next dispatch: a process that was stopped itself must not take its
  /// host for one that hangs.
  public func receivePending() {}

  public func close() {}
}
