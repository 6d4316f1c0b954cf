import EventLoop
import Testing

@testable import Sharing

/// One side of a channel and what it received, with copies of the payloads.
final class TestSide<Side: TestedChannel> {
  let channel: Side
  var messages: [Record] = []
  var ends: [ChannelEnd] = []
  var onMessage: (Side.Received) -> Void = { _ in }

  init(_ channel: Side, isStarted: Bool = true) {
    self.channel = channel
    if isStarted { start() }
  }

  func start() {
    channel.start(
      onMessage: { [unowned self] message in
        messages.append(Record(message))
        onMessage(message)
      }, onEnd: { [unowned self] in ends.append($0) })
  }
}

protocol TestedMessage {
  init?(_ record: UnsafeRawBufferPointer) throws(MalformedMessage)
  func encode(into record: inout MessageRecord)
}

extension ServiceMessage: TestedMessage {}
extension ProgramMessage: TestedMessage {}

protocol TestedChannel: Channel {
  associatedtype Received: TestedMessage
  associatedtype Sent: TestedMessage

  init(_ socket: consuming UnsharedDescriptor, peer: Peer, accounts: Accounts?, loop: EventLoop)
  func start(onMessage: @escaping (Received) -> Void, onEnd: @escaping (ChannelEnd) -> Void)
  func send(_ message: Sent) -> Bool

  /// A message that this side can receive.
  static func example(_ id: UInt32) -> Received
  /// A message that the other side can receive.
  static func foreign(_ id: UInt32) -> Sent
}

extension ProgramChannel: TestedChannel {
  static func example(_ id: UInt32) -> ProgramMessage { .withdraw(.init(id: id)) }
  static func foreign(_ id: UInt32) -> ServiceMessage { .written(.init(id: id)) }
}

extension ServiceChannel: TestedChannel {
  static func example(_ id: UInt32) -> ServiceMessage { .written(.init(id: id)) }
  static func foreign(_ id: UInt32) -> ProgramMessage { .withdraw(.init(id: id)) }
}

/// A message as its bytes.
struct Record: Equatable, CustomStringConvertible {
  let bytes: [UInt8]

  init(_ message: some TestedMessage) {
    var record = MessageRecord()
    message.encode(into: &record)
    bytes = record.bytes
  }

  static func service(_ message: ServiceMessage) -> Record { Record(message) }

  var kind: UInt8 { bytes[0] }
  var description: String { "\(bytes)" }
}

/// The kinds that tests count.
enum Kind {
  static let tagInfo: UInt8 = 4
  static let notification: UInt8 = 5
  static let response: UInt8 = 12
  static let dropped: UInt8 = 17
  static let request: UInt8 = 65
}

/// Calls `body` with a payload of this many bytes.
func withPayload<Result>(_ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
  try [UInt8](repeating: 7, count: count).withUnsafeBytes(body)
}
