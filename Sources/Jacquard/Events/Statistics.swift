import EventLoop

/// Counts of data that a connection has received and dropped. May be read from any thread.
public final class Statistics: Sendable {
  /// The values of all counters at one moment.
  public struct Counts: Sendable {
    /// Links that reached `connected`.
    public var links: UInt32 = 0
    /// Notification packets that could be decoded.
    public var notifications: UInt64 = 0
    /// Response packets that matched a request.
    public var responses: UInt64 = 0
    /// Packets of the raw data channel.
    public var rawPackets: UInt64 = 0
    /// Values that were out of order, truncated, oversized or malformed.
    public var droppedFragments: UInt64 = 0
    /// Packets that could not be decoded or exceeded a queue.
    public var droppedNotifications: UInt64 = 0
    /// Packets that could not be decoded, or were late, duplicated or unsolicited.
    public var droppedResponses: UInt64 = 0
    /// Signals that repeated a value for another program.
    public var droppedCopies: UInt64 = 0
    /// Values for which it is uncertain whether they are copies.
    public var doubtfulValues: UInt64 = 0
    /// How many times bluetoothd did not respond while the link stayed up.
    public var interruptions: UInt64 = 0
    /// The last received signal strength; nil for none.
    public var rssi: Int16?
  }

  private let state = Locked(Counts())

  public init() {}

  /// Copies all counters. Call from any thread.
  public var counts: Counts { state.withLock { $0 } }

  // Separate functions, because key paths would take ten times as long for each notification.
  func countLink() { state.withLock { $0.links &+= 1 } }
  func countNotification() { state.withLock { $0.notifications &+= 1 } }
  func countResponse() { state.withLock { $0.responses &+= 1 } }
  func countRawPacket() { state.withLock { $0.rawPackets &+= 1 } }
  func countDroppedFragment() { state.withLock { $0.droppedFragments &+= 1 } }
  func countDroppedNotification() { state.withLock { $0.droppedNotifications &+= 1 } }
  func countDroppedNotifications(_ count: UInt64) { state.withLock { $0.droppedNotifications &+= count } }
  func countDroppedResponse() { state.withLock { $0.droppedResponses &+= 1 } }
  func countShared(dropped: UInt64, doubtful: UInt64) {
    state.withLock {
      $0.droppedCopies &+= dropped
      $0.doubtfulValues &+= doubtful
    }
  }
  func countInterruption() { state.withLock { $0.interruptions &+= 1 } }
  func heard(_ rssi: Int16) { state.withLock { $0.rssi = rssi } }
}
