// swift-format-ignore-file
// Generated from service.proto by Sources/WireFormat/generator; do not edit.

/// Why the service does not accept a program.
public enum Refusal: UInt32, CaseIterable, Sendable {
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

/// What a program wants with the tag. The service refuses programs whose purpose it does not know.
public enum Purpose: UInt32, CaseIterable, Sendable {
  /// To use the tag.
  case link = 1
  /// To have the tag for itself: the service only releases it.
  case release = 2
  /// The service only removes the bonds of the tag.
  case unbind = 3
  /// To know whether the service would accept the program: it welcomes or refuses it, and closes the channel.
  case inquire = 4
  /// To know what the service is used for.
  case usage = 5
}

/// That of the protocol.
public enum Version: UInt32, CaseIterable, Sendable {
  /// A change that another version would misunderstand raises it; a new kind or field does not.
  case current = 1
}

/// An error of the library.
public struct ErrorReport: Equatable, Sendable {
  /// In the numbers of the header; 0 if there is no error.
  public var code: Int32
  public var attCode: UInt32
  public var tagStatus: UInt32
  public var systemErrno: Int32
  public var message: String
  public var advice: String

  public init(
    code: Int32 = 0,
    attCode: UInt32 = 0,
    tagStatus: UInt32 = 0,
    systemErrno: Int32 = 0,
    message: String = "",
    advice: String = ""
  ) {
    self.code = code
    self.attCode = attCode
    self.tagStatus = tagStatus
    self.systemErrno = systemErrno
    self.message = message
    self.advice = advice
  }

  init(_ reader: inout MessageReader) {
    code = reader.next()
    attCode = reader.next()
    tagStatus = reader.next()
    systemErrno = reader.next()
    message = reader.next()
    advice = reader.next()
  }

  func append(to record: inout MessageRecord) {
    record.append(code)
    record.append(attCode)
    record.append(tagStatus)
    record.append(systemErrno)
    record.append(message)
    record.append(advice)
  }
}

/// From the service. The numbers of welcome and refused, and the version in welcome, stay in all versions.
public enum ServiceMessage {
  /// The program is accepted.
  case welcome(Welcome)
  /// The program is not accepted; the channel ends.
  case refused(Refused)
  /// The state of the link, in the numbers of the header.
  case state(State)
  /// A tag has been connected.
  case tagInfo(TagInfo)
  /// A packet of the tag.
  case notification(Notification)
  /// What the service has read from the gear, which is ready.
  case gear(Gear)
  /// The payload of a packet on the raw data channel.
  case rawPacket(RawPacket)
  /// A value of the raw data characteristic.
  case rawValue(RawValue)
  /// A value of the raw data characteristic that is part of a motion stream.
  case streamValue(StreamValue)
  /// The tag has the request. Only for requests that ask for it, and for raw packets.
  case written(Written)
  /// The tag has responded to a request.
  case response(Response)
  /// A request has failed.
  case failed(Failed)
  /// The tag's name.
  case name(Name)
  /// The mode of the gear has been set.
  case touchMode(Mode)
  /// The signal strength of the last advertisement that the service has received.
  case signalStrength(SignalStrength)
  /// Events were dropped before the next one.
  case dropped(Dropped)
  /// Values received since the last such message.
  case copies(Copies)
  /// bluetoothd did not respond while the link stayed up; events of that time may be lost.
  case interrupted
  /// A line of the log about the tag.
  case log(LogLine)
  /// The program has a reservation.
  case granted(Granted)
  /// Another program has a reservation.
  case busy(Busy)
  /// The bonds of the tag have been removed for a program that wants nothing else.
  case unbound(Unbound)
  /// The answer to Ping.
  case pong
  /// What programs have of the service, for one that only asks.
  case usage(Usage)

  /// The program is accepted.
  public struct Welcome: Equatable, Sendable {
    public var version: UInt32
    /// The service's own: the kernel may report the supervisor, which has created the socket.
    public var process: Int32

    public init(version: UInt32 = 0, process: Int32 = 0) {
      self.version = version
      self.process = process
    }

    init(_ reader: inout MessageReader) {
      version = reader.next()
      process = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(version)
      record.append(process)
    }
  }

  /// The program is not accepted; the channel ends.
  public struct Refused: Equatable, Sendable {
    public var refusal: Refusal?
    public var error: ErrorReport

    public init(refusal: Refusal? = nil, error: ErrorReport = ErrorReport()) {
      self.refusal = refusal
      self.error = error
    }

    init(_ reader: inout MessageReader) {
      refusal = reader.next()
      error = ErrorReport(&reader)
    }

    func append(to record: inout MessageRecord) {
      record.append(refusal)
      error.append(to: &record)
    }
  }

  /// The state of the link, in the numbers of the header.
  public struct State: Equatable, Sendable {
    public var phase: UInt32
    public var step: UInt32
    public var attempt: UInt32
    public var disconnectReason: UInt32
    public var error: ErrorReport

    public init(
      phase: UInt32 = 0,
      step: UInt32 = 0,
      attempt: UInt32 = 0,
      disconnectReason: UInt32 = 0,
      error: ErrorReport = ErrorReport()
    ) {
      self.phase = phase
      self.step = step
      self.attempt = attempt
      self.disconnectReason = disconnectReason
      self.error = error
    }

    init(_ reader: inout MessageReader) {
      phase = reader.next()
      step = reader.next()
      attempt = reader.next()
      disconnectReason = reader.next()
      error = ErrorReport(&reader)
    }

    func append(to record: inout MessageRecord) {
      record.append(phase)
      record.append(step)
      record.append(attempt)
      record.append(disconnectReason)
      error.append(to: &record)
    }
  }

  /// A tag has been connected.
  public struct TagInfo {
    public var address: String
    public var name: String
    /// The tag's response with its device information.
    public var response: UnsafeRawBufferPointer

    public init(
      address: String = "",
      name: String = "",
      response: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
      self.address = address
      self.name = name
      self.response = response
    }

    init(_ reader: inout MessageReader) {
      address = reader.next()
      name = reader.next()
      response = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(address)
      record.append(name)
      record.append(response)
    }
  }

  /// A packet of the tag.
  public struct Notification {
    /// When the service received it, in nanoseconds of CLOCK_BOOTTIME; 0 if it is not known.
    public var arrival: UInt64
    /// It may be a copy of the previous one.
    public var mayBeCopy: Bool
    public var packet: UnsafeRawBufferPointer

    public init(
      arrival: UInt64 = 0,
      mayBeCopy: Bool = false,
      packet: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
      self.arrival = arrival
      self.mayBeCopy = mayBeCopy
      self.packet = packet
    }

    init(_ reader: inout MessageReader) {
      arrival = reader.next()
      mayBeCopy = reader.next()
      packet = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(arrival)
      record.append(mayBeCopy)
      record.append(packet)
    }
  }

  /// What the service has read from the gear, which is ready.
  public struct Gear {
    /// In the numbers of the header.
    public var touchMode: UInt32
    public var major: UInt32
    public var minor: UInt32
    public var point: UInt32
    /// The process that has set the mode; 0 if there is none, or it is not known.
    public var process: Int32
    public var uuid: String
    /// The tag's report that gear is attached.
    public var report: UnsafeRawBufferPointer

    public init(
      touchMode: UInt32 = 0,
      major: UInt32 = 0,
      minor: UInt32 = 0,
      point: UInt32 = 0,
      process: Int32 = 0,
      uuid: String = "",
      report: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
      self.touchMode = touchMode
      self.major = major
      self.minor = minor
      self.point = point
      self.process = process
      self.uuid = uuid
      self.report = report
    }

    init(_ reader: inout MessageReader) {
      touchMode = reader.next()
      major = reader.next()
      minor = reader.next()
      point = reader.next()
      process = reader.next()
      uuid = reader.next()
      report = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(touchMode)
      record.append(major)
      record.append(minor)
      record.append(point)
      record.append(process)
      record.append(uuid)
      record.append(report)
    }
  }

  /// The payload of a packet on the raw data channel.
  public struct RawPacket {
    public var payload: UnsafeRawBufferPointer

    public init(payload: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) {
      self.payload = payload
    }

    init(_ reader: inout MessageReader) {
      payload = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(payload)
    }
  }

  /// A value of the raw data characteristic.
  public struct RawValue {
    public var value: UnsafeRawBufferPointer

    public init(value: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) {
      self.value = value
    }

    init(_ reader: inout MessageReader) {
      value = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(value)
    }
  }

  /// A value of the raw data characteristic that is part of a motion stream.
  public struct StreamValue {
    /// As in Notification.
    public var arrival: UInt64
    public var value: UnsafeRawBufferPointer

    public init(arrival: UInt64 = 0, value: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) {
      self.arrival = arrival
      self.value = value
    }

    init(_ reader: inout MessageReader) {
      arrival = reader.next()
      value = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(arrival)
      record.append(value)
    }
  }

  /// The tag has the request. Only for requests that ask for it, and for raw packets.
  public struct Written: Equatable, Sendable {
    public var id: UInt32

    public init(id: UInt32 = 0) {
      self.id = id
    }

    init(_ reader: inout MessageReader) {
      id = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(id)
    }
  }

  /// The tag has responded to a request.
  public struct Response {
    public var id: UInt32
    public var packet: UnsafeRawBufferPointer

    public init(id: UInt32 = 0, packet: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) {
      self.id = id
      self.packet = packet
    }

    init(_ reader: inout MessageReader) {
      id = reader.next()
      packet = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(id)
      record.append(packet)
    }
  }

  /// A request has failed.
  public struct Failed: Equatable, Sendable {
    public var id: UInt32
    public var error: ErrorReport

    public init(id: UInt32 = 0, error: ErrorReport = ErrorReport()) {
      self.id = id
      self.error = error
    }

    init(_ reader: inout MessageReader) {
      id = reader.next()
      error = ErrorReport(&reader)
    }

    func append(to record: inout MessageRecord) {
      record.append(id)
      error.append(to: &record)
    }
  }

  /// The tag's name.
  public struct Name: Equatable, Sendable {
    public var name: String

    public init(name: String = "") {
      self.name = name
    }

    init(_ reader: inout MessageReader) {
      name = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(name)
    }
  }

  /// The mode of the gear has been set.
  public struct Mode: Equatable, Sendable {
    /// In the numbers of the header.
    public var touchMode: UInt32
    /// The process that has set it, as in Gear.
    public var process: Int32

    public init(touchMode: UInt32 = 0, process: Int32 = 0) {
      self.touchMode = touchMode
      self.process = process
    }

    init(_ reader: inout MessageReader) {
      touchMode = reader.next()
      process = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(touchMode)
      record.append(process)
    }
  }

  /// The signal strength of the last advertisement that the service has received.
  public struct SignalStrength: Equatable, Sendable {
    /// In dBm.
    public var strength: Int32

    public init(strength: Int32 = 0) {
      self.strength = strength
    }

    init(_ reader: inout MessageReader) {
      strength = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(strength)
    }
  }

  /// Events were dropped before the next one.
  public struct Dropped: Equatable, Sendable {
    public var count: UInt32

    public init(count: UInt32 = 0) {
      self.count = count
    }

    init(_ reader: inout MessageReader) {
      count = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(count)
    }
  }

  /// Values received since the last such message.
  public struct Copies: Equatable, Sendable {
    /// Those that were recognised as copies.
    public var dropped: UInt32
    /// Those that may be copies.
    public var doubtful: UInt32

    public init(dropped: UInt32 = 0, doubtful: UInt32 = 0) {
      self.dropped = dropped
      self.doubtful = doubtful
    }

    init(_ reader: inout MessageReader) {
      dropped = reader.next()
      doubtful = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(dropped)
      record.append(doubtful)
    }
  }

  /// A line of the log about the tag.
  public struct LogLine: Equatable, Sendable {
    /// In the numbers of the header.
    public var level: UInt32
    public var text: String

    public init(level: UInt32 = 0, text: String = "") {
      self.level = level
      self.text = text
    }

    init(_ reader: inout MessageReader) {
      level = reader.next()
      text = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(level)
      record.append(text)
    }
  }

  /// The program has a reservation.
  public struct Granted: Equatable, Sendable {
    /// That of Reserve.
    public var id: UInt32

    public init(id: UInt32 = 0) {
      self.id = id
    }

    init(_ reader: inout MessageReader) {
      id = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(id)
    }
  }

  /// Another program has a reservation.
  public struct Busy: Equatable, Sendable {
    /// That of Reserve.
    public var id: UInt32
    public var error: ErrorReport

    public init(id: UInt32 = 0, error: ErrorReport = ErrorReport()) {
      self.id = id
      self.error = error
    }

    init(_ reader: inout MessageReader) {
      id = reader.next()
      error = ErrorReport(&reader)
    }

    func append(to record: inout MessageRecord) {
      record.append(id)
      error.append(to: &record)
    }
  }

  /// The bonds of the tag have been removed for a program that wants nothing else.
  public struct Unbound: Equatable, Sendable {
    public var hadBond: Bool

    public init(hadBond: Bool = false) {
      self.hadBond = hadBond
    }

    init(_ reader: inout MessageReader) {
      hadBond = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(hadBond)
    }
  }

  /// What programs have of the service, for one that only asks.
  public struct Usage: Equatable, Sendable {
    /// The service's own.
    public var process: Int32
    /// Connections of all programs, and of those of the asking user.
    public var connections: UInt32
    public var connectionsOfUser: UInt32
    /// The most connections that the service accepts of all programs, of a user, and of a process.
    public var mostConnections: UInt32
    public var mostConnectionsOfUser: UInt32
    public var mostConnectionsOfProcess: UInt32

    public init(
      process: Int32 = 0,
      connections: UInt32 = 0,
      connectionsOfUser: UInt32 = 0,
      mostConnections: UInt32 = 0,
      mostConnectionsOfUser: UInt32 = 0,
      mostConnectionsOfProcess: UInt32 = 0
    ) {
      self.process = process
      self.connections = connections
      self.connectionsOfUser = connectionsOfUser
      self.mostConnections = mostConnections
      self.mostConnectionsOfUser = mostConnectionsOfUser
      self.mostConnectionsOfProcess = mostConnectionsOfProcess
    }

    init(_ reader: inout MessageReader) {
      process = reader.next()
      connections = reader.next()
      connectionsOfUser = reader.next()
      mostConnections = reader.next()
      mostConnectionsOfUser = reader.next()
      mostConnectionsOfProcess = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(process)
      record.append(connections)
      record.append(connectionsOfUser)
      record.append(mostConnections)
      record.append(mostConnectionsOfUser)
      record.append(mostConnectionsOfProcess)
    }
  }

  /// Nil for a kind that this version does not know.
  init?(_ record: UnsafeRawBufferPointer) throws(MalformedMessage) {
    var reader = try MessageReader(record)
    switch reader.kind {
    case 1: self = .welcome(Welcome(&reader))
    case 2: self = .refused(Refused(&reader))
    case 3: self = .state(State(&reader))
    case 4: self = .tagInfo(TagInfo(&reader))
    case 5: self = .notification(Notification(&reader))
    case 7: self = .gear(Gear(&reader))
    case 8: self = .rawPacket(RawPacket(&reader))
    case 9: self = .rawValue(RawValue(&reader))
    case 10: self = .streamValue(StreamValue(&reader))
    case 11: self = .written(Written(&reader))
    case 12: self = .response(Response(&reader))
    case 13: self = .failed(Failed(&reader))
    case 14: self = .name(Name(&reader))
    case 15: self = .touchMode(Mode(&reader))
    case 16: self = .signalStrength(SignalStrength(&reader))
    case 17: self = .dropped(Dropped(&reader))
    case 18: self = .copies(Copies(&reader))
    case 19: self = .interrupted
    case 20: self = .log(LogLine(&reader))
    case 21: self = .granted(Granted(&reader))
    case 22: self = .busy(Busy(&reader))
    case 23: self = .unbound(Unbound(&reader))
    case 24: self = .pong
    case 25: self = .usage(Usage(&reader))
    default: return nil
    }
  }

  func encode(into record: inout MessageRecord) {
    switch self {
    case .welcome(let message):
      record.begin(1, numbers: 2, texts: 0)
      message.append(to: &record)
    case .refused(let message):
      record.begin(2, numbers: 5, texts: 2)
      message.append(to: &record)
    case .state(let message):
      record.begin(3, numbers: 8, texts: 2)
      message.append(to: &record)
    case .tagInfo(let message):
      record.begin(4, numbers: 0, texts: 2)
      message.append(to: &record)
    case .notification(let message):
      record.begin(5, numbers: 3, texts: 0)
      message.append(to: &record)
    case .gear(let message):
      record.begin(7, numbers: 5, texts: 1)
      message.append(to: &record)
    case .rawPacket(let message):
      record.begin(8, numbers: 0, texts: 0)
      message.append(to: &record)
    case .rawValue(let message):
      record.begin(9, numbers: 0, texts: 0)
      message.append(to: &record)
    case .streamValue(let message):
      record.begin(10, numbers: 2, texts: 0)
      message.append(to: &record)
    case .written(let message):
      record.begin(11, numbers: 1, texts: 0)
      message.append(to: &record)
    case .response(let message):
      record.begin(12, numbers: 1, texts: 0)
      message.append(to: &record)
    case .failed(let message):
      record.begin(13, numbers: 5, texts: 2)
      message.append(to: &record)
    case .name(let message):
      record.begin(14, numbers: 0, texts: 1)
      message.append(to: &record)
    case .touchMode(let message):
      record.begin(15, numbers: 2, texts: 0)
      message.append(to: &record)
    case .signalStrength(let message):
      record.begin(16, numbers: 1, texts: 0)
      message.append(to: &record)
    case .dropped(let message):
      record.begin(17, numbers: 1, texts: 0)
      message.append(to: &record)
    case .copies(let message):
      record.begin(18, numbers: 2, texts: 0)
      message.append(to: &record)
    case .interrupted:
      record.begin(19, numbers: 0, texts: 0)
    case .log(let message):
      record.begin(20, numbers: 1, texts: 1)
      message.append(to: &record)
    case .granted(let message):
      record.begin(21, numbers: 1, texts: 0)
      message.append(to: &record)
    case .busy(let message):
      record.begin(22, numbers: 5, texts: 2)
      message.append(to: &record)
    case .unbound(let message):
      record.begin(23, numbers: 1, texts: 0)
      message.append(to: &record)
    case .pong:
      record.begin(24, numbers: 0, texts: 0)
    case .usage(let message):
      record.begin(25, numbers: 6, texts: 0)
      message.append(to: &record)
    }
  }
}

/// From a program. The number of hello, and the version in it, stay in all versions.
public enum ProgramMessage {
  /// What a program wants with one tag.
  case hello(Hello)
  /// A packet for the tag.
  case request(Request)
  /// The response to a request is not needed any more.
  case withdraw(Withdraw)
  /// A packet for the raw data channel.
  case rawRequest(RawRequest)
  /// The program wants a reservation.
  case reserve(Reserve)
  /// The program returns a reservation.
  case release(Release)
  /// The program has stored the record of the tag that it binds. Until then, the bond ends with the program.
  case bound
  /// The user has asked to disconnect, so the link is not kept for a later program.
  case disconnect
  /// The raw data that this program wants, whichever program has requested it, in addition to what belongs to its own
  /// download or stream. Other programs are not woken.
  case rawData(RawData)
  /// The service answers with Pong at once.
  case ping

  /// What a program wants with one tag.
  public struct Hello: Equatable, Sendable {
    public var version: UInt32
    /// The tag is bound for this program, so BlueZ must have its bond.
    public var isBound: Bool
    /// This program has set touch mode, unlike others that only received the touches.
    public var hasSetMode: Bool
    /// The gear that streamed touches for this program before, which a service that has just been started does not
    /// know; otherwise 0.
    public var streamingVendor: UInt32
    public var streamingProduct: UInt32
    public var purpose: Purpose?
    /// The bus's ID, which is different for each instance of a bus.
    public var bus: String
    /// The tag's identifier.
    public var tag: String
    /// The address of the adapter; empty for any.
    public var adapter: String
    /// The code printed on the tag, for a program that binds it; otherwise empty.
    public var code: String

    public init(
      version: UInt32 = 0,
      isBound: Bool = false,
      hasSetMode: Bool = false,
      streamingVendor: UInt32 = 0,
      streamingProduct: UInt32 = 0,
      purpose: Purpose? = nil,
      bus: String = "",
      tag: String = "",
      adapter: String = "",
      code: String = ""
    ) {
      self.version = version
      self.isBound = isBound
      self.hasSetMode = hasSetMode
      self.streamingVendor = streamingVendor
      self.streamingProduct = streamingProduct
      self.purpose = purpose
      self.bus = bus
      self.tag = tag
      self.adapter = adapter
      self.code = code
    }

    init(_ reader: inout MessageReader) {
      version = reader.next()
      isBound = reader.next()
      hasSetMode = reader.next()
      streamingVendor = reader.next()
      streamingProduct = reader.next()
      purpose = reader.next()
      bus = reader.next()
      tag = reader.next()
      adapter = reader.next()
      code = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(version)
      record.append(isBound)
      record.append(hasSetMode)
      record.append(streamingVendor)
      record.append(streamingProduct)
      record.append(purpose)
      record.append(bus)
      record.append(tag)
      record.append(adapter)
      record.append(code)
    }
  }

  /// A packet for the tag.
  public struct Request {
    /// Between this program and the service.
    public var id: UInt32
    public var reportsWriting: Bool
    /// The time limit for the response in ms; 0: the service's own.
    public var responseLimit: UInt32
    public var packet: UnsafeRawBufferPointer

    public init(
      id: UInt32 = 0,
      reportsWriting: Bool = false,
      responseLimit: UInt32 = 0,
      packet: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
      self.id = id
      self.reportsWriting = reportsWriting
      self.responseLimit = responseLimit
      self.packet = packet
    }

    init(_ reader: inout MessageReader) {
      id = reader.next()
      reportsWriting = reader.next()
      responseLimit = reader.next()
      packet = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(id)
      record.append(reportsWriting)
      record.append(responseLimit)
      record.append(packet)
    }
  }

  /// The response to a request is not needed any more.
  public struct Withdraw: Equatable, Sendable {
    public var id: UInt32

    public init(id: UInt32 = 0) {
      self.id = id
    }

    init(_ reader: inout MessageReader) {
      id = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(id)
    }
  }

  /// A packet for the raw data channel.
  public struct RawRequest {
    public var id: UInt32
    public var packet: UnsafeRawBufferPointer

    public init(id: UInt32 = 0, packet: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) {
      self.id = id
      self.packet = packet
    }

    init(_ reader: inout MessageReader) {
      id = reader.next()
      packet = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(id)
      record.append(packet)
    }
  }

  /// The program wants a reservation.
  public struct Reserve: Equatable, Sendable {
    public var id: UInt32
    /// ReservationKind.
    public var reservation: UInt32

    public init(id: UInt32 = 0, reservation: UInt32 = 0) {
      self.id = id
      self.reservation = reservation
    }

    init(_ reader: inout MessageReader) {
      id = reader.next()
      reservation = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(id)
      record.append(reservation)
    }
  }

  /// The program returns a reservation.
  public struct Release: Equatable, Sendable {
    /// ReservationKind.
    public var reservation: UInt32

    public init(reservation: UInt32 = 0) {
      self.reservation = reservation
    }

    init(_ reader: inout MessageReader) {
      reservation = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(reservation)
    }
  }

  /// The raw data that this program wants, whichever program has requested it, in addition to what belongs to its own
  /// download or stream. Other programs are not woken.
  public struct RawData: Equatable, Sendable {
    /// Payloads of the raw data channel.
    public var packets: Bool
    /// Values of the raw data characteristic.
    public var values: Bool

    public init(packets: Bool = false, values: Bool = false) {
      self.packets = packets
      self.values = values
    }

    init(_ reader: inout MessageReader) {
      packets = reader.next()
      values = reader.next()
    }

    func append(to record: inout MessageRecord) {
      record.append(packets)
      record.append(values)
    }
  }

  /// Nil for a kind that this version does not know.
  init?(_ record: UnsafeRawBufferPointer) throws(MalformedMessage) {
    var reader = try MessageReader(record)
    switch reader.kind {
    case 64: self = .hello(Hello(&reader))
    case 65: self = .request(Request(&reader))
    case 66: self = .withdraw(Withdraw(&reader))
    case 67: self = .rawRequest(RawRequest(&reader))
    case 68: self = .reserve(Reserve(&reader))
    case 69: self = .release(Release(&reader))
    case 70: self = .bound
    case 71: self = .disconnect
    case 72: self = .rawData(RawData(&reader))
    case 73: self = .ping
    default: return nil
    }
  }

  func encode(into record: inout MessageRecord) {
    switch self {
    case .hello(let message):
      record.begin(64, numbers: 6, texts: 4)
      message.append(to: &record)
    case .request(let message):
      record.begin(65, numbers: 3, texts: 0)
      message.append(to: &record)
    case .withdraw(let message):
      record.begin(66, numbers: 1, texts: 0)
      message.append(to: &record)
    case .rawRequest(let message):
      record.begin(67, numbers: 1, texts: 0)
      message.append(to: &record)
    case .reserve(let message):
      record.begin(68, numbers: 2, texts: 0)
      message.append(to: &record)
    case .release(let message):
      record.begin(69, numbers: 1, texts: 0)
      message.append(to: &record)
    case .bound:
      record.begin(70, numbers: 0, texts: 0)
    case .disconnect:
      record.begin(71, numbers: 0, texts: 0)
    case .rawData(let message):
      record.begin(72, numbers: 2, texts: 0)
      message.append(to: &record)
    case .ping:
      record.begin(73, numbers: 0, texts: 0)
    }
  }
}

