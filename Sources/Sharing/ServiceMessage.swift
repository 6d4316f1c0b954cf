/// What the service and a program send each other about one tag, one message in each record of their socket: a kind,
/// numbers and texts in the order that the kind lists, and a payload.
///
/// A receiver ignores unknown kinds, and numbers and texts that it does not know; those that are missing are 0 and
/// empty. So a newer version can add kinds and fields.
public struct ServiceMessage {
  /// The numbers of `hello`, `welcome` and `refused`, and the version in the first two, stay in all versions.
  public enum Kind: UInt8, Sendable {
    // From the service.
    /// Version, process: the kernel may report the supervisor, which has created the socket.
    case welcome = 1
    /// Refusal; an error.
    case refused
    /// Phase, step, attempt and disconnect reason in the numbers of the header, whether an error follows; an error.
    case state
    /// The tag's address and name; the tag's response with its device information.
    case tagInfo
    /// A packet of the tag, and if it is a gesture or a touch sample, when it arrived: microseconds of CLOCK_BOOTTIME
    /// in two numbers, the lower half first.
    case notification
    /// The same for a packet that may be a copy of the previous one.
    case possibleCopy
    /// What the service has read from the gear, which is ready: touch mode, firmware version (three numbers), the
    /// process that has set the mode (0: none, or it is not known); UUID; the tag's report.
    case gear
    /// The payload of a packet on the raw data channel.
    case rawPacket
    /// A value of the raw data characteristic.
    case rawValue
    /// A value of the raw data characteristic that is part of a motion stream.
    case streamValue
    /// ID. The tag has the request. Only for requests that ask for it, and for raw packets.
    case written
    /// ID; the tag's response.
    case response
    /// ID; an error.
    case failed
    /// Name.
    case name
    /// The mode of the gear, in the numbers of the header; the process that has set it, as in `gear`.
    case touchMode
    /// The signal strength of the last advertisement that the service has received, in dBm.
    case signalStrength
    /// The number of events that were dropped before the next one.
    case dropped
    /// The number of values that were recognised as copies since the last such message, and of those for which that is
    /// uncertain.
    case copies
    /// bluetoothd did not respond while the link stayed up; events of that time may be lost.
    case interrupted
    /// Level, in the numbers of the header; a line of the log about the tag.
    case log
    /// ID of `reserve`.
    case granted
    /// ID of `reserve`; an error.
    case busy
    /// Whether the tag had bonds, which have been removed for a program that only wants that.
    case unbound
    /// The answer to `ping`.
    case pong

    // From a program.
    /// Version, flags, vendor and product of gear that was streaming; bus ID, tag, adapter, code (`LinkRequest`).
    case hello = 64
    /// ID between this program and the service, whether `written` is wanted, the time limit for the response in ms (0:
    /// the service's own); a packet for the tag.
    case request
    /// ID of a request whose response is not needed any more.
    case withdraw
    /// ID; a packet for the raw data channel.
    case rawRequest
    /// ID, reservation.
    case reserve
    /// Reservation.
    case release
    /// The program has stored the record of the tag that it binds. Until then, the bond ends with the program.
    case bound
    /// The user has asked to disconnect, so the link is not kept for a later program.
    case disconnect
    /// The raw data that this program wants (`RawInterest`), in addition to what belongs to its own download or stream.
    case rawData
    /// A program that waits asks whether the service responds.
    case ping

    var isFromService: Bool { rawValue < Kind.hello.rawValue }
  }

  /// A change that another version would misunderstand raises it; a new kind or field does not.
  public static let version: UInt32 = 1
  /// The longest payload: four times the longest packet of a tag.
  static let longestPayload = 4096
  /// The longest message, including its payload. All texts of an error fit.
  public static let longest = longestPayload + 2048
  /// The longest text in UTF-8; a longer one is cut off.
  static let longestText = 512

  /// Determines the meaning of the numbers, the texts and the payload.
  public let kind: Kind
  let numbers: MessageNumbers
  let texts: [String]
  /// Bytes that this message does not own; in a received one, they are valid until the handler returns.
  public let payload: UnsafeRawBufferPointer

  /// The payload is not copied: send the message while its memory is valid.
  public init(
    _ kind: Kind, _ numbers: [UInt32] = [], _ texts: [String] = [],
    payload: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) {
    self.init(kind, MessageNumbers(numbers), texts, payload: payload)
  }

  init(_ kind: Kind, _ numbers: MessageNumbers, _ texts: [String], payload: UnsafeRawBufferPointer) {
    self.kind = kind
    self.numbers = numbers
    self.texts = texts
    self.payload = payload
  }

  /// A packet of a tag. Neither making nor reading it allocates memory.
  public init(_ kind: Kind, arrival: UInt64?, payload: UnsafeRawBufferPointer) {
    var numbers = MessageNumbers()
    if let arrival {
      numbers.append(UInt32(truncatingIfNeeded: arrival))
      numbers.append(UInt32(truncatingIfNeeded: arrival >> 32))
    }
    self.init(kind, numbers, [], payload: payload)
  }

  /// When a packet arrived, in microseconds of CLOCK_BOOTTIME. Nil if the service has not reported it.
  public var arrival: UInt64? {
    let time = UInt64(number(0)) | UInt64(number(1)) << 32
    return time == 0 ? nil : time
  }

  /// The number at `index`, or 0 if the sender did not send it.
  public func number(_ index: Int = 0) -> UInt32 { index < numbers.count ? numbers[index] : 0 }

  /// The text at `index`, or an empty one if the sender did not send it.
  public func text(_ index: Int = 0) -> String { index < texts.count ? texts[index] : "" }

  /// Whether it is dropped, and counted, if the other side does not read fast enough. All others are kept.
  public var isEvent: Bool {
    switch kind {
    case .notification, .possibleCopy, .rawPacket, .rawValue, .streamValue: true
    default: false
    }
  }
}

/// The numbers of a message, of which the first two need no allocation.
struct MessageNumbers: Equatable {
  private(set) var count = 0
  private var first: UInt32 = 0
  private var second: UInt32 = 0
  private var others: [UInt32] = []

  init() {}

  init(_ numbers: [UInt32]) {
    for number in numbers { append(number) }
  }

  mutating func append(_ number: UInt32) {
    switch count {
    case 0: first = number
    case 1: second = number
    default: others.append(number)
    }
    count += 1
  }

  subscript(index: Int) -> UInt32 {
    switch index {
    case 0: first
    case 1: second
    default: others[index - 2]
    }
  }
}

/// Why the service does not accept a program; other numbers are those of newer versions.
public enum ServiceRefusal: UInt32, Sendable {
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
