import EventLoop
import Glibc
import Testing
import TestWorld

@testable import Sharing

/// Real processes that are killed and stopped.
@Suite("Processes that share a tag")
struct ProcessTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// - Parameter milliseconds: the time after which a host that does not reply hangs. Longer than the machine may be busy.
  private func member(milliseconds: Int = 5000) throws -> MemberProcess {
    try MemberProcess(scratch.path, milliseconds: milliseconds)
  }

  private func host() throws -> MemberProcess {
    let host = try member()
    #expect(try host.line("host") == ["1"])
    return host
  }

  private func guest(of host: MemberProcess) throws -> MemberProcess {
    let guest = try member()
    #expect(try guest.line("guest").last == String(host.process))
    return guest
  }

  @Test("of twenty started at the same moment, one is the host")
  func twenty() throws {
    let members = try (0..<20).map { _ in try member() }
    var hosts: [String] = []
    var guests: [String] = []
    for member in members {
      let line = try #require(member.nextLine())
      if line.first == "host" { hosts.append(String(member.process)) } else { guests.append(line.last ?? "") }
    }
    #expect(hosts.count == 1)
    #expect(guests == Array(repeating: hosts[0], count: 19))
  }

  @Test("a guest succeeds a host that is killed, and knows what it announced last")
  func killed() throws {
    let host = try host()
    let guest = try guest(of: host)
    host.tell("announce 41 writing")
    _ = try host.line("announced")
    host.kill()
    #expect(try guest.line("end") == ["closed"])
    #expect(try guest.line("host") == ["2", "after", "1", "41", "writing"])
    _ = try guest.line("ended")
    guest.tell("announce 42")
    _ = try guest.line("announced")
    guest.kill()
    let next = try member()
    #expect(try next.line("host") == ["3", "after", "2", "42"])
  }

  @Test("of many guests of a host that is killed, one is the successor, again and again")
  func killedRepeatedly() throws {
    var members = try (0..<6).map { _ in try member() }
    var epoch = 1
    while members.count > 1 {
      var host: MemberProcess?
      for member in members {
        // A member may have tried to reach a host that ended.
        while let line = member.nextLine() {
          if line.first == "host" {
            #expect(host == nil)
            #expect(line[1] == String(epoch))
            host = member
            break
          }
          if line.first == "guest", line[1] == String(epoch) { break }
        }
      }
      let ended = try #require(host)
      ended.kill()
      members.removeAll { $0 === ended }
      epoch += 1
    }
    #expect(try members[0].line("host").first == "6")
  }

  @Test("a host that is stopped is replaced, and is a guest when it continues")
  func stopped() throws {
    let host = try host()
    let passive = try guest(of: host)
    host.tell("announce 7")
    _ = try host.line("announced")
    host.stop()
    let successor = try member(milliseconds: 200)
    #expect(try successor.line("host") == ["2", "after", "1", "7", "running"])
    // It waited for nothing, and noticed all the same.
    #expect(try passive.line("end") == ["superseded"])
    #expect(try passive.line("guest") == ["2", String(successor.process)])
    host.tell("announce 8 writing")
    host.signal(SIGCONT)
    // In any order.
    var lines: [String] = []
    while let line = host.nextLine() {
      lines.append(line.joined(separator: " "))
      if line.first == "guest" { break }
    }
    #expect(Set(lines).subtracting(["gone"]) == ["not announced", "superseded", "guest 2 \(successor.process)"])
    _ = try successor.line("ended")
    successor.tell("name tag")
    #expect(try host.line("name") == ["tag"])
    #expect(try passive.line("name") == ["tag"])
  }

  @Test("a host that is killed while it is stopped is no longer awaited")
  func stoppedAndKilled() throws {
    let host = try host()
    host.stop()
    let successor = try member(milliseconds: 200)
    #expect(try successor.line("host").last == "running")
    #expect(successor.nextLine(50) == nil)
    host.kill()
    _ = try successor.line("ended")
  }

  @Test("a guest that is stopped continues with what it missed")
  func stoppedGuest() throws {
    let host = try host()
    let guest = try guest(of: host)
    guest.stop()
    host.tell("name one")
    host.tell("announce 1")
    _ = try host.line("announced")
    guest.signal(SIGCONT)
    #expect(try guest.line("name") == ["one"])
  }

  @Test("a guest that is killed leaves the host alone")
  func killedGuest() throws {
    let host = try host()
    let first = try guest(of: host)
    let second = try guest(of: host)
    first.kill()
    second.tell("request 3")
    #expect(try host.line("request") == ["3"])
    host.tell("name tag")
    #expect(try second.line("name") == ["tag"])
  }

  @Test("a forked child does not keep the seat of its parent, nor the channels of its guests")
  func forkedHost() throws {
    let host = try host()
    let guest = try guest(of: host)
    host.tell("fork")
    let child = try #require(pid_t(try host.line("child")[0]))
    defer { kill(child, SIGKILL) }
    // Closing in the child releases nothing of the parent's.
    host.tell("name tag")
    #expect(try guest.line("name") == ["tag"])
    host.kill()
    #expect(kill(child, 0) == 0)
    #expect(try guest.line("end") == ["closed"])
    #expect(try guest.line("host") == ["2", "after", "1", "0"])
  }

  @Test("a forked child of a guest does not keep its channel")
  func forkedGuest() throws {
    let host = try host()
    let guest = try guest(of: host)
    guest.tell("fork")
    let child = try #require(pid_t(try guest.line("child")[0]))
    defer { kill(child, SIGKILL) }
    guest.tell("request 5")
    #expect(try host.line("request") == ["5"])
    guest.kill()
    #expect(kill(child, 0) == 0)
    _ = try host.line("gone")
  }

  @Test("do nothing while nothing happens")
  func idle() throws {
    let host = try host()
    let guest = try guest(of: host)
    host.tell("name tag")
    _ = try guest.line("name")
    #expect(host.nextLine(100) == nil)
    let before = try [host, guest].map(switches)
    #expect(guest.nextLine(500) == nil)
    #expect(try [host, guest].map(switches) == before)
  }

  /// How often the process has waited.
  private func switches(_ member: MemberProcess) throws -> String {
    let file = try #require(fopen("/proc/\(member.process)/status", "r"))
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if text.hasPrefix("voluntary_ctxt_switches") { return text }
    }
    return ""
  }
}
