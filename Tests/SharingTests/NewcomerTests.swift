import EventLoop
import Glibc
import Testing
import TestWorld

@testable import Sharing

/// A program that connects to a host, or a host, in bytes.
private final class RawProgram {
  let socket: UnsharedDescriptor

  init(connectingTo epoch: UInt64, _ fixture: SharingFixture) throws {
    let files = MeetingFiles(fixture.directory, bus: "bus", tag: "tag")
    guard let socket = try LocalSocket.connect(files.socket(epoch), fixture.directory) else {
      throw SharingFixture.Unexpected()
    }
    self.socket = socket
  }

  init(taking descriptor: Int32) { socket = UnsharedDescriptor(taking: descriptor) }

  func write(_ bytes: [UInt8]) { _ = send(socket.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  /// Nil at the end; empty if there is none now.
  func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 8192)
    while true {
      let count = recv(socket.rawValue, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == ECONNRESET { continue }
      if count < 0 { return [] }
      return count == 0 ? nil : Array(bytes.prefix(count))
    }
  }
}

@Suite("A program that connects to a host")
struct NewcomerTests {
  @Test("is welcomed in reply to its hello")
  func welcomed() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let program = try RawProgram(connectingTo: 1, fixture)
    try fixture.settle()
    #expect(program.read() == [])
    #expect(host.guests.isEmpty)
    program.write(Received(.hello(version: 1)).bytes)
    try fixture.settle()
    #expect(program.read() == Received(.welcome(version: 1, epoch: 1)).bytes)
    #expect(host.guests.count == 1)
    #expect(fixture.isIdle)
  }

  @Test("is refused by name if it uses another version", arguments: [0, 2, UInt32.max])
  func otherVersion(_ version: UInt32) throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let program = try RawProgram(connectingTo: 1, fixture)
    program.write(Received(.hello(version: version)).bytes + [1, 2, 3])
    try fixture.settle()
    #expect(program.read() == Received(.refused(.version)).bytes)
    #expect(program.read() == nil)
    #expect(host.guests.isEmpty)
    #expect(fixture.isIdle)
  }

  @Test("must begin with hello")
  func noHello() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    for bytes in [Received(.withdraw(id: 1)).bytes, Received(.accepted(id: 1)).bytes, [64], []] {
      let program = try RawProgram(connectingTo: 1, fixture)
      program.write(bytes)
      try fixture.settle()
      #expect(program.read() == nil)
    }
    #expect(host.guests.isEmpty)
    #expect(fixture.isIdle)
  }

  @Test("is disconnected if it says nothing for two seconds")
  func silent() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let program = try RawProgram(connectingTo: 1, fixture)
    try fixture.settle()
    fixture.time.advance(by: .milliseconds(1999))
    try fixture.settle()
    #expect(program.read() == [])
    fixture.time.advance(by: .milliseconds(1))
    try fixture.settle()
    #expect(program.read() == nil)
    #expect(fixture.isIdle)
    withExtendedLifetime(host) {}
  }

  @Test("does not keep others out by saying nothing")
  func manySilent() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let programs = try (0..<200).map { _ in try RawProgram(connectingTo: 1, fixture) }
    try fixture.settle()
    #expect(throws: SharingError.refused(.full, by: getpid())) { try fixture.enter() }
    fixture.time.advance(by: .seconds(2))
    _ = try fixture.guest()
    #expect(host.guests.count == 1)
    withExtendedLifetime(programs) {}
  }

  @Test("leaves the present guests alone when it floods the host")
  func flooding() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let guest = try fixture.guest()
    let program = try RawProgram(connectingTo: 1, fixture)
    program.write(Received(.hello(version: 1)).bytes)
    for _ in 0..<1000 { program.write(Received(.reserve(kind: 1)).bytes) }
    host.guests[0].channel.send(.name("tag"))
    try fixture.settle()
    #expect(guest.messages == [Received(.name("tag"))])
  }

  @Test("is not accepted while the process lacks descriptors, and is afterwards")
  func noDescriptors() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let program = try RawProgram(connectingTo: 1, fixture)
    program.write(Received(.hello(version: 1)).bytes)
    var old = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
    var none = old
    none.rlim_cur = 0
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
    let settled = Result { try fixture.loop.dispatch() }
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
    try settled.get()
    #expect(host.guests.isEmpty)
    #expect(!fixture.isReadable)
    fixture.time.advance(by: .seconds(1))
    try fixture.settle()
    #expect(host.guests.count == 1)
    #expect(fixture.isIdle)
  }

  @Test(
    "that is refused by a host of another version reports it",
    arguments: [
      Received(.refused(.version)), Received(.welcome(version: 2, epoch: 1)), Received(.welcome(version: 1, epoch: 9)),
      Received(.accepted(id: 1)),
    ])
  private func otherHost(_ reply: Received) throws {
    let fixture = try SharingFixture()
    let silent = try fixture.silentHost()
    // In place of the silent host's socket.
    let listener = try LocalSocket.listen(
      MeetingFiles(fixture.directory, bus: "bus", tag: "tag").socket(1), fixture.directory)
    let watch = try fixture.loop.watch(listener.rawValue, for: .readable) { [descriptor = listener.rawValue] _ in
      let program = RawProgram(taking: accept(descriptor, nil, nil))
      if program.socket.rawValue >= 0 { program.write(reply.bytes) }
    }
    defer { watch.cancel() }
    #expect(throws: SharingError.refused(.version, by: getpid())) { try fixture.enter() }
    withExtendedLifetime(silent) {}
  }

  /// The kernel records the user at connect() and listen().
  private func asOtherUser<Result>(_ body: () throws -> Result) rethrows -> Result {
    seteuid(65534)
    defer { seteuid(0) }
    return try body()
  }

  @Test("is disconnected if it belongs to another user", .enabled(if: geteuid() == 0))
  func otherUser() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let path = fixture.path(".sock")
    for directory in [fixture.scratch.path, fixture.directory.path, path] { chmod(directory, 0o777) }
    let program = RawProgram(taking: socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let connected = asOtherUser {
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(program.socket.rawValue, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
    #expect(connected == 0)
    program.write(Received(.hello(version: 1)).bytes)
    try fixture.settle()
    #expect(program.read() == nil)
    #expect(host.guests.isEmpty)
    #expect(fixture.isIdle)
  }

  @Test("does not trust a host of another user", .enabled(if: geteuid() == 0))
  func hostOfOtherUser() throws {
    let fixture = try SharingFixture()
    let silent = try fixture.silentHost()
    let listener = try LocalSocket.listen(
      MeetingFiles(fixture.directory, bus: "bus", tag: "tag").socket(1), fixture.directory)
    let descriptor = listener.rawValue
    #expect(asOtherUser { listen(descriptor, 1) } == 0)
    #expect(throws: SharingError.system(code: EPERM, call: "SO_PEERCRED")) { try fixture.enter() }
    withExtendedLifetime(silent) {}
  }
}
