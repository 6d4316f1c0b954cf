import EventLoop

/// A packet of the tag, with its arrival time, and whether it may be a copy.
public struct ReceivedPacket {
  /// Valid until the handler returns.
  public let bytes: UnsafeRawBufferPointer
  /// bluetoothd may have signalled the previous one again for another program's subscription (`CopyFilter`).
  public let mayBeCopy: Bool
  /// When this process or the service received it: `EventLoop.bootTime`.
  public let arrival: Int64

  /// A packet that this process receives now.
  init(arriving bytes: UnsafeRawBufferPointer, mayBeCopy: Bool = false, on loop: EventLoop) {
    self.init(bytes, mayBeCopy: mayBeCopy, arrival: loop.bootTime)
  }

  init(_ bytes: UnsafeRawBufferPointer, mayBeCopy: Bool = false, arrival: Int64) {
    self.bytes = bytes
    self.mayBeCopy = mayBeCopy
    self.arrival = arrival
  }
}

/// A value of the raw data characteristic.
public struct ReceivedValue {
  /// Valid until the handler returns.
  public let bytes: UnsafeRawBufferPointer
  /// When this process or the service received it: `EventLoop.bootTime`.
  let arrival: Int64

  /// A value that this process receives now.
  init(arriving bytes: UnsafeRawBufferPointer, on loop: EventLoop) { self.init(bytes, arrival: loop.bootTime) }

  init(_ bytes: UnsafeRawBufferPointer, arrival: Int64) {
    self.bytes = bytes
    self.arrival = arrival
  }
}
