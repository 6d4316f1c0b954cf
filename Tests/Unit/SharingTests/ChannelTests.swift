import EventLoop
import Glibc
import Testing
import TestWorld

@testable import Sharing

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
    // The socket has room for a few hundred messages.
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
