import EventLoop
import Testing

@testable import Sharing

/// One side of a channel and what it received, with copies of the payloads.
final class TestSide {
  let channel: Channel
  var messages: [Received] = []
  var ends: [ChannelEnd] = []
  var onMessage: (ServiceMessage) -> Void = { _ in }

  init(_ channel: Channel, isStarted: Bool = true) {
    self.channel = channel
    if isStarted { start() }
  }

  func start() {
    channel.start(
      onMessage: { [unowned self] message in
        messages.append(Received(message))
        onMessage(message)
      }, onEnd: { [unowned self] in ends.append($0) })
  }
}

/// A message with its own bytes, in the form of its encoding.
struct Received: Equatable, CustomStringConvertible {
  let kind: ServiceMessage.Kind
  let bytes: [UInt8]

  init(_ message: ServiceMessage) {
    var record: [UInt8] = []
    message.encode(into: &record)
    (kind, bytes) = (message.kind, record)
  }

  var description: String { "\(kind) \(bytes)" }
}

/// Calls `body` with a payload of this many bytes.
func withPayload<Result>(_ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
  try [UInt8](repeating: 7, count: count).withUnsafeBytes(body)
}
