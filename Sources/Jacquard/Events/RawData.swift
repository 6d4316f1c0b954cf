import EventLoop

/// The data on the raw data characteristic: packets of the raw data channel, and samples of motion streams.
public final class RawData {
  /// Sends the payloads of packets.
  public let packets = Observers<UnsafeRawBufferPointer>()
  /// Sends each value.
  public let values = Observers<ReceivedValue>()
  /// Sends the values that are samples of a motion stream.
  let streamValues = Observers<ReceivedValue>()
  /// How often this program has asked the tag to start a stream. All its streams receive the samples of the last one.
  var streamStarts = 0
  /// In the service: passes the payload of each packet on to programs, with whether it follows the previous one; the
  /// packet is not acknowledged if it returns false.
  var relay: ((UnsafeRawBufferPointer, _ isNext: Bool) -> Bool)?

  /// Called when the connection has ended.
  func removeAllObservers() {
    packets.removeAll()
    values.removeAll()
    streamValues.removeAll()
  }
}
