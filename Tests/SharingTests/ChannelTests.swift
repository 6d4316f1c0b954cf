import EventLoop
import Glibc
import Testing
import TestWorld

@testable import Sharing

/// Both ends of a channel on one loop.
private final class ChannelPair {
  let time = VirtualClock()
  let loop: EventLoop
  let host: TestGuest
  let guest: TestGuest

  init(isGuestStarted: Bool = true) throws {
    loop = try EventLoop(clock: .virtual(time))
    let (one, other) = try makePair()
    host = TestGuest(
      Channel(UnsharedDescriptor(taking: one), peer: 1, epoch: 1, isGuest: false, loop: loop))
    guest = TestGuest(
      Channel(UnsharedDescriptor(taking: other), peer: 2, epoch: 1, isGuest: true, loop: loop),
      isStarted: isGuestStarted)
  }

  deinit {
    host.channel.close()
    guest.channel.close()
    loop.close()
    loop.drain()
  }

  func settle() throws { try settleLoop(loop) }
}

/// One end of a channel, and a socket on the other side.
private final class RawPeer {
  let loop: EventLoop
  let side: TestGuest
  let socket: SharedDescriptor

  init(isGuest: Bool) throws {
    loop = try EventLoop(clock: .virtual(VirtualClock()))
    let (one, other) = try makePair()
    side = TestGuest(
      Channel(UnsharedDescriptor(taking: one), peer: 1, epoch: 1, isGuest: isGuest, loop: loop))
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
        for message in [.notification(payload), .accepted(id: id), .response(id: id, payload)] as [Message] {
          #expect(pair.host.channel.send(message))
          sent.append(Received(message))
        }
        #expect(pair.guest.channel.send(.request(id: id, payload)))
      }
      try pair.settle()
    }
    #expect(pair.guest.messages == sent)
    #expect(pair.host.messages.map(\.kind) == Array(repeating: .request, count: 100))
    #expect(pair.guest.ends.isEmpty)
  }

  @Test("keeps what arrives before it is started")
  func late() throws {
    let pair = try ChannelPair(isGuestStarted: false)
    pair.host.channel.send(.accepted(id: 1))
    pair.host.channel.send(.accepted(id: 2))
    pair.host.channel.close()
    try pair.settle()
    pair.guest.start()
    try pair.settle()
    #expect(pair.guest.messages == [Received(.accepted(id: 1)), Received(.accepted(id: 2))])
    #expect(pair.guest.ends == [.closed])
  }

  @Test("drops and counts the events that a slow side does not read")
  func slow() throws {
    let pair = try ChannelPair(isGuestStarted: false)
    let count = 5000
    var accepted: [UInt32] = []
    for index in 0..<UInt32(count) {
      number(index).withUnsafeBytes { if pair.host.channel.send(.notification($0)) { accepted.append(index) } }
    }
    let first = accepted.count
    // Nine seconds of a motion stream.
    #expect(first > 500)
    #expect(first < count)
    // The socket accepts no event between dropped ones.
    #expect(accepted == Array(0..<UInt32(first)))
    #expect(pair.host.channel.droppedEvents == UInt64(count - first))
    try pair.settle()

    pair.guest.start()
    try pair.settle()
    number(77).withUnsafeBytes { #expect(pair.host.channel.send(.notification($0))) }
    try pair.settle()
    let expected = (0..<UInt32(first)).map { id in number(id).withUnsafeBytes { Received(.notification($0)) } }
    #expect(Array(pair.guest.messages.prefix(first)) == expected)
    #expect(
      Array(pair.guest.messages.dropFirst(first)) == [
        Received(.dropped(count: UInt64(count - first))),
        number(77).withUnsafeBytes { Received(.notification($0)) },
      ])
  }

  @Test("counts every event once, at any speed of the other side")
  func exactCounts() throws {
    let pair = try ChannelPair(isGuestStarted: false)
    var random = SystemRandomNumberGenerator()
    var received: UInt64 = 0
    var reported: UInt64 = 0
    var next: UInt32 = 0
    pair.guest.onMessage = { message in
      switch message {
      case .notification(let payload):
        let index = payload.loadUnaligned(as: UInt32.self)
        #expect(UInt64(index) == received + reported)
        received += 1
      case .dropped(let count): reported += count
      default: break
      }
    }
    for _ in 0..<200 {
      for _ in 0..<Int.random(in: 0..<400, using: &random) {
        let size = Int.random(in: 4...600, using: &random)
        (number(next) + [UInt8](repeating: 0, count: size)).withUnsafeBytes {
          _ = pair.host.channel.send(.notification($0))
        }
        next += 1
      }
      if Bool.random(using: &random) { pair.guest.start() }
      for _ in 0..<Int.random(in: 0..<30, using: &random) { try pair.loop.dispatch() }
      pair.guest.channel.pause()
    }
    pair.guest.start()
    try pair.settle()
    #expect(received + reported == UInt64(next))
    #expect(reported == pair.host.channel.droppedEvents)
  }

  @Test("keeps what must not be lost, and no event overtakes it")
  func kept() throws {
    let pair = try ChannelPair(isGuestStarted: false)
    let count: UInt32 = 1500
    var events = 0
    withPayload(100) { payload in
      for id in 0..<count {
        #expect(pair.host.channel.send(.response(id: id, payload)))
        if pair.host.channel.send(.notification(payload)) { events += 1 }
      }
    }
    try pair.settle()
    pair.guest.start()
    try pair.settle()
    let responses = pair.guest.messages.filter { $0.kind == .response }
    let expected = withPayload(100) { payload in (0..<count).map { Received(.response(id: $0, payload)) } }
    #expect(responses == expected)
    // Each event follows the response that was sent before it.
    let kinds = pair.guest.messages.map(\.kind)
    for index in 0..<events { #expect(kinds[2 * index] == .response && kinds[2 * index + 1] == .notification) }
    #expect(kinds.filter { $0 == .notification }.count == events)
    #expect(pair.guest.messages.last == Received(.dropped(count: UInt64(count) - UInt64(events))))
  }

  @Test("is cut off when too much must be kept, after what was sent before")
  func flood() throws {
    let pair = try ChannelPair(isGuestStarted: false)
    var sent: UInt32 = 0
    withPayload(1000) { payload in while pair.host.channel.send(.response(id: sent, payload)) { sent += 1 } }
    #expect(Int(sent) * 1000 > Channel.mostKept)
    #expect(Int(sent) * 1000 < Channel.mostKept + 1 << 20)
    #expect(!pair.host.channel.isOpen)
    #expect(!pair.host.channel.send(.accepted(id: 1)))
    #expect(pair.host.ends.isEmpty)
    try pair.settle()
    #expect(pair.host.ends == [.tooSlow])
    pair.guest.start()
    try pair.settle()
    #expect(pair.guest.ends == [.closed])
    #expect(!pair.guest.messages.isEmpty)
  }

  @Test("does not wake up for a side that does not read")
  func stuck() throws {
    let pair = try ChannelPair(isGuestStarted: false)
    withPayload(1000) { payload in
      for id in 0..<400 { pair.host.channel.send(id % 2 == 0 ? .notification(payload) : .response(id: 1, payload)) }
    }
    try pair.settle()
    var poll = pollfd(fd: pair.loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
    #expect(Glibc.poll(&poll, 1, 0) == 0)
    #expect(pair.loop.nextDeadline == nil)
    #expect(pair.host.channel.isOpen)
  }

  @Test("refuses messages that are too long, and counts such events")
  func oversized() throws {
    let pair = try ChannelPair()
    withPayload(4097) { payload in
      #expect(!pair.host.channel.send(.response(id: 1, payload)))
      #expect(!pair.host.channel.send(.notification(payload)))
    }
    withPayload(4096) { payload in
      #expect(!pair.host.channel.send(.tagInfo(payload, address: String(repeating: "a", count: 512), name: "")))
      #expect(pair.host.channel.send(.notification(payload)))
    }
    try pair.settle()
    #expect(pair.guest.messages.map(\.kind) == [.dropped, .notification])
    #expect(pair.host.channel.droppedEvents == 1)
  }

  @Test("ends when it is closed, or the other side is", arguments: [false, true])
  func closed(_ byHost: Bool) throws {
    let pair = try ChannelPair()
    let (closing, other) = byHost ? (pair.host, pair.guest) : (pair.guest, pair.host)
    var gone = 0
    closing.channel.onGone = { gone += 1 }
    other.channel.onGone = { gone += 1 }
    closing.channel.close()
    closing.channel.close()
    #expect(!closing.channel.isOpen)
    #expect(!closing.channel.send(byHost ? .accepted(id: 1) : .withdraw(id: 1)))
    try pair.settle()
    #expect(closing.ends.isEmpty)
    #expect(other.ends == [.closed])
    #expect(!other.channel.isOpen)
    #expect(gone == 2)
  }

  @Test("delivers what was sent before the end, even if the other side had not read everything")
  func lastWords() throws {
    let pair = try ChannelPair(isGuestStarted: false)
    for id in 0..<50 as Range<UInt32> { pair.guest.channel.send(.withdraw(id: id)) }
    for id in 0..<50 as Range<UInt32> { pair.host.channel.send(.accepted(id: id)) }
    // Resets the connection for the guest.
    pair.host.channel.close()
    pair.guest.start()
    try pair.settle()
    #expect(pair.guest.messages.count == 50)
    #expect(pair.guest.ends == [.closed])
  }

  @Test("may be closed, restarted or read inside its handler")
  func reentrant() throws {
    let pair = try ChannelPair()
    for id in 0..<5 as Range<UInt32> { pair.host.channel.send(.accepted(id: id)) }
    pair.guest.onMessage = { [unowned guest = pair.guest] _ in
      if guest.messages.count == 2 { guest.start() }
      guest.channel.receivePending()
      if guest.messages.count == 3 { guest.channel.close() }
    }
    try pair.settle()
    #expect(pair.guest.messages.count == 3)
    #expect(pair.guest.ends.isEmpty)
    #expect(pair.host.ends == [.closed])
  }

  @Test("that is released inside its handler is closed")
  func released() throws {
    let loop = try EventLoop(clock: .virtual(VirtualClock()))
    let (one, other) = try makePair()
    var host: Channel? = Channel(
      UnsharedDescriptor(taking: one), peer: 1, epoch: 1, isGuest: false, loop: loop)
    let guest = TestGuest(
      Channel(UnsharedDescriptor(taking: other), peer: 1, epoch: 1, isGuest: true, loop: loop))
    host?.start(onMessage: { _ in host = nil }, onEnd: { _ in Issue.record("ended") })
    guest.channel.send(.withdraw(id: 1))
    guest.channel.send(.withdraw(id: 2))
    try settleLoop(loop)
    #expect(host == nil)
    #expect(guest.ends == [.closed])
  }

  @Test("receives what has arrived before the next dispatch, if asked")
  func pending() throws {
    let pair = try ChannelPair()
    for id in 0..<100 as Range<UInt32> { pair.host.channel.send(.accepted(id: id)) }
    pair.guest.channel.receivePending()
    #expect(pair.guest.messages.count == 100)
    pair.host.channel.close()
    pair.guest.channel.receivePending()
    #expect(pair.guest.ends == [.closed])
    pair.guest.channel.receivePending()
    try pair.settle()
    #expect(pair.guest.ends == [.closed])
  }

  @Test("shares the loop with other work while it is flooded")
  func fair() throws {
    let pair = try ChannelPair()
    for id in 0..<100 as Range<UInt32> { pair.guest.channel.send(.withdraw(id: id)) }
    try pair.loop.dispatch()
    #expect((1...16).contains(pair.host.messages.count))
    try pair.settle()
    #expect(pair.host.messages.count == 100)
  }
}

@Suite("A hostile side of a channel")
struct HostileChannelTests {
  @Test("is cut off after a malformed message", arguments: [false, true])
  func malformed(_ isGuest: Bool) throws {
    let peer = try RawPeer(isGuest: isGuest)
    peer.write(Received(isGuest ? .accepted(id: 1) : .withdraw(id: 1)).bytes)
    peer.write([isGuest ? MessageKind.accepted.rawValue : MessageKind.withdraw.rawValue, 1])
    peer.write(Received(isGuest ? .accepted(id: 2) : .withdraw(id: 2)).bytes)
    try peer.settle()
    #expect(peer.side.messages.count == 1)
    #expect(peer.side.ends == [.malformed])
  }

  @Test("is cut off after a message for the other side", arguments: [false, true])
  func direction(_ isGuest: Bool) throws {
    let peer = try RawPeer(isGuest: isGuest)
    peer.write(Received(isGuest ? .withdraw(id: 1) : .accepted(id: 1)).bytes)
    try peer.settle()
    #expect(peer.side.messages.isEmpty)
    #expect(peer.side.ends == [.malformed])
  }

  @Test("is cut off after a record that is too long")
  func tooLong() throws {
    let peer = try RawPeer(isGuest: true)
    peer.write([MessageKind.notification.rawValue] + [UInt8](repeating: 1, count: Message.longestPayload))
    peer.write([UInt8](repeating: 1, count: Message.longest + 1))
    try peer.settle()
    #expect(peer.side.messages.count == 1)
    #expect(peer.side.ends == [.malformed])
  }

  @Test("is cut off after an empty record")
  func empty() throws {
    let peer = try RawPeer(isGuest: true)
    peer.write([])
    try peer.settle()
    #expect(peer.side.ends == [.closed])
  }

  @Test("may send unknown messages")
  func unknown() throws {
    let peer = try RawPeer(isGuest: true)
    for kind in [0, 63, 200, 255] as [UInt8] { peer.write([kind, 1, 2, 3]) }
    peer.write(Received(.accepted(id: 1)).bytes)
    try peer.settle()
    #expect(peer.side.messages == [Received(.accepted(id: 1))])
    #expect(peer.side.ends.isEmpty)
  }

  @Test("may send random bytes")
  func random() throws {
    var random = SystemRandomNumberGenerator()
    for round in 0..<300 {
      let peer = try RawPeer(isGuest: round % 2 == 0)
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
    let peer = try RawPeer(isGuest: true)
    let before = ScratchDirectory.names(in: "/proc/self/fd").count
    sendWithDescriptor(peer.socket.rawValue, Received(.accepted(id: 1)).bytes)
    try peer.settle()
    #expect(peer.side.messages == [Received(.accepted(id: 1))])
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
