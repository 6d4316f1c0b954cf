import EventLoop
import Glibc
import Testing
import TestWorld

@testable import Sharing

/// A runtime directory, and a loop with virtual time for several programs. Their sockets are local: what one sends has arrived.
final class SharingFixture {
  let scratch: ScratchDirectory
  let time = VirtualClock()
  let loop: EventLoop
  let directory: RuntimeDirectory
  private(set) var seats: [HostSeat] = []

  /// - Parameter depth: the number of additional directories in the path, of 50 bytes each.
  init(depth: Int = 0) throws {
    scratch = try ScratchDirectory()
    loop = try EventLoop(clock: .virtual(time))
    var parent = scratch.path
    for _ in 0..<depth {
      parent += "/" + String(repeating: "d", count: 49)
      mkdir(parent, 0o700)
    }
    directory = try RuntimeDirectory(in: parent)
  }

  deinit {
    loop.close()
    loop.drain()
  }

  var lockFile: String { path(".lock") }

  func path(_ end: String) -> String {
    directory.path + "/" + (ScratchDirectory.names(in: directory.path).first { $0.hasSuffix(end) } ?? "none" + end)
  }

  func place(_ tag: String = "tag") -> MeetingPlace { MeetingPlace(directory, bus: "bus", tag: tag, loop: loop) }

  /// Runs a task to its end; time advances when nothing else is pending.
  func run<Value>(_ body: @escaping () async throws -> Value) throws -> Value {
    var result: Result<Value, any Error>?
    loop.spawn {
      do { result = .success(try await body()) } catch { result = .failure(error) }
    }
    while true {
      try settle()
      if let result { return try result.get() }
      if let next = loop.nextDeadline { time.advance(by: max(time.now.duration(to: next), .zero)) }
    }
  }

  func settle() throws {
    while isReadable { try loop.dispatch() }
  }

  var isReadable: Bool {
    var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) == 1
  }

  /// Whether nothing will happen by itself.
  var isIdle: Bool { !isReadable && loop.nextDeadline == nil }

  func enter(past hung: UInt64? = nil, _ tag: String = "tag") throws -> Role {
    let place = place(tag)
    return try run { try await place.enter(past: hung) }
  }

  /// A host that has not called `open`.
  func silentHost(past hung: UInt64? = nil) throws -> HostSeat {
    guard case .host(let seat) = try enter(past: hung) else { throw Unexpected() }
    return seat
  }

  func host(_ onSuperseded: @escaping () -> Void = {}) throws -> TestHost {
    TestHost(try silentHost(), onSuperseded)
  }

  func guest() throws -> TestGuest {
    guard case .guest(let channel) = try enter() else { throw Unexpected() }
    return TestGuest(channel)
  }

  struct Unexpected: Error {}
}

/// A host that records what its guests send.
final class TestHost {
  let seat: HostSeat
  var guests: [TestGuest] = []

  init(_ seat: HostSeat, _ onSuperseded: @escaping () -> Void = {}) {
    self.seat = seat
    seat.open(onGuest: { [unowned self] in guests.append(TestGuest($0)) }, onSuperseded: onSuperseded)
  }
}

/// One side of a channel and what it received, with copies of the payloads.
final class TestGuest {
  let channel: Channel
  var messages: [Received] = []
  var ends: [ChannelEnd] = []
  var onMessage: (Message) -> Void = { _ in }

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
  let kind: MessageKind
  let bytes: [UInt8]

  init(_ message: Message) {
    var header = MessageHeader()
    message.encodeHeader(&header)
    kind = message.kind
    bytes = header.bytes + Array(message.payload ?? UnsafeRawBufferPointer(start: nil, count: 0))
  }

  var description: String { "\(kind) \(bytes)" }
}

/// Calls `body` with a payload of this many bytes.
func withPayload<Result>(_ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
  try [UInt8](repeating: 7, count: count).withUnsafeBytes(body)
}
