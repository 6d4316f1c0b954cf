import EventLoop
import Glibc
import TestWorld
import Testing

@testable import Jacquard
@testable import Sharing

/// Resources that one program of a service cannot take from the others.
@Suite("The limits of a service")
struct ServiceLimitsTests {
  @Test("one user's programs that say nothing do not push out those of another")
  func newcomers() throws {
    let loop = try EventLoop(clock: .virtual(VirtualClock()))
    var options = Service.Options(lingering: .seconds(10))
    options.busAddress = "unix:path=/nowhere"
    let service = try Service(options, loop: loop) { _ in }
    func program(user: UInt32, process: Int32) throws -> SharedDescriptor {
      var ends: [Int32] = [0, 0]
      guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
        throw SystemError(code: errno, call: "socketpair")
      }
      service.accept(
        ProgramChannel(UnsharedDescriptor(taking: ends[0]), peer: Peer(process: process, user: user), loop: loop))
      return SharedDescriptor(taking: ends[1])
    }
    func isOpen(_ program: SharedDescriptor) -> Bool {
      var byte: UInt8 = 0
      return recv(program.rawValue, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }
    let (other, sibling) = (try program(user: 2, process: 1), try program(user: 1, process: 2))
    let many = try (0..<200).map { _ in try program(user: 1, process: 3) }
    #expect(isOpen(other) && isOpen(sibling))
    #expect(many.count(where: isOpen) == 62)
    service.close()
    loop.close()
    loop.drain()
  }
}
