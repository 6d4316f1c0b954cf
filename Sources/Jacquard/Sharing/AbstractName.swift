import EventLoop
import Glibc
import Sharing

/// A name in the kernel's abstract namespace of Unix sockets. The first process that binds a listening socket to it has
/// it until it ends, however it ends. Another program connects, reads from its socket which process that is, and sees
/// the connection end when the name is free.
struct AbstractName {
  /// Maximum number of waiting connections, including those whose programs have given up. They are never accepted, so
  /// they do not wake the owner.
  private static let backlog: Int32 = 256

  private let address: UnixAddress

  /// A long name is cut off: a bus chooses its ID.
  init(_ name: String) throws(JacquardError) {
    let short = String(decoding: name.utf8.prefix(100), as: UTF8.self)
    guard let address = UnixAddress(abstract: short) else { throw Self.failure("bind", ENAMETOOLONG) }
    self.address = address
  }

  /// Creates a listening socket with the name; nil if another socket has it.
  func bind() throws(JacquardError) -> OwnedDescriptor? {
    let socket = try makeSocket()
    guard address.withPointer({ Glibc.bind(socket.rawValue, $0, $1) }) == 0 else {
      if errno == EADDRINUSE { return nil }
      throw Self.failure("bind", errno)
    }
    guard listen(socket.rawValue, Self.backlog) == 0 else { throw Self.failure("listen", errno) }
    return socket
  }

  /// A connection to the program that has the name. Nil if no program listens, or its backlog is full.
  func connect() throws(JacquardError) -> OwnedDescriptor? {
    let socket = try makeSocket()
    guard address.withPointer({ Glibc.connect(socket.rawValue, $0, $1) }) == 0 else { return nil }
    return socket
  }

  private func makeSocket() throws(JacquardError) -> OwnedDescriptor {
    let socket = OwnedDescriptor(taking: UnixAddress.makeSocket(SOCK_STREAM))
    guard socket.rawValue >= 0 else { throw Self.failure("socket", errno) }
    return socket
  }

  static func failure(_ call: String, _ code: Int32) -> JacquardError {
    var error = JacquardError(.system, "Cannot create the lock socket: \(call) failed.")
    error.systemErrno = code
    return error
  }
}
