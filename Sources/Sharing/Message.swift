/// What a host and its guests send each other, one message in each record of their socket.
///
/// The bytes of a received message are valid until its handler returns.
public enum Message {
  // From the host.
  case welcome(version: UInt32, epoch: UInt64)
  case refused(Refusal)
  case state(SharedState)
  /// The tag's response with its device information, its Bluetooth address and its name.
  case tagInfo(UnsafeRawBufferPointer, address: String, name: String)
  case notification(UnsafeRawBufferPointer)
  /// A notification that may be a copy of the previous one.
  case possibleCopy(UnsafeRawBufferPointer)
  /// The tag's report of its gear, with what the host knows about the gear, which is ready to be used.
  case gear(UnsafeRawBufferPointer, SharedGear)
  /// The payload of a packet on the raw data channel.
  case rawPacket(UnsafeRawBufferPointer)
  /// A value of the raw data characteristic; part of a motion stream, or not.
  case rawValue(UnsafeRawBufferPointer, isStream: Bool)
  /// The host has the request.
  case accepted(id: UInt32)
  /// The tag has the request.
  case written(id: UInt32)
  case response(id: UInt32, UnsafeRawBufferPointer)
  case failed(id: UInt32, SharedFailure)
  case name(String)
  /// The mode of the gear, in the numbers of the header.
  case touchMode(UInt32)
  /// That of the last advertisement which the host knows, in dBm.
  case signalStrength(Int32)
  /// The number of events that were dropped before the next one.
  case dropped(count: UInt64)
  case granted(kind: UInt8)
  /// The process that has the reservation; 0 if it is not known.
  case busy(kind: UInt8, process: Int32)

  // From a guest.
  case hello(version: UInt32)
  /// A packet for the tag. Its ID identifies the request between this guest and the host.
  case request(id: UInt32, UnsafeRawBufferPointer)
  case withdraw(id: UInt32)
  /// How far a request is: the host repeats `accepted`, and `written` now or as soon as it applies.
  case inquire(id: UInt32)
  /// A packet for the raw data channel, acknowledged by `written` or `failed`.
  case rawRequest(id: UInt32, UnsafeRawBufferPointer)
  case reserve(kind: UInt8)
  case release(kind: UInt8)
}

extension Message {
  /// The version of these messages. A change that an older program would misunderstand raises it; a new kind of message does
  /// not, because unknown kinds are ignored.
  public static let version: UInt32 = 1
  /// The longest payload: four times the longest packet of a tag.
  public static let longestPayload = 4096
  /// The longest message, including its payload.
  public static let longest = longestPayload + 256
  /// The longest text in UTF-8; a longer one is cut off.
  public static let longestText = 512

  /// Whether it is dropped, and counted, if the other side does not read fast enough. All others are kept.
  public var isEvent: Bool {
    switch self {
    case .notification, .possibleCopy, .rawPacket, .rawValue: true
    default: false
    }
  }
}
