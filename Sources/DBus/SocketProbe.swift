import CLinux
import EventLoop
import Glibc

/// Checks whether a bus responds on a socket, without ever blocking in a system call.
///
/// libdbus connects with a blocking `connect`, which stalls while a hung server leaves its queue of new connections
/// full. Therefore a separate non-blocking connection is made first, which sends enough of the authentication protocol
/// to get a response: a server that responds will also accept the next connection.
final class SocketProbe {
  private let loop: EventLoop
  private let socket: SharedDescriptor
  private let failure: SystemError?
  private let answer = Completion<Void, BusError>()
  private var watch: IOWatch?

  init(_ loop: EventLoop) {
    self.loop = loop
    let descriptor = UnixAddress.makeSocket(SOCK_STREAM)
    failure = descriptor < 0 ? .last("socket") : nil
    socket = SharedDescriptor(taking: descriptor)
  }

  /// Returns when a server responds at `entry`.
  func wait(at entry: BusAddress.Entry) async throws(BusError) {
    defer { end() }
    try begin(entry.socket)
    try await answer.value()
  }

  func cancel() { answer.fail(.disconnected) }

  private func begin(_ name: BusAddress.Entry.Socket) throws(BusError) {
    if let failure { throw BusError(failure) }
    // A Unix socket connects or fails immediately; EAGAIN means that the server's queue is full.
    guard Self.connect(socket.rawValue, name) == 0 else {
      throw BusError(.last("connect"))
    }
    // A NUL carries the credentials; AUTH without arguments is the shortest request.
    let question = "\0AUTH\r\n"
    guard send(socket.rawValue, question, question.utf8.count, Int32(MSG_NOSIGNAL)) == question.utf8.count
    else { throw BusError(.last("send")) }
    do {
      watch = try loop.watch(socket.rawValue, for: .readable) { [unowned self] _ in hear() }
    } catch {
      throw BusError(error)
    }
  }

  private func hear() {
    var byte: UInt8 = 0
    switch recv(socket.rawValue, &byte, 1, Int32(MSG_DONTWAIT)) {
    case 1...: answer.succeed(())
    case 0: answer.fail(.unreachable("the server closed the connection"))
    default:
      guard errno != EAGAIN, errno != EINTR else { return }
      answer.fail(BusError(.last("recv")))
    }
  }

  private func end() {
    watch?.cancel()
    socket.close()
  }

  private static func connect(_ socket: Int32, _ name: BusAddress.Entry.Socket) -> Int32 {
    let address =
      switch name {
      case .path(let path): UnixAddress(path: path)
      case .abstract(let name): UnixAddress(abstract: name)
      }
    guard let address else {
      errno = ENAMETOOLONG
      return -1
    }
    return address.withPointer { Glibc.connect(socket, $0, $1) }
  }
}
