import CLinux
import EventLoop
import Glibc

/// Accepts the programs that connect to a service's socket.
public final class ServiceListener {
  /// Programs accepted in one dispatch; the others wait in the kernel, in order.
  private static let mostPerDispatch = 4
  /// The pause after a lack of descriptors or memory: the kernel reports waiting connections again and again.
  private static let acceptPause: Duration = .seconds(1)

  private let loop: EventLoop
  private let accepted: (ProgramChannel) -> Void
  private let accounts: Accounts
  private var socket: UnsharedDescriptor?
  private var watch: IOWatch?
  private var pause: LoopTimer?
  /// Nil for a socket that a supervisor has created.
  private let file: SocketFile?

  /// Listens at `path`, which only this user can connect to.
  ///
  /// - Parameter accepted: called with each program's channel, whose messages have not been read.
  public convenience init(
    _ path: String, loop: EventLoop, accepted: @escaping (ProgramChannel) -> Void
  ) throws(SharingError) {
    let socket = try ServiceSocket.make()
    // Becomes the mode of the file.
    _ = fchmod(socket.rawValue, 0o600)
    let file: SocketFile
    do throws(SystemError) {
      file = try SocketFile(path, socket: socket.rawValue, backlog: ServiceSocket.backlog)
    } catch {
      throw SharingError(error)
    }
    try self.init(socket, file, loop, accepted)
  }

  /// Takes ownership of a listening socket that the process has inherited, as from socket activation. Listening again
  /// makes this process, not the supervisor, the one that the kernel reports to programs (SO_PEERCRED).
  public convenience init(
    inherited: Int32, loop: EventLoop, accepted: @escaping (ProgramChannel) -> Void
  ) throws(SharingError) {
    try ServiceSocket.check(inherited: inherited)
    let flags = fcntl(inherited, F_GETFL)
    guard flags >= 0, fcntl(inherited, F_SETFL, flags | O_NONBLOCK) == 0, fcntl(inherited, F_SETFD, FD_CLOEXEC) == 0
    else { throw .last("fcntl") }
    guard listen(inherited, ServiceSocket.backlog) == 0 else { throw .last("listen") }
    try self.init(UnsharedDescriptor(taking: inherited), nil, loop, accepted)
  }

  private init(
    _ socket: consuming UnsharedDescriptor, _ file: SocketFile?, _ loop: EventLoop,
    _ accepted: @escaping (ProgramChannel) -> Void
  ) throws(SharingError) {
    self.socket = consume socket
    self.file = file
    self.loop = loop
    self.accepted = accepted
    accounts = Accounts(loop)
    try begin()
  }

  deinit { close() }

  private func begin() throws(SharingError) {
    guard watch == nil, let descriptor = socket?.rawValue else { return }
    do throws(SystemError) {
      watch = try loop.watch(descriptor, for: .readable) { [weak self] _ in self?.accept() }
    } catch {
      throw SharingError(error)
    }
  }

  private func accept() {
    for _ in 0..<Self.mostPerDispatch {
      guard watch != nil, let listener = socket?.rawValue else { return }
      let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
      let socket = UnsharedDescriptor(taking: accept4(listener, nil, nil, Int32(flags)))
      guard socket.rawValue >= 0 else {
        switch errno {
        case EAGAIN: return
        case EINTR, ECONNABORTED: continue
        default: return pauseAccepting()
        }
      }
      guard let peer = Peer(of: socket.rawValue) else { continue }
      accepted(ProgramChannel(socket, peer: peer, accounts: accounts, loop: loop))
    }
  }

  private func pauseAccepting() {
    watch?.cancel()
    watch = nil
    pause = loop.schedule(after: Self.acceptPause) { [weak self] in try? self?.begin() }
  }

  /// Stops listening, and removes the socket's file if this object created it. Accepted channels stay open.
  public func close() {
    pause?.cancel()
    watch?.cancel()
    watch = nil
    if socket != nil { file?.remove() }
    socket = nil
  }
}
