import EventLoop
import Glibc
import TestWorld
import Testing

@testable import Sharing

/// Programs of several processes and users with one service.
@Suite("What processes and users take of a service")
final class AccountTests {
  private let time = VirtualClock()
  private let loop: EventLoop
  private let accounts: Accounts

  init() throws {
    loop = try EventLoop(clock: .virtual(time))
    accounts = Accounts(loop)
  }

  deinit {
    loop.close()
    loop.drain()
  }

  /// The service's side of a channel, and the socket of the program.
  private final class Program {
    let side: TestSide<ProgramChannel>
    let socket: SharedDescriptor

    init(_ test: AccountTests, process: Int32, user: UInt32) throws {
      var ends: [Int32] = [0, 0]
      guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
        throw SystemError(code: errno, call: "socketpair")
      }
      socket = SharedDescriptor(taking: ends[1])
      side = TestSide(
        ProgramChannel(
          UnsharedDescriptor(taking: ends[0]), peer: Peer(process: process, user: user), accounts: test.accounts,
          loop: test.loop))
    }

    deinit { side.channel.close() }

    func flood(_ count: Int) {
      let record = Record(ProgramMessage.withdraw(.init(id: 1))).bytes
      for _ in 0..<count { _ = send(socket.rawValue, record, record.count, Int32(MSG_NOSIGNAL)) }
    }

    /// The number of messages handled since the last call.
    func takeHandled() -> Int {
      defer { side.messages = [] }
      return side.messages.count
    }
  }

  private func programs(_ count: Int, process: Int32, user: UInt32 = 1) throws -> [Program] {
    try (0..<count).map { _ in try Program(self, process: process, user: user) }
  }

  private func handled(_ programs: [Program]) -> Int { programs.reduce(0) { $0 + $1.takeHandled() } }

  @Test("a process with many channels has no more messages handled in a turn than one with a single channel")
  func turns() throws {
    let (one, many) = (try programs(1, process: 2), try programs(100, process: 1))
    for program in one + many { program.flood(40) }
    var (ofMany, ofOne) = (0, 0)
    for millisecond in 0..<510 {
      time.advance(by: .milliseconds(1))
      ofMany += handled(many)
      ofOne += handled(one)
      #expect(ofMany <= 8 * (millisecond + 2))
      #expect(ofOne >= min(ofMany, 40))
    }
    #expect(ofMany == 4000)
  }

  @Test("the channels of one process have their turns in a circle, and so have the processes of one user")
  func circles() throws {
    let other = try programs(1, process: 100, user: 2)
    let all = try (1...10).flatMap { try programs(8, process: $0) }
    for program in other + all { program.flood(50) }
    var counts = [Int](repeating: 0, count: all.count)
    var ofOther = 0
    for millisecond in 0..<40 {
      time.advance(by: .milliseconds(1))
      counts = zip(counts, all.map { $0.takeHandled() }).map(+)
      ofOther += handled(other)
      #expect(counts.reduce(0, +) <= 32 * (millisecond + 2))
      #expect(ofOther >= min(8 * (millisecond + 1), 50))
    }
    #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 16)
  }

  @Test("a channel that ends or pauses while its messages wait holds no one up")
  func endsWhileWaiting() throws {
    let all = try programs(4, process: 1)
    for program in all { program.flood(40) }
    try loop.dispatch()
    all[0].side.channel.close()
    all[1].side.channel.pause()
    _ = handled(Array(all[...1]))
    for _ in 0..<40 { time.advance(by: .milliseconds(1)) }
    #expect(handled(Array(all[...1])) == 0)
    #expect(handled(Array(all[2...])) == 80)
    all[1].side.start()
    time.advance(by: .milliseconds(1))
    #expect(handled([all[1]]) > 0)
  }

  /// Sends until the channel is cut off or `most` bytes have been sent; returns the number of bytes.
  private func fill(_ program: Program, _ most: Int) -> Int {
    var sent = 0
    withPayload(2048) { payload in
      let message = ServiceMessage.response(.init(id: 1, packet: payload))
      while sent < most, program.side.channel.send(message) { sent += payload.count }
    }
    return sent
  }

  @Test("the bytes that are kept for programs that do not read are limited for each process and each user")
  func keptBytes() throws {
    // The bytes that the kernel's buffer takes, and those that are kept for one channel.
    let capacity = fill(try programs(1, process: 1, user: 9)[0], .max)
    func filled(_ count: Int, process: Int32) throws -> [Program] {
      let all = try programs(count, process: process)
      for program in all { _ = fill(program, capacity - 60_000) }
      return all
    }
    func open(_ programs: [Program]) -> Int { programs.count { $0.side.channel.isOpen } }
    // Each keeps about 200 KiB.
    let first = try filled(20, process: 1)
    #expect((4...6).contains(open(first)))
    for program in first { program.side.channel.close() }
    let ofUser = try (1...12).flatMap { try filled(5, process: $0) }
    #expect((35...45).contains(open(ofUser)))
  }

  @Test("channels are counted for each process, each user and all, and no longer when they have ended")
  func channels() throws {
    var all = try programs(128, process: 1)
    let more = try programs(1, process: 1)
    #expect(more[0].side.channel.account?.hasRoom == false)
    #expect(try programs(1, process: 2)[0].side.channel.account?.hasRoom == true)
    all.removeLast()
    #expect(more[0].side.channel.account?.hasRoom == true)
  }

  @Test("processes in other namespaces share the account of their user")
  func containers() throws {
    let all = try programs(200, process: 0)
    #expect(all[0].side.channel.account === all[1].side.channel.account)
    #expect(all[0].side.channel.account?.hasRoom == true)
  }
}
