import EventLoop
import Glibc

/// A name in the kernel's abstract namespace of Unix sockets. The first process that binds a listening socket to it has it
/// until it ends, however it ends. Another program connects, reads from its socket which process that is, and sees the connection
/// end when the name is free.
struct AbstractName {
  /// A connection to the program that listens.
  struct Holder: ~Copyable {
    let socket: OwnedDescriptor

    /// The process that called `listen`; nil if the kernel does not report it, as for another PID namespace.
    var process: pid_t? { credentials.flatMap { $0.process > 0 ? $0.process : nil } }

    var user: uid_t? { credentials?.user }

    private var credentials: (process: pid_t, user: uid_t, group: gid_t)? {
      // struct ucred
      var credentials: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
      var size = socklen_t(MemoryLayout.size(ofValue: credentials))
      guard getsockopt(socket.rawValue, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
      return credentials
    }
  }

  /// Maximum number of waiting connections, including those whose programs have given up. They are never accepted, so they
  /// do not wake the owner.
  private static let backlog: Int32 = 256

  private var address = sockaddr_un()
  private var length: socklen_t = 0

  /// An abstract name begins with NUL and ends with the address. A name that does not fit is truncated, because a bus
  /// chooses its ID.
  init(_ name: String) {
    address.sun_family = sa_family_t(AF_UNIX)
    let size = withUnsafeMutableBytes(of: &address.sun_path) { path in
      let bytes = [0] + name.utf8.prefix(path.count - 1)
      path.copyBytes(from: bytes)
      return bytes.count
    }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
    length = socklen_t(start + size)
  }

  /// Creates a listening socket with the name; nil if another socket has it.
  func bind() throws(JacquardError) -> OwnedDescriptor? {
    let socket = try makeSocket()
    guard withAddress({ Glibc.bind(socket.rawValue, $0, length) }) == 0 else {
      if errno == EADDRINUSE { return nil }
      throw Self.failure("bind", errno)
    }
    guard listen(socket.rawValue, Self.backlog) == 0 else { throw Self.failure("listen", errno) }
    return socket
  }

  /// Nil if no program listens, or its backlog is full.
  func connect() throws(JacquardError) -> Holder? {
    let socket = try makeSocket()
    guard withAddress({ Glibc.connect(socket.rawValue, $0, length) }) == 0 else { return nil }
    return Holder(socket: socket)
  }

  private func makeSocket() throws(JacquardError) -> OwnedDescriptor {
    let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let socket = OwnedDescriptor(taking: Glibc.socket(AF_UNIX, Int32(flags), 0))
    guard socket.rawValue >= 0 else { throw Self.failure("socket", errno) }
    return socket
  }

  private func withAddress(_ body: (UnsafePointer<sockaddr>) -> Int32) -> Int32 {
    withUnsafePointer(to: address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
  }

  static func failure(_ call: String, _ code: Int32) -> JacquardError {
    var error = JacquardError(.system, "Cannot create the lock socket: \(call) failed.")
    error.systemErrno = code
    return error
  }
}

extension JacquardError {
  static func inUse(by process: pid_t?) -> JacquardError {
    guard let process else { return JacquardError(.inUse, Code.inUse.text) }
    guard process != getpid() else {
      return JacquardError(.inUse, "Another manager in this program is using this tag.")
    }
    return JacquardError(.inUse, "Another program is using this tag: \(description(ofProcess: process)).")
  }

  static let inUseByUnknown = JacquardError(
    .inUse,
    "The tag was already connected, and its notifications are enabled for a program that is not known or has just ended.",
    advice: "None needed at first. If commands fail, stop the other programs that use the tag.")

  static var ownProcess: pid_t { getpid() }

  static func description(ofProcess process: pid_t) -> String {
    programName(of: process).map { "\($0), process \(process)" } ?? "process \(process)"
  }

  /// The name that `ps` shows, up to 15 bytes chosen by the program; nil if it is not readable.
  private static func programName(of process: pid_t) -> String? {
    let file = OwnedDescriptor(taking: open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC))
    guard file.rawValue >= 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(file.rawValue, &bytes, bytes.count)
    guard count > 1 else { return nil }
    // Control characters could reach terminals.
    let printable = bytes.prefix(count - 1).map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: "?") : $0 }
    return String(decoding: printable, as: UTF8.self)
  }
}
