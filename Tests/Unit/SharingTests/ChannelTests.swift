import EventLoop
import Glibc
import Testing
import TestWorld

@testable import Sharing

/// Both ends of a channel on one loop.
private final class ChannelPair {
  let time = VirtualClock()
  let loop: EventLoop
  let service: TestSide
  let program: TestSide

  init(isProgramStarted: Bool = true) throws {
    loop = try EventLoop(clock: .virtual(time))
    let (one, other) = try makePair()
    service = TestSide(
      Channel(UnsharedDescriptor(taking: one), peer: Peer(process: 1, user: 0), isService: true, loop: loop))
    program = TestSide(
      Channel(UnsharedDescriptor(taking: other), peer: Peer(process: 2, user: 0), isService: false, loop: loop),
      isStarted: isProgramStarted)
  }

  deinit {
    service.channel.close()
    program.channel.close()
    loop.close()
    loop.drain()
  }

  func settle() throws { try settleLoop(loop) }
}

/// One end of a channel, and a socket on the other side.
private final class RawPeer {
  let loop: EventLoop
  let side: TestSide
  let socket: SharedDescriptor

  init(isService: Bool) throws {
    loop = try EventLoop(clock: .virtual(VirtualClock()))
    let (one, other) = try makePair()
    side = TestSide(
      Channel(UnsharedDescriptor(taking: one), peer: Peer(process: 1, user: 0), isService: isService, loop: loop))
    socket = SharedDescriptor(taking: other)
  }

  deinit {
    side.channel.close()
    loop.close()
    loop.drain()
  }

  func write(_ bytes: [UInt8]) { _ = send(socket.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  func settle() throws { try settleLoop(loop) }
}

private func makePair() throws -> (Int32, Int32) {
  var ends: [Int32] = [-1, -1]
  let type = SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
  guard socketpair(AF_UNIX, Int32(type), 0, &ends) == 0 else { throw SystemError(code: errno, call: "socketpair") }
  return (ends[0], ends[1])
}

/// Dispatches until nothing is ready; a loop that never rests is an error.
private func settleLoop(_ loop: EventLoop) throws {
  for _ in 0..<100_000 {
    var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, 0) == 1 else { return }
    try loop.dispatch()
  }
  Issue.record("the loop does not rest")
}

private func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }

@Suite("A channel")
struct ChannelTests {
  @Test("delivers messages in order, in both directions")
  func order() throws {
    let pair = try ChannelPair()
    var sent: [Received] = []
    for id in 0..<100 as Range<UInt32> {
      withPayload(Int(id) * 10) { payload in
        for message in [
          ServiceMessage(.notification, payload: payload), ServiceMessage(.written, [id]),
          ServiceMessage(.response, [id], payload: payload),
        ] {
          #expect(pair.service.channel.send(message))
          sent.append(Received(message))
        }
        #expect(pair.program.channel.send(ServiceMessage(.request, [id, 0], payload: payload)))
      }
      try pair.settle()
    }
    #expect(pair.program.messages == sent)
    #expect(pair.service.messages.map(\.kind) == Array(repeating: .request, count: 100))
    #expect(pair.program.ends.isEmpty)
  }

  @Test("keeps what arrives before it is started")
  func late() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    pair.service.channel.send(ServiceMessage(.written, [1]))
    pair.service.channel.send(ServiceMessage(.written, [2]))
    pair.service.channel.close()
    try pair.settle()
    pair.program.start()
    try pair.settle()
    #expect(
      pair.program.messages == [Received(ServiceMessage(.written, [1])), Received(ServiceMessage(.written, [2]))])
    #expect(pair.program.ends == [.closed])
  }

  @Test("drops and counts the events that a slow side does not read")
  func slow() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    let count = 5000
    var accepted: [UInt32] = []
    for index in 0..<UInt32(count) {
      number(index).withUnsafeBytes {
        if pair.service.channel.send(ServiceMessage(.notification, payload: $0)) { accepted.append(index) }
      }
    }
    let first = accepted.count
    // Nine seconds of a motion stream.
    #expect(first > 500)
    #expect(first < count)
    // The socket accepts no event between dropped ones.
    #expect(accepted == Array(0..<UInt32(first)))
    #expect(pair.service.channel.unreportedDrops == UInt32(count - first))
    try pair.settle()

    pair.program.start()
    try pair.settle()
    number(77).withUnsafeBytes { #expect(pair.service.channel.send(ServiceMessage(.notification, payload: $0))) }
    try pair.settle()
    let expected = (0..<UInt32(first)).map { id in
      number(id).withUnsafeBytes { Received(ServiceMessage(.notification, payload: $0)) }
    }
    #expect(Array(pair.program.messages.prefix(first)) == expected)
    #expect(
      Array(pair.program.messages.dropFirst(first)) == [
        Received(ServiceMessage(.dropped, [UInt32(count - first)])),
        number(77).withUnsafeBytes { Received(ServiceMessage(.notification, payload: $0)) },
      ])
  }

  @Test("counts every event once, at any speed of the other side")
  func exactCounts() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    var random = SeededRandom(seed: 1)
    var received: UInt32 = 0
    var reported: UInt32 = 0
    var next: UInt32 = 0
    pair.program.onMessage = { message in
      switch message.kind {
      case .notification:
        #expect(message.payload.loadUnaligned(as: UInt32.self) == received + reported)
        received += 1
      case .dropped: reported += message.number()
      default: break
      }
    }
    for _ in 0..<200 {
      for _ in 0..<Int.random(in: 0..<400, using: &random) {
        let size = Int.random(in: 4...600, using: &random)
        (number(next) + [UInt8](repeating: 0, count: size)).withUnsafeBytes {
          _ = pair.service.channel.send(ServiceMessage(.notification, payload: $0))
        }
        next += 1
      }
      if Bool.random(using: &random) { pair.program.start() }
      for _ in 0..<Int.random(in: 0..<30, using: &random) { try pair.loop.dispatch() }
      pair.program.channel.pause()
    }
    pair.program.start()
    try pair.settle()
    #expect(received + reported == next)
  }

  @Test("keeps what must not be lost, and no event overtakes it")
  func kept() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    let count: UInt32 = 1500
    var events = 0
    withPayload(100) { payload in
      for id in 0..<count {
        #expect(pair.service.channel.send(ServiceMessage(.response, [id], payload: payload)))
        if pair.service.channel.send(ServiceMessage(.notification, payload: payload)) { events += 1 }
      }
    }
    try pair.settle()
    pair.program.start()
    try pair.settle()
    let responses = pair.program.messages.filter { $0.kind == .response }
    let expected = withPayload(100) { payload in
      (0..<count).map { Received(ServiceMessage(.response, [$0], payload: payload)) }
    }
    #expect(responses == expected)
    // Each event follows the response that was sent before it.
    let kinds = pair.program.messages.map(\.kind)
    for index in 0..<events { #expect(kinds[2 * index] == .response && kinds[2 * index + 1] == .notification) }
    #expect(kinds.filter { $0 == .notification }.count == events)
    #expect(pair.program.messages.last == Received(ServiceMessage(.dropped, [UInt32(count) - UInt32(events)])))
  }

  @Test("counts the overhead of small messages that are kept")
  func smallMessages() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    var sent = 0
    while pair.service.channel.send(ServiceMessage(.written, [1])) { sent += 1 }
    // The socket has room for some hundred.
    #expect(sent < Channel.mostKept / 64 + 2000)
  }

  @Test("is cut off when too much must be kept, after what was sent before")
  func flood() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    var sent: UInt32 = 0
    withPayload(1000) { payload in
      while pair.service.channel.send(ServiceMessage(.response, [sent], payload: payload)) { sent += 1 }
    }
    #expect(Int(sent) * 1000 > Channel.mostKept)
    #expect(Int(sent) * 1000 < Channel.mostKept + 1 << 20)
    #expect(!pair.service.channel.isOpen)
    #expect(!pair.service.channel.send(ServiceMessage(.written, [1])))
    #expect(pair.service.ends.isEmpty)
    try pair.settle()
    #expect(pair.service.ends == [.tooSlow])
    pair.program.start()
    try pair.settle()
    #expect(pair.program.ends == [.closed])
    #expect(!pair.program.messages.isEmpty)
  }

  @Test("does not wake up for a side that does not read")
  func stuck() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    withPayload(1000) { payload in
      for id in 0..<400 {
        pair.service.channel.send(
          id % 2 == 0
            ? ServiceMessage(.notification, payload: payload) : ServiceMessage(.response, [1], payload: payload)
        )
      }
    }
    try pair.settle()
    var poll = pollfd(fd: pair.loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
    #expect(Glibc.poll(&poll, 1, 0) == 0)
    #expect(pair.loop.nextDeadline == nil)
    #expect(pair.service.channel.isOpen)
  }

  @Test("refuses messages that are too long, and counts such events")
  func oversized() throws {
    let pair = try ChannelPair()
    withPayload(4097) { payload in
      #expect(!pair.service.channel.send(ServiceMessage(.response, [1], payload: payload)))
      #expect(!pair.service.channel.send(ServiceMessage(.notification, payload: payload)))
    }
    withPayload(4096) { payload in
      let text = String(repeating: "a", count: 512)
      #expect(pair.service.channel.send(ServiceMessage(.tagInfo, [], [text, text], payload: payload)))
      #expect(pair.service.channel.send(ServiceMessage(.notification, payload: payload)))
    }
    try pair.settle()
    #expect(pair.program.messages.map(\.kind) == [.tagInfo, .dropped, .notification])
    #expect(pair.program.messages[1] == Received(ServiceMessage(.dropped, [1])))
  }

  @Test("ends when it is closed, or the other side is", arguments: [false, true])
  func closed(_ byService: Bool) throws {
    let pair = try ChannelPair()
    let (closing, other) = byService ? (pair.service, pair.program) : (pair.program, pair.service)
    closing.channel.close()
    closing.channel.close()
    #expect(!closing.channel.isOpen)
    #expect(!closing.channel.send(byService ? ServiceMessage(.written, [1]) : ServiceMessage(.withdraw, [1])))
    try pair.settle()
    #expect(closing.ends.isEmpty)
    #expect(other.ends == [.closed])
    #expect(!other.channel.isOpen)
  }

  @Test("delivers what was sent before the end, even if the other side had not read everything")
  func lastWords() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    for id in 0..<50 as Range<UInt32> { pair.program.channel.send(ServiceMessage(.withdraw, [id])) }
    for id in 0..<50 as Range<UInt32> { pair.service.channel.send(ServiceMessage(.written, [id])) }
    // Resets the connection for the program.
    pair.service.channel.close()
    pair.program.start()
    try pair.settle()
    #expect(pair.program.messages.count == 50)
    #expect(pair.program.ends == [.closed])
  }

  @Test("may be closed, restarted or read inside its handler")
  func reentrant() throws {
    let pair = try ChannelPair()
    for id in 0..<5 as Range<UInt32> { pair.service.channel.send(ServiceMessage(.written, [id])) }
    pair.program.onMessage = { [unowned program = pair.program] _ in
      if program.messages.count == 2 { program.start() }
      program.channel.receivePending()
      if program.messages.count == 3 { program.channel.close() }
    }
    try pair.settle()
    #expect(pair.program.messages.count == 3)
    #expect(pair.program.ends.isEmpty)
    #expect(pair.service.ends == [.closed])
  }

  @Test("that is released inside its handler is closed")
  func released() throws {
    let loop = try EventLoop(clock: .virtual(VirtualClock()))
    let (one, other) = try makePair()
    var service: Channel? = Channel(
      UnsharedDescriptor(taking: one), peer: Peer(process: 1, user: 0), isService: true, loop: loop)
    let program = TestSide(
      Channel(UnsharedDescriptor(taking: other), peer: Peer(process: 1, user: 0), isService: false, loop: loop))
    service?.start(onMessage: { _ in service = nil }, onEnd: { _ in Issue.record("ended") })
    program.channel.send(ServiceMessage(.withdraw, [1]))
    program.channel.send(ServiceMessage(.withdraw, [2]))
    try settleLoop(loop)
    #expect(service == nil)
    #expect(program.ends == [.closed])
  }

  @Test("receives what has arrived before the next dispatch, if asked")
  func pending() throws {
    let pair = try ChannelPair()
    for id in 0..<100 as Range<UInt32> { pair.service.channel.send(ServiceMessage(.written, [id])) }
    pair.program.channel.receivePending()
    #expect(pair.program.messages.count == 100)
    pair.service.channel.close()
    pair.program.channel.receivePending()
    #expect(pair.program.ends == [.closed])
    pair.program.channel.receivePending()
    try pair.settle()
    #expect(pair.program.ends == [.closed])
  }

  @Test("shares the loop with other work while it is flooded")
  func fair() throws {
    let pair = try ChannelPair()
    for id in 0..<100 as Range<UInt32> { pair.program.channel.send(ServiceMessage(.withdraw, [id])) }
    try pair.loop.dispatch()
    #expect((1...16).contains(pair.service.messages.count))
    try pair.settle()
    #expect(pair.service.messages.count == 100)
  }
}

@Suite("A hostile side of a channel")
struct HostileChannelTests {
  @Test("is cut off after a malformed message", arguments: [false, true])
  func malformed(_ isService: Bool) throws {
    let peer = try RawPeer(isService: isService)
    peer.write(Received(isService ? ServiceMessage(.withdraw, [1]) : ServiceMessage(.written, [1])).bytes)
    peer.write([isService ? ServiceMessage.Kind.withdraw.rawValue : ServiceMessage.Kind.written.rawValue, 1])
    peer.write(Received(isService ? ServiceMessage(.withdraw, [2]) : ServiceMessage(.written, [2])).bytes)
    try peer.settle()
    #expect(peer.side.messages.count == 1)
    #expect(peer.side.ends == [.malformed])
  }

  @Test("is cut off after a message for the other side", arguments: [false, true])
  func direction(_ isService: Bool) throws {
    let peer = try RawPeer(isService: isService)
    peer.write(Received(isService ? ServiceMessage(.written, [1]) : ServiceMessage(.withdraw, [1])).bytes)
    try peer.settle()
    #expect(peer.side.messages.isEmpty)
    #expect(peer.side.ends == [.malformed])
  }

  @Test("is cut off after a record that is too long")
  func tooLong() throws {
    let peer = try RawPeer(isService: false)
    peer.write(
      [ServiceMessage.Kind.notification.rawValue, 0, 0] + [UInt8](repeating: 1, count: ServiceMessage.longestPayload))
    peer.write([UInt8](repeating: 1, count: ServiceMessage.longest + 1))
    try peer.settle()
    #expect(peer.side.messages.count == 1)
    #expect(peer.side.ends == [.malformed])
  }

  @Test("is cut off after an empty record")
  func empty() throws {
    let peer = try RawPeer(isService: false)
    peer.write([])
    try peer.settle()
    #expect(peer.side.ends == [.closed])
  }

  @Test("may send unknown messages")
  func unknown() throws {
    let peer = try RawPeer(isService: false)
    for kind in [0, 63, 200, 255] as [UInt8] { peer.write([kind, 1, 2, 3]) }
    peer.write(Received(ServiceMessage(.written, [1])).bytes)
    try peer.settle()
    #expect(peer.side.messages == [Received(ServiceMessage(.written, [1]))])
    #expect(peer.side.ends.isEmpty)
  }

  @Test("may send random bytes")
  func random() throws {
    var random = SeededRandom(seed: 1)
    for round in 0..<300 {
      let peer = try RawPeer(isService: round % 2 != 0)
      for _ in 0..<50 {
        var bytes = (0..<Int.random(in: 1...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        if Bool.random(using: &random) { bytes[0] = UInt8.random(in: 0...70, using: &random) }
        peer.write(bytes)
        try peer.settle()
      }
      #expect(peer.side.ends == [] || peer.side.ends == [.malformed])
    }
  }

  @Test("passes no descriptors")
  func descriptors() throws {
    let peer = try RawPeer(isService: false)
    let before = ScratchDirectory.names(in: "/proc/self/fd").count
    sendWithDescriptor(peer.socket.rawValue, Received(ServiceMessage(.written, [1])).bytes)
    try peer.settle()
    #expect(peer.side.messages == [Received(ServiceMessage(.written, [1]))])
    #expect(ScratchDirectory.names(in: "/proc/self/fd").count == before)
  }

  /// With a copy of the standard input: SCM_RIGHTS.
  private func sendWithDescriptor(_ socket: Int32, _ bytes: [UInt8]) {
    var bytes = bytes
    // struct cmsghdr: length, level, type; then the descriptor, padded.
    var control: (Int, Int32, Int32, Int32, Int32) = (20, SOL_SOCKET, 1, STDIN_FILENO, 0)
    bytes.withUnsafeMutableBytes { bytes in
      withUnsafeMutableBytes(of: &control) { control in
        var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        withUnsafeMutablePointer(to: &part) { part in
          var record = msghdr()
          record.msg_iov = part
          record.msg_iovlen = 1
          record.msg_control = control.baseAddress
          record.msg_controllen = 24
          #expect(sendmsg(socket, &record, 0) == bytes.count)
        }
      }
    }
  }
}
