import Glibc

/// The file of a Unix socket that this process listens to. No other file is removed: neither at the beginning, when a
/// socket may be left over from a process that was killed, nor at the end, when another process may have the name.
///
/// No system call removes a file only if it is a certain one. So the file is moved to a new directory, whose name no
/// other process knows, checked again there, and moved back if it is not the one to be removed. While it is moved,
/// another process could take its name; those that use this type do so one after another.
public struct SocketFile: Sendable {
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  /// Binds the socket, whose mode the file gets, and listens. Replaces a socket at `path` that no process listens to.
  public init(_ path: String, socket: Int32, backlog: Int32) throws(SystemError) {
    guard let address = UnixAddress(path: path) else { throw SystemError(code: ENAMETOOLONG, call: "bind \(path)") }
    self.path = path
    let turn = Self.turn(path)
    defer { withExtendedLifetime(turn) {} }
    while address.withPointer({ bind(socket, $0, $1) }) != 0 {
      guard errno == EADDRINUSE else { throw .last("bind \(path)") }
      guard let existing = Self.status(path) else { continue }
      guard existing.st_mode & S_IFMT == S_IFSOCK else {
        throw SystemError(code: EEXIST, call: "bind \(path), which is not a socket")
      }
      guard Self.remove(path, if: Self.isLeftOver) else { throw SystemError(code: EADDRINUSE, call: "bind \(path)") }
    }
    guard let status = Self.status(path) else { throw .last("bind \(path)") }
    (device, inode) = (status.st_dev, status.st_ino)
    guard listen(socket, backlog) == 0 else { throw .last("listen \(path)") }
    // Another process that began at the same time may have found this socket before it listened.
    guard isOwn(path) else { throw SystemError(code: EADDRINUSE, call: "bind \(path)") }
  }

  /// Call it before the socket is closed: until then no other file can be this one.
  public func remove() {
    let turn = Self.turn(path)
    _ = Self.remove(path, if: isOwn)
    withExtendedLifetime(turn) {}
  }

  /// Locks the directory until the result is released. Any user who can read the directory can lock it, so this waits
  /// only briefly: for at most a second, before a process serves anyone and at its end. The kernel reports no release
  /// of a lock to a program that does not block in `flock`.
  private static func turn(_ path: String) -> SharedDescriptor {
    let folder = SharedDescriptor(taking: open(self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    for _ in 0..<1000 {
      guard flock(folder.rawValue, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { break }
      usleep(1000)
    }
    return folder
  }

  /// The directory's path, which ends with a slash.
  private static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "./"
  }

  private func isOwn(_ path: String) -> Bool {
    Self.status(path).map { $0.st_dev == device && $0.st_ino == inode } ?? false
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  /// The kernel refuses connections to files that are not sockets in the same way.
  private static func isLeftOver(_ path: String) -> Bool {
    guard let status = status(path), status.st_mode & S_IFMT == S_IFSOCK, let address = UnixAddress(path: path) else {
      return false
    }
    let socket = OwnedDescriptor(taking: UnixAddress.makeSocket(SOCK_SEQPACKET))
    return address.withPointer { connect(socket.rawValue, $0, $1) } != 0 && errno == ECONNREFUSED
  }

  /// Returns whether the file no longer exists.
  private static func remove(_ path: String, if isToBeRemoved: (String) -> Bool) -> Bool {
    guard isToBeRemoved(path) else { return false }
    var template = Array((folder(of: path) + ".XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { return false }
    let place = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { rmdir(place) }
    let moved = place + "/s"
    guard rename(path, moved) == 0 else { return errno == ENOENT }
    if isToBeRemoved(moved) { return unlink(moved) == 0 }
    // Moves it back, unless there is another file by now.
    if link(moved, path) == 0 { unlink(moved) }
    return false
  }
}
