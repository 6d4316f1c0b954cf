import EventLoop
import Glibc
import Testing
import TestWorld

@testable import Sharing

/// Both ends of a channel on one loop.
final class ChannelPair {
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
final class RawPeer<Side: TestedChannel> {
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

func makePair() throws -> (Int32, Int32) {
  var ends: [Int32] = [-1, -1]
  let type = SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
  guard socketpair(AF_UNIX, Int32(type), 0, &ends) == 0 else { throw SystemError(code: errno, call: "socketpair") }
  return (ends[0], ends[1])
}

/// Dispatches until nothing is ready; a loop that never rests is an error.
func settleLoop(_ loop: EventLoop) throws {
  for _ in 0..<100_000 {
    var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, 0) == 1 else { return }
    try loop.dispatch()
  }
  Issue.record("the loop does not rest")
}

func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
