import EventLoop
import Glibc
import TestWorld
import Testing

@testable import Sharing

@Suite("The socket of a service")
struct ServiceSocketTests {
  private let scratch: ScratchDirectory
  private let loop: EventLoop
  private let path: String

  init() throws {
    scratch = try ScratchDirectory()
    loop = try EventLoop()
    path = scratch.path + "/socket"
  }

  private func contact(_ path: String) throws -> String {
    switch try ServiceSocket.connect(ServicePlace(path), loop: loop) {
    case .connected: "connected"
    case .absent: "absent"
    case .refused: "refused"
    case .full: "full"
    }
  }

  private func bound(_ path: String) throws -> SharedDescriptor {
    let socket = SharedDescriptor(taking: UnixAddress.makeSocket(SOCK_SEQPACKET))
    let address = try #require(UnixAddress(path: path))
    #expect(address.withPointer { bind(socket.rawValue, $0, $1) } == 0)
    return socket
  }

  private func makeFile(_ path: String) { close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) }

  @Test("what a program finds there")
  func contacts() throws {
    #expect(try contact(path) == "absent")
    #expect(try contact(path + "/below") == "absent")
    makeFile(path)
    #expect(try contact(path) == "absent")
    #expect(try contact(path + "/below") == "absent")
    unlink(path)
    mkfifo(path, 0o600)
    #expect(try contact(path) == "absent")
    unlink(path)
    mkdir(path, 0o700)
    #expect(try contact(path) == "absent")
    rmdir(path)
    let socket = try bound(path)
    #expect(try contact(path) == "refused")
    #expect(listen(socket.rawValue, 2) == 0)
    #expect(try contact(path) == "connected")
    let link = scratch.path + "/link"
    symlink(path, link)
    var waiting: [Channel] = []
    while case .connected(let channel) = try ServiceSocket.connect(ServicePlace(path), loop: loop) {
      waiting.append(channel)
    }
    #expect(!waiting.isEmpty)
    #expect(try contact(link) == "full")
    withExtendedLifetime((socket, waiting)) {}
  }

  @Test("a socket that no process has open any more refuses")
  func leftOver() throws {
    try bound(path).close()
    #expect(try contact(path) == "refused")
  }
}
