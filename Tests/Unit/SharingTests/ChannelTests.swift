import EventLoop
import Glibc
import Testing
import TestWorld

@testable import Sharing

/// Both ends of a channel on one loop.
private final class ChannelPair {
  let time = VirtualClock()
  let loop: EventLoop
  let service: TestSide<ProgramChannel>
  let program: TestSide<ServiceChannel>

  init(isProgramStarted: Bool = true) throws {
    loop = try EventLoop(clock: .virtual(time))
    let (one, other) = try makePair()
    service = TestSide(
      ProgramChannel(UnsharedDescriptor(taking: one), peer: Peer(process: 1, user: 0), loop: loop))
    program = TestSide(
      ServiceChannel(UnsharedDescriptor(taking: other), peer: Peer(process: 2, user: 0), loop: loop),
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
private final class RawPeer<Side: TestedChannel> {
  let loop: EventLoop
  let side: TestSide<Side>
  let socket: SharedDescriptor

  init(_ side: Side.Type) throws {
    loop = try EventLoop(clock: .virtual(VirtualClock()))
    let (one, other) = try makePair()
    self.side = TestSide(
      Side(UnsharedDescriptor(taking: one), peer: Peer(process: 1, user: 0), accounts: nil, loop: loop))
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
    var sent: [Record] = []
    for id in 0..<100 as Range<UInt32> {
      withPayload(Int(id) * 10) { payload in
        for message in [
          .notification(.init(packet: payload)), .written(.init(id: id)), .response(.init(id: id, packet: payload)),
        ] as [ServiceMessage] {
          #expect(pair.service.channel.send(message))
          sent.append(Record(message))
        }
        #expect(pair.program.channel.send(.request(.init(id: id, packet: payload))))
      }
      try pair.settle()
    }
    #expect(pair.program.messages == sent)
    #expect(pair.service.messages.map(\.kind) == Array(repeating: Kind.request, count: 100))
    #expect(pair.program.ends.isEmpty)
  }

  @Test("keeps what arrives before it is started")
  func late() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    pair.service.channel.send(.written(.init(id: 1)))
    pair.service.channel.send(.written(.init(id: 2)))
    pair.service.channel.close()
    try pair.settle()
    pair.program.start()
    try pair.settle()
    #expect(
      pair.program.messages == [.service(.written(.init(id: 1))), .service(.written(.init(id: 2)))])
    #expect(pair.program.ends == [.closed])
  }

  @Test("drops and counts the events that a slow side does not read")
  func slow() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    let count = 5000
    var accepted: [UInt32] = []
    for index in 0..<UInt32(count) {
      number(index).withUnsafeBytes {
        if pair.service.channel.send(.notification(.init(packet: $0))) { accepted.append(index) }
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
    number(77).withUnsafeBytes { #expect(pair.service.channel.send(.notification(.init(packet: $0)))) }
    try pair.settle()
    let expected = (0..<UInt32(first)).map { id in
      number(id).withUnsafeBytes { Record(ServiceMessage.notification(.init(packet: $0))) }
    }
    #expect(Array(pair.program.messages.prefix(first)) == expected)
    #expect(
      Array(pair.program.messages.dropFirst(first)) == [
        .service(.dropped(.init(count: UInt32(count - first)))),
        number(77).withUnsafeBytes { Record(ServiceMessage.notification(.init(packet: $0))) },
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
      switch message {
      case .notification(let event):
        #expect(event.packet.loadUnaligned(as: UInt32.self) == received + reported)
        received += 1
      case .dropped(let dropped): reported += dropped.count
      default: break
      }
    }
    for _ in 0..<200 {
      for _ in 0..<Int.random(in: 0..<400, using: &random) {
        let size = Int.random(in: 4...600, using: &random)
        (number(next) + [UInt8](repeating: 0, count: size)).withUnsafeBytes {
          _ = pair.service.channel.send(.notification(.init(packet: $0)))
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
        #expect(pair.service.channel.send(.response(.init(id: id, packet: payload))))
        if pair.service.channel.send(.notification(.init(packet: payload))) { events += 1 }
      }
    }
    try pair.settle()
    pair.program.start()
    try pair.settle()
    let responses = pair.program.messages.filter { $0.kind == Kind.response }
    let expected = withPayload(100) { payload in
      (0..<count).map { Record(ServiceMessage.response(.init(id: $0, packet: payload))) }
    }
    #expect(responses == expected)
    // Each event follows the response that was sent before it.
    let kinds = pair.program.messages.map(\.kind)
    for index in 0..<events { #expect(kinds[2 * index] == Kind.response && kinds[2 * index + 1] == Kind.notification) }
    #expect(kinds.filter { $0 == Kind.notification }.count == events)
    #expect(pair.program.messages.last == .service(.dropped(.init(count: UInt32(count) - UInt32(events)))))
  }

  @Test("counts the overhead of small messages that are kept")
  func smallMessages() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    var sent = 0
    while pair.service.channel.send(.written(.init(id: 1))) { sent += 1 }
    // The socket has room for some hundred.
    #expect(sent < Channel.mostKept / 64 + 2000)
  }

  @Test("is cut off when too much must be kept, after what was sent before")
  func flood() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    var sent: UInt32 = 0
    withPayload(1000) { payload in
      while pair.service.channel.send(.response(.init(id: sent, packet: payload))) { sent += 1 }
    }
    #expect(Int(sent) * 1000 > Channel.mostKept)
    #expect(Int(sent) * 1000 < Channel.mostKept + 1 << 20)
    #expect(!pair.service.channel.isOpen)
    #expect(!pair.service.channel.send(.written(.init(id: 1))))
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
            ? .notification(.init(packet: payload)) : .response(.init(id: 1, packet: payload))
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
      #expect(!pair.service.channel.send(.response(.init(id: 1, packet: payload))))
      #expect(!pair.service.channel.send(.notification(.init(packet: payload))))
    }
    withPayload(4096) { payload in
      let text = String(repeating: "a", count: 512)
      #expect(pair.service.channel.send(.tagInfo(.init(address: text, name: text, response: payload))))
      #expect(pair.service.channel.send(.notification(.init(packet: payload))))
    }
    try pair.settle()
    #expect(pair.program.messages.map(\.kind) == [Kind.tagInfo, Kind.dropped, Kind.notification])
    #expect(pair.program.messages[1] == .service(.dropped(.init(count: 1))))
  }

  @Test("ends when it is closed, or the other side is", arguments: [false, true])
  func closed(_ byService: Bool) throws {
    let pair = try ChannelPair()
    if byService { try check(pair, pair.service, pair.program) } else { try check(pair, pair.program, pair.service) }
  }

  private func check<Side: TestedChannel>(
    _ pair: ChannelPair, _ closing: TestSide<Side>, _ other: TestSide<some TestedChannel>
  ) throws {
    closing.channel.close()
    closing.channel.close()
    #expect(!closing.channel.isOpen)
    #expect(!closing.channel.send(Side.foreign(1)))
    try pair.settle()
    #expect(closing.ends.isEmpty)
    #expect(other.ends == [.closed])
    #expect(!other.channel.isOpen)
  }

  @Test("delivers what was sent before the end, even if the other side had not read everything")
  func lastWords() throws {
    let pair = try ChannelPair(isProgramStarted: false)
    for id in 0..<50 as Range<UInt32> { pair.program.channel.send(.withdraw(.init(id: id))) }
    for id in 0..<50 as Range<UInt32> { pair.service.channel.send(.written(.init(id: id))) }
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
    for id in 0..<5 as Range<UInt32> { pair.service.channel.send(.written(.init(id: id))) }
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
    var service: ProgramChannel? = ProgramChannel(
      UnsharedDescriptor(taking: one), peer: Peer(process: 1, user: 0), loop: loop)
    let program = TestSide(
      ServiceChannel(UnsharedDescriptor(taking: other), peer: Peer(process: 1, user: 0), loop: loop))
    service?.start(onMessage: { _ in service = nil }, onEnd: { _ in Issue.record("ended") })
    program.channel.send(.withdraw(.init(id: 1)))
    program.channel.send(.withdraw(.init(id: 2)))
    try settleLoop(loop)
    #expect(service == nil)
    #expect(program.ends == [.closed])
  }

  @Test("receives what has arrived before the next dispatch, if asked")
  func pending() throws {
    let pair = try ChannelPair()
    for id in 0..<100 as Range<UInt32> { pair.service.channel.send(.written(.init(id: id))) }
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
    for id in 0..<100 as Range<UInt32> { pair.program.channel.send(.withdraw(.init(id: id))) }
    try pair.loop.dispatch()
    #expect((1...16).contains(pair.service.messages.count))
    try pair.settle()
    #expect(pair.service.messages.count == 100)
  }
}

@Suite("A hostile side of a channel")
struct HostileChannelTests {
  @Test("is cut off after a malformed message")
  func malformed() throws {
    try check(ProgramChannel.self)
    try check(ServiceChannel.self)
  }

  private func check<Side: TestedChannel>(_ type: Side.Type) throws {
    let peer = try RawPeer(type)
    peer.write(Record(Side.example(1)).bytes)
    peer.write([Record(Side.example(1)).kind, 1])
    peer.write(Record(Side.example(2)).bytes)
    try peer.settle()
    #expect(peer.side.messages == [Record(Side.example(1))])
    #expect(peer.side.ends == [.malformed])
  }

  @Test("may send messages for the other side, which are ignored")
  func direction() throws {
    let program = try RawPeer(ServiceChannel.self)
    program.write(Record(ServiceChannel.foreign(1)).bytes)
    let service = try RawPeer(ProgramChannel.self)
    service.write(Record(ProgramChannel.foreign(1)).bytes)
    try program.settle()
    try service.settle()
    #expect(program.side.messages.isEmpty && program.side.ends.isEmpty)
    #expect(service.side.messages.isEmpty && service.side.ends.isEmpty)
  }

  @Test("is cut off after a record that is too long")
  func tooLong() throws {
    let peer = try RawPeer(ServiceChannel.self)
    peer.write([Kind.notification, 0, 0] + [UInt8](repeating: 1, count: RecordLimits.payload))
    peer.write([UInt8](repeating: 1, count: RecordLimits.record + 1))
    try peer.settle()
    #expect(peer.side.messages.count == 1)
    #expect(peer.side.ends == [.malformed])
  }

  @Test("is cut off after an empty record")
  func empty() throws {
    let peer = try RawPeer(ServiceChannel.self)
    peer.write([])
    try peer.settle()
    #expect(peer.side.ends == [.closed])
  }

  @Test("may send unknown messages")
  func unknown() throws {
    let peer = try RawPeer(ServiceChannel.self)
    for kind in [0, 63, 200, 255] as [UInt8] { peer.write([kind, 1, 0, 1, 2, 3, 4, 5]) }
    peer.write(Record.service(.written(.init(id: 1))).bytes)
    try peer.settle()
    #expect(peer.side.messages == [.service(.written(.init(id: 1)))])
    #expect(peer.side.ends.isEmpty)
  }

  @Test("may send random bytes")
  func random() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<150 {
      try attack(ProgramChannel.self, &random)
      try attack(ServiceChannel.self, &random)
    }
  }

  private func attack(_ type: (some TestedChannel).Type, _ random: inout SeededRandom) throws {
    let peer = try RawPeer(type)
    for _ in 0..<50 {
      var bytes = (0..<Int.random(in: 1...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if Bool.random(using: &random) { bytes[0] = UInt8.random(in: 0...75, using: &random) }
      peer.write(bytes)
      try peer.settle()
    }
    #expect(peer.side.ends == [] || peer.side.ends == [.malformed])
  }

  @Test("passes no descriptors")
  func descriptors() throws {
    let peer = try RawPeer(ServiceChannel.self)
    let before = ScratchDirectory.names(in: "/proc/self/fd").count
    sendWithDescriptor(peer.socket.rawValue, Record.service(.written(.init(id: 1))).bytes)
    try peer.settle()
    #expect(peer.side.messages == [.service(.written(.init(id: 1)))])
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
