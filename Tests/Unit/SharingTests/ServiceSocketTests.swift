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

@Suite("The file of a service's socket")
struct ServiceListenerTests {
  private let scratch: ScratchDirectory
  private let loop: EventLoop
  private let path: String

  init() throws {
    scratch = try ScratchDirectory()
    loop = try EventLoop()
    path = scratch.path + "/socket"
  }

  private func listen() throws -> ServiceListener { try ServiceListener(path, loop: loop) { _ in } }

  private func isConnected() throws -> Bool {
    if case .connected = try ServiceSocket.connect(ServicePlace(path), loop: loop) { true } else { false }
  }

  private func refusal() -> String? {
    do throws(SharingError) {
      _ = try ServiceListener(path, loop: loop) { _ in }
      return nil
    } catch {
      return error.message
    }
  }

  @Test("is created for this user, and removed at the end")
  func created() throws {
    let listener = try listen()
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
    #expect(try isConnected())
    listener.close()
    #expect(ScratchDirectory.names(in: scratch.path) == [])
    listener.close()
  }

  /// The kind of file at the path before a service begins.
  enum Existing: CaseIterable { case file, link, danglingLink, linkToSocket, directory, fifo }

  @Test("never replaces a file that is not a socket", arguments: Existing.allCases)
  func others(_ existing: Existing) throws {
    let other = scratch.path + "/other"
    switch existing {
    case .file: close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    case .link:
      close(open(other, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
      symlink(other, path)
    case .danglingLink: symlink(other, path)
    case .linkToSocket:
      try makeLeftOver(other)
      symlink(other, path)
    case .directory: mkdir(path, 0o700)
    case .fifo: mkfifo(path, 0o600)
    }
    let names = ScratchDirectory.names(in: scratch.path)
    let before = identity()
    #expect(refusal() == "bind \(path), which is not a socket: File exists.")
    #expect(identity() == before)
    #expect(ScratchDirectory.names(in: scratch.path) == names)
  }

  private func identity() -> [UInt64] {
    var status = stat()
    #expect(lstat(path, &status) == 0)
    return [UInt64(status.st_dev), UInt64(status.st_ino), UInt64(status.st_mode)]
  }

  private func makeLeftOver(_ path: String, _ type: __socket_type = SOCK_SEQPACKET) throws {
    let socket = SharedDescriptor(taking: UnixAddress.makeSocket(type))
    let address = try #require(UnixAddress(path: path))
    #expect(address.withPointer { bind(socket.rawValue, $0, $1) } == 0)
    socket.close()
  }

  @Test("replaces a socket that was left over", arguments: [SOCK_SEQPACKET, SOCK_STREAM])
  func leftOver(_ type: __socket_type) throws {
    try makeLeftOver(path, type)
    let listener = try listen()
    #expect(try isConnected())
    listener.close()
    #expect(ScratchDirectory.names(in: scratch.path) == [])
  }

  @Test("does not replace the socket of another service, or of another program")
  func used() throws {
    let first = try listen()
    #expect(refusal() == "bind \(path): Address already in use.")
    #expect(try isConnected())
    first.close()
    let socket = SharedDescriptor(taking: UnixAddress.makeSocket(SOCK_DGRAM))
    let address = try #require(UnixAddress(path: path))
    #expect(address.withPointer { bind(socket.rawValue, $0, $1) } == 0)
    #expect(refusal() == "bind \(path): Address already in use.")
    #expect(ScratchDirectory.names(in: scratch.path) == ["socket"])
    socket.close()
  }

  @Test("that another service has replaced is not removed")
  func replaced() throws {
    let first = try listen()
    unlink(path)
    let second = try listen()
    first.close()
    #expect(try isConnected())
    second.close()
    #expect(ScratchDirectory.names(in: scratch.path) == [])
  }

  @Test("that was replaced by a file is not removed")
  func replacedByFile() throws {
    let listener = try listen()
    unlink(path)
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    listener.close()
    #expect(ScratchDirectory.names(in: scratch.path) == ["socket"])
  }

  @Test("an error of the directory is reported as it is")
  func directory() throws {
    rmdir(scratch.path)
    #expect(refusal() == "bind \(path): No such file or directory.")
  }
}
