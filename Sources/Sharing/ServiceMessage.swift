/// What the service and a program send each other about one tag, one message in each record of their socket.
///
/// The bytes of a received message are valid until its handler returns.
public enum ServiceMessage {
  // From the service.
  /// The process is that of the service: the kernel may report its supervisor, which has created the socket.
  case welcome(version: UInt32, process: Int32)
  case refused(ServiceRefusal, ServiceFailure)
  case state(ServiceState)
  /// The tag's response with its device information, its Bluetooth address and its name.
  case tagInfo(UnsafeRawBufferPointer, address: String, name: String)
  case notification(UnsafeRawBufferPointer)
  /// A notification that may be a copy of the previous one.
  case possibleCopy(UnsafeRawBufferPointer)
  /// The tag's report of its gear, with what the service has read from the gear, which is ready to be used.
  case gear(UnsafeRawBufferPointer, ServiceGear)
  /// The payload of a packet on the raw data channel.
  case rawPacket(UnsafeRawBufferPointer)
  /// A value of the raw data characteristic; part of a motion stream, or not.
  case rawValue(UnsafeRawBufferPointer, isStream: Bool)
  /// The tag has the request. Only for requests that ask for it, and for raw packets.
  case written(id: UInt32)
  case response(id: UInt32, UnsafeRawBufferPointer)
  case failed(id: UInt32, ServiceFailure)
  case name(String)
  /// The mode of the gear, in the numbers of the header.
  case touchMode(UInt32)
  /// The signal strength of the last advertisement that the service has received, in dBm.
  case signalStrength(Int32)
  /// The number of events that were dropped before the next one.
  case dropped(count: UInt64)
  /// Values that were recognised as copies since the last message, and values for which that is uncertain.
  case copies(dropped: UInt64, doubtful: UInt64)
  /// bluetoothd did not respond while the link stayed up; events of that time may be lost.
  case interrupted
  /// A line of the log about the tag, with its level in the numbers of the header.
  case log(level: UInt32, String)
  case granted(kind: UInt8)
  /// The process that has the reservation; 0 if it is not known.
  case busy(kind: UInt8, process: Int32)

  // From a program.
  case hello(version: UInt32, LinkRequest)
  /// A packet for the tag. Its ID identifies the request between this program and the service.
  case request(id: UInt32, reportsWriting: Bool, UnsafeRawBufferPointer)
  case withdraw(id: UInt32)
  /// A packet for the raw data channel, acknowledged by `written` or `failed`.
  case rawRequest(id: UInt32, UnsafeRawBufferPointer)
  case reserve(kind: UInt8)
  case release(kind: UInt8)
  /// The program has stored the record of the tag that it binds. Until then, the bond ends with the program.
  case bound
  /// The user has asked to disconnect, so the link is not kept for a later program.
  case disconnect
}

extension ServiceMessage {
  /// The version of these messages. A change that another version would misunderstand raises it; a new kind of message or
  /// a new field at the end of one does not, because both are ignored by those that do not know them.
  public static let version: UInt32 = 1
  /// The longest payload: four times the longest packet of a tag.
  public static let longestPayload = 4096
  /// The longest message, including its payload. All texts of a failure fit.
  public static let longest = longestPayload + 2048
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

/// Why the service does not accept a program.
public enum ServiceRefusal: UInt8, Sendable {
  /// A reason that this version does not know.
  case unknown = 0
  /// Service and program do not understand each other's messages.
  case version = 1
  /// The service uses another bus.
  case otherBus = 2
  /// The service, or the program's user, has as many programs or connections as the service accepts.
  case full = 3
  /// The tag is used in a way that excludes this program.
  case inUse = 4
  /// The program wanted the tag for itself, and no program uses it through the service any more.
  case released = 5
}

/// What a program wants: a link to one tag.
public struct LinkRequest: Equatable, Sendable {
  /// The bus's ID, which is different for each instance of a bus.
  public var bus: String
  /// The tag's identifier.
  public var tag: String
  /// The address of the adapter; empty for any.
  public var adapter = ""
  /// The code printed on the tag, for a program that binds it; otherwise empty.
  public var code = ""
  /// The tag is bound for this program, so BlueZ must have its bond.
  public var isBound = false
  /// The program wants the tag for itself: the service only releases it.
  public var isExclusive = false

  public init(bus: String, tag: String) {
    self.bus = bus
    self.tag = tag
  }
}

/// Gear that the service has set up; empty if there is none.
public struct ServiceGear: Equatable, Sendable {
  public var uuid = ""
  public var major: UInt32 = 0
  public var minor: UInt32 = 0
  public var point: UInt32 = 0
  /// In the numbers of the header; 0 if there is no gear.
  public var touchMode: UInt32 = 0

  public init() {}

  public init(uuid: String, major: UInt32, minor: UInt32, point: UInt32, touchMode: UInt32) {
    self.uuid = uuid
    (self.major, self.minor, self.point) = (major, minor, point)
    self.touchMode = touchMode
  }
}

/// The state of the service's connection to a tag, in the numbers of the header.
public struct ServiceState: Equatable, Sendable {
  public var phase: UInt32
  public var step: UInt32
  public var attempt: UInt32
  public var disconnectReason: UInt32
  /// Why the last attempt or link ended.
  public var reason: ServiceFailure?

  public init(
    phase: UInt32, step: UInt32 = 0, attempt: UInt32 = 0, disconnectReason: UInt32 = 0, reason: ServiceFailure? = nil
  ) {
    self.phase = phase
    self.step = step
    self.attempt = attempt
    self.disconnectReason = disconnectReason
    self.reason = reason
  }
}

/// An error, in the numbers of the header.
public struct ServiceFailure: Error, Equatable, Sendable {
  public var code: Int32
  public var attCode: UInt8
  public var tagStatus: UInt32
  public var systemErrno: Int32
  public var message: String
  public var advice: String

  public init(
    code: Int32, attCode: UInt8 = 0, tagStatus: UInt32 = 0, systemErrno: Int32 = 0, message: String, advice: String
  ) {
    self.code = code
    self.attCode = attCode
    self.tagStatus = tagStatus
    self.systemErrno = systemErrno
    self.message = message
    self.advice = advice
  }
}
