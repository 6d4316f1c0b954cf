import EventLoop

/// A packet of the tag, with what is known of it since it was received.
public struct ReceivedPacket {
  /// Valid until the handler returns.
  public let bytes: UnsafeRawBufferPointer
  /// When this process or the service received it, in microseconds of CLOCK_BOOTTIME.
  public let arrival: UInt64
  /// bluetoothd may have signalled the previous one again for another program's subscription (`CopyFilter`).
  public let mayBeCopy: Bool

  /// - Parameter arrival: when the service received it; 0: it arrives now.
  init(_ bytes: UnsafeRawBufferPointer, mayBeCopy: Bool = false, arrival: UInt64 = 0) {
    self.bytes = bytes
    self.mayBeCopy = mayBeCopy
    self.arrival = arrival == 0 ? BootTime.microseconds : arrival
  }
}
