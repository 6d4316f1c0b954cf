import EventLoop

/// What a connection has received and dropped; readable from any thread.
public final class Statistics: Sendable {
  public struct Counts: Sendable {
    public var links: UInt32 = 0
    public var notifications: UInt64 = 0
    public var responses: UInt64 = 0
    public var rawPackets: UInt64 = 0
    public var droppedFragments: UInt64 = 0
    public var droppedNotifications: UInt64 = 0
    public var droppedResponses: UInt64 = 0
    /// The last strength heard; nil for none.
    public var rssi: Int16?
  }

  private let state = Locked(Counts())

  public init() {}

  public var counts: Counts { state.withLock { $0 } }

  func count(_ field: WritableKeyPath<Counts, UInt64>) { state.withLock { $0[keyPath: field] &+= 1 } }
  func countLink() { state.withLock { $0.links &+= 1 } }
  func heard(_ rssi: Int16) { state.withLock { $0.rssi = rssi } }
}
