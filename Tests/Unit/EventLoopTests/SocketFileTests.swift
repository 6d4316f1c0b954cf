import EventLoop
import Glibc
import Testing
import TestWorld

@Suite("The file of a listening socket")
struct SocketFileTests {
  private let scratch: ScratchDirectory
  private let path: String

  init() throws {
    scratch = try ScratchDirectory()
    path = scratch.path + "/socket"
  }

  private func makeLeftOver() throws {
    let socket = SharedDescriptor(taking: UnixAddress.makeSocket(SOCK_SEQPACKET))
    let address = try #require(UnixAddress(path: path))
    #expect(address.withPointer { bind(socket.rawValue, $0, $1) } == 0)
    socket.close()
  }

  private var answers: Bool {
    let socket = SharedDescriptor(taking: UnixAddress.makeSocket(SOCK_SEQPACKET))
    return UnixAddress(path: path)?.withPointer { connect(socket.rawValue, $0, $1) } == 0
  }

  private typealias Listening = (socket: SharedDescriptor, file: SocketFile)

  private static func listen(_ path: String) -> Listening? {
    let socket = SharedDescriptor(taking: UnixAddress.makeSocket(SOCK_SEQPACKET))
    return (try? SocketFile(path, socket: socket.rawValue, backlog: 16)).map { (socket, $0) }
  }

  /// Simulates services that begin at the same time after one was killed.
  @Test("has at most one owner, which others can reach")
  func together() async throws {
    var successes = 0
    for round in 0..<500 {
      try makeLeftOver()
      let owners = await withTaskGroup(of: Listening?.self) { group in
        for _ in 0..<4 { group.addTask { [path] in Self.listen(path) } }
        return await group.reduce(into: [Listening]()) { if let new = $1 { $0.append(new) } }
      }
      #expect(owners.count <= 1, "round \(round)")
      #expect(answers == !owners.isEmpty, "round \(round)")
      successes += owners.count
      for owner in owners {
        owner.file.remove()
        owner.socket.close()
      }
      unlink(path)
      #expect(ScratchDirectory.names(in: scratch.path) == [], "round \(round)")
    }
    #expect(successes > 250)
  }

  @Test("in the current directory has a name without a folder")
  func relative() throws {
    let socket = SharedDescriptor(taking: UnixAddress.makeSocket(SOCK_SEQPACKET))
    let name = "jacquard-test-\(getpid())"
    let file = try SocketFile(name, socket: socket.rawValue, backlog: 1)
    #expect(access(name, F_OK) == 0)
    file.remove()
    #expect(access(name, F_OK) != 0)
  }
}
