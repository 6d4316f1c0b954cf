import EventLoop
import Glibc

/// The lock on a tag. Among all programs on a bus that use this library, one connection at a time can hold it.
///
/// The lock is a listening socket with a name in the kernel's abstract namespace. The first process that binds the name
/// owns it until that process ends, however it ends. Connections are never accepted, so they do not wake the owner.
/// Another program that wants the tag connects, reads from its socket which process owns the tag, and sees the
/// connection end when the tag is released.
final class TagLock {
  /// Maximum number of waiting connections, including those whose programs have given up.
  static let backlog: Int32 = 256
  /// Until a program that has taken the name listens, which it does immediately.
  private static let bindingTime: Duration = .milliseconds(100)

  private let identifier: TagIdentifier
  private let loop: EventLoop
  private var socket: OwnedDescriptor?
  private var bus: String?

  init(_ identifier: TagIdentifier, _ loop: EventLoop) {
    self.identifier = identifier
    self.loop = loop
  }

  /// Waits for an owner that is about to release the tag. A new instance of the bus is a different bus; its programs
  /// must be asked again.
  ///
  /// Anyone can take the name. It is ignored, and this returns without the lock, if the kernel does not report who
  /// listens: no one does, or the backlog is full.
  ///
  /// - Parameter isUsed: whether the tag is known to be used. Otherwise the lock of another user is ignored as well.
  func take(on bus: String, within limit: Duration, isUsed: Bool) async throws(JacquardError) {
    if socket != nil, self.bus == bus { return }
    release()
    let name = Self.name(of: identifier, on: bus)
    let end = loop.now.advanced(by: limit)
    var process: pid_t?
    var isAskedAgain = false
    while true {
      if let socket = try name.bind() {
        self.socket = consume socket
        self.bus = bus
        return
      }
      guard loop.now < end else { throw .inUse(by: process) }
      guard let holder = try name.connect(), let user = holder.user else {
        // Released in the meantime, or not listening yet.
        guard !isAskedAgain else { return }
        isAskedAgain = true
        try await pause(Self.bindingTime)
        continue
      }
      process = holder.process ?? process
      if !isUsed, user != geteuid(), user != 0 { return }
      try await wait(for: holder, atMost: loop.now.duration(to: end))
    }
  }

  var isHeld: Bool { socket != nil }

  /// Takes it unless another program has it.
  func takeIfFree(on bus: String) throws(JacquardError) {
    if socket != nil, self.bus == bus { return }
    release()
    guard let socket = try Self.name(of: identifier, on: bus).bind() else { return }
    self.socket = consume socket
    self.bus = bus
  }

  private static func name(of identifier: TagIdentifier, on bus: String) -> AbstractName {
    AbstractName("jacquard/\(bus)/\(identifier.text)")
  }

  /// Returns when the owner releases the lock, or after this time.
  private func wait(for holder: borrowing AbstractName.Holder, atMost time: Duration) async throws(JacquardError) {
    let ended = Completion<Void, JacquardError>()
    let watch: IOWatch
    do throws(SystemError) {
      watch = try loop.watch(holder.socket.rawValue, for: []) { _ in ended.succeed(()) }
    } catch {
      throw AbstractName.failure(error.call, error.code)
    }
    let timer = loop.schedule(after: time) { ended.succeed(()) }
    defer {
      timer.cancel()
      watch.cancel()
    }
    try await ended.value()
    try JacquardError.checkCancellation()
  }

  private func pause(_ time: Duration) async throws(JacquardError) {
    do { try await loop.sleep(time) } catch { throw .cancelled }
  }

  func release() {
    socket = nil
  }
}

/// A name in the kernel's abstract namespace of Unix sockets.
private struct AbstractName {
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
    guard listen(socket.rawValue, TagLock.backlog) == 0 else { throw Self.failure("listen", errno) }
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
