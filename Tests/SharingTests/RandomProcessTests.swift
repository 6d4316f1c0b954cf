import EventLoop
import Glibc
import Testing
import TestWorld

/// Processes that are killed, stopped and continued in any order.
@Suite("Processes that share a tag, after random signals")
struct RandomProcessTests {
  private enum Role: Equatable {
    case host(Int)
    case guest(Int)

    var epoch: Int {
      switch self {
      case .host(let epoch), .guest(let epoch): epoch
      }
    }
  }

  private final class Member {
    let process: MemberProcess
    var role: Role?
    var isStopped = false

    init(_ parent: String) throws { process = try MemberProcess(parent) }

    var isHost: Bool { if case .host = role { true } else { false } }

    /// Follows its reports; waits for the first one.
    func follow(milliseconds: Int32) {
      var wait = milliseconds
      while let words = process.nextLine(wait) {
        switch words[0] {
        case "host": role = Int(words[1]).map { .host($0) }
        case "guest": role = Int(words[1]).map { .guest($0) }
        case "end", "superseded": role = nil
        default: break
        }
        wait = 0
      }
    }
  }

  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 32) | (state << 32)
    }
  }

  /// Whether those that run have one host, which has the highest epoch, and are its guests.
  private func isSettled(_ members: [Member]) -> Bool {
    let roles = members.filter { !$0.isStopped }.map(\.role)
    guard let epoch = roles.compactMap({ $0?.epoch }).max() else { return roles.isEmpty }
    return roles.filter { $0 == .host(epoch) }.count == 1
      && roles.filter { $0 == .guest(epoch) }.count == roles.count - 1
  }

  @Test("agree on one host", arguments: 1...3 as ClosedRange<UInt64>)
  func agree(_ seed: UInt64) throws {
    let scratch = try ScratchDirectory()
    var random = Generator(state: seed)
    var members = try (0..<4).map { _ in try Member(scratch.path) }
    for round in 0..<25 {
      for member in members where Bool.random(using: &random) { member.process.tell("announce \(round) writing") }
      let running = members.filter { !$0.isStopped }
      let victim = running.first(where: \.isHost) ?? running[0]
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1, 2:
        victim.process.kill()
        members.removeAll { $0 === victim }
      case 3 where members.filter(\.isStopped).count < 3:
        victim.process.stop()
        victim.isStopped = true
        // Notices that it hangs.
        members.append(try Member(scratch.path))
      case 4:
        let guest = running[Int.random(in: 0..<running.count, using: &random)]
        guest.process.kill()
        members.removeAll { $0 === guest }
      default:
        for member in members where member.isStopped {
          member.process.signal(SIGCONT)
          member.isStopped = false
        }
      }
      while members.filter({ !$0.isStopped }).count < 3 { members.append(try Member(scratch.path)) }
      let end = ContinuousClock.now + .seconds(10)
      repeat {
        for member in members { member.follow(milliseconds: 5) }
      } while !isSettled(members) && ContinuousClock.now < end
      #expect(isSettled(members), "round \(round): \(members.map { "\($0.isStopped) \(String(describing: $0.role))" })")
    }
  }
}
