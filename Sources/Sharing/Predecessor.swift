import EventLoop

/// The previous host of a tag.
public final class Predecessor {
  /// 0 if its record is unreadable.
  public let epoch: UInt64
  /// 0 if it is not known.
  public let process: Int32
  /// The last request ID that it announced; 0 for none.
  public let lastID: UInt32
  /// Whether it may have ended while a packet was being written. Also true if its record is unreadable.
  public let wasWriting: Bool
  /// Whether it, or an earlier host, still runs although it hangs. It ends its notification sessions before this becomes
  /// false.
  public var isRunning: Bool { false }

  init() {
    epoch = 0
    process = 0
    lastID = 0
    wasWriting = false
  }

  /// Calls `handler` once when `isRunning` becomes false; from a later dispatch if it is already.
  public func onEnd(_ handler: @escaping () -> Void) {}
}
