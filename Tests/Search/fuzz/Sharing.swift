import EventLoop
import Glibc

@testable import Sharing

extension Target {
  /// Messages between the service and its programs: decoding, then both sides of a channel with a hostile other side.
  static let sharing = Target(name: "sharing") { input in
    if let message = try? ServiceMessage(input) { requireStable(message) }
    if let message = try? ProgramMessage(input) { requireStable(message) }
    var choices = Choices(input)
    let loop = try EventLoop(clock: .virtual(VirtualClock()))
    let channels = HostileChannels(loop)
    while !choices.isEmpty { channels.act(&choices) }
    channels.finish()
    loop.close()
    loop.drain()
  }

  /// A decoded message can be sent unchanged. Texts that were repaired may have become longer than the limit.
  fileprivate static func requireStable(_ message: ServiceMessage) {
    let once = encoded { message.encode(into: &$0) }
    requireStable(
      once,
      try? once.withUnsafeBytes { (bytes) throws in
        try ServiceMessage(bytes).map { again in encoded { again.encode(into: &$0) } }
      })
  }

  fileprivate static func requireStable(_ message: ProgramMessage) {
    let once = encoded { message.encode(into: &$0) }
    requireStable(
      once,
      try? once.withUnsafeBytes { (bytes) throws in
        try ProgramMessage(bytes).map { again in encoded { again.encode(into: &$0) } }
      })
  }

  private static func requireStable(_ once: [UInt8], _ again: [UInt8]?) {
    guard let again else { fatalError("cannot be sent") }
    require(again == once, "changed on its way")
  }

  private static func encoded(_ encode: (inout MessageRecord) -> Void) -> [UInt8] {
    var record = MessageRecord()
    encode(&record)
    return record.bytes
  }
}

/// The service's side and a program's side of two channels, each with a hostile socket on the other side, and a channel
/// whose sides are both good.
private final class HostileChannels {
  private let loop: EventLoop
  /// The sides that the library controls, and the hostile ones.
  private let attackedProgram: ServiceChannel
  private let attackedService: ProgramChannel
  private var hostile: [SharedDescriptor] = []
  private var ends: [Int] = [0, 0]
  private let service: ProgramChannel
  private let program: ServiceChannel
  private var sentEvents: UInt64 = 0
  private var receivedEvents: UInt64 = 0
  private var reportedDrops: UInt64 = 0

  init(_ loop: EventLoop) {
    self.loop = loop
    let peer = Peer(process: 1, user: 0)
    let (good, first, second) = (Self.pair(), Self.pair(), Self.pair())
    service = ProgramChannel(UnsharedDescriptor(taking: good.0), peer: peer, loop: loop)
    program = ServiceChannel(UnsharedDescriptor(taking: good.1), peer: peer, loop: loop)
    attackedProgram = ServiceChannel(UnsharedDescriptor(taking: first.0), peer: peer, loop: loop)
    attackedService = ProgramChannel(UnsharedDescriptor(taking: second.0), peer: peer, loop: loop)
    hostile = [SharedDescriptor(taking: first.1), SharedDescriptor(taking: second.1)]
    service.start(onMessage: { Target.requireStable($0) }, onEnd: { _ in })
    program.start(
      onMessage: { [unowned self] message in
        if message.isEvent { receivedEvents += 1 }
        if case .dropped(let dropped) = message { reportedDrops += UInt64(dropped.count) }
      }, onEnd: { _ in })
    attackedProgram.start(
      onMessage: { [unowned self] message in
        Target.requireStable(message)
        require(ends[0] == 0, "a message after the end")
      }, onEnd: { [unowned self] _ in ends[0] += 1 })
    attackedService.start(
      onMessage: { [unowned self] message in
        Target.requireStable(message)
        require(ends[1] == 0, "a message after the end")
      }, onEnd: { [unowned self] _ in ends[1] += 1 })
  }

  private static func pair() -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    let type = SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    require(socketpair(AF_UNIX, Int32(type), 0, &ends) == 0, "no sockets")
    return (ends[0], ends[1])
  }

  private func settle() {
    for _ in 0..<10_000 {
      var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard Glibc.poll(&poll, 1, 0) == 1, (try? loop.dispatch()) != nil else { return }
    }
    fatalError("the loop does not rest")
  }

  func act(_ choices: inout Choices) {
    switch choices.index(below: 6) {
    case 0, 1: send(choices.bytes(), choices.index(below: 2))
    case 2:
      var bytes = choices.bytes()
      bytes.insert(
        contentsOf: [
          choices.pick(Array(1...24) + Array(64...73)), UInt8(choices.index(below: 6)), UInt8(choices.index(below: 4)),
        ], at: 0)
      send(bytes, choices.index(below: 2))
    case 3: send([UInt8](repeating: choices.byte(), count: 16 * Int(choices.byte()) + Int(choices.byte())), 0)
    case 4:
      let count = 8 * Int(choices.byte())
      for channel in [attackedService, service] { send(count, choices.byte(), on: channel) }
    default: settle()
    }
  }

  private func send(_ bytes: [UInt8], _ side: Int) {
    _ = Glibc.send(hostile[side].rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
  }

  /// Sends events and other messages, including some that are too long.
  private func send(_ count: Int, _ how: UInt8, on channel: ProgramChannel) {
    [UInt8](repeating: how, count: count * (how & 3 == 3 ? 3 : 1)).withUnsafeBytes { payload in
      for id in 0..<UInt32(how >> 4) {
        if channel === service, channel.isOpen { sentEvents += 1 }
        channel.send(.notification(.init(packet: payload)))
        if how & 4 != 0 { channel.send(.response(.init(id: id, packet: payload))) }
      }
    }
  }

  func finish() {
    settle()
    // A program is cut off if too much is sent before it can read.
    if service.isOpen {
      require(receivedEvents + reportedDrops == sentEvents, "\(receivedEvents) + \(reportedDrops) != \(sentEvents)")
    }
    for channel in [attackedService, attackedProgram, service, program] { channel.close() }
    require(ends.allSatisfy { $0 <= 1 }, "ended twice")
    settle()
  }
}
