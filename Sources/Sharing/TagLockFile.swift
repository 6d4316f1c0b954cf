import EventLoop
import Glibc

/// The file whose lock only one program of a user holds: the program with the link to a tag. The lock ends with this
/// object, which removes the file while it still has the lock, or with the process, which leaves the file to the next
/// program. A file that was removed after a program has opened it does not count: its name may be another file's.
///
/// Its content is the number of that process, which has it open for writing: programs that wait for the lock see that
/// it is closed (inotify). The lock belongs to the open file description, so it also separates two managers of one
/// process.
public final class TagLockFile {
  /// Cleaning programs remove files that were not used for six hours, unless the sticky bit is set: XDG Base Directory
  /// Specification 0.8.
  private static let mode: mode_t = 0o1600

  /// The most entries of a directory that are searched for files of processes that were killed.
  private static let mostSearched = 4096

  private let directory: RuntimeDirectory
  private let name: String
  private var lock: UnsharedDescriptor?
  private var content: UnsharedDescriptor?
  /// The process that has taken the lock. A child of fork() does not have it.
  private var process: Int32 = 0

  private init(_ directory: RuntimeDirectory, _ name: String) { (self.directory, self.name) = (directory, name) }

  /// - Parameters:
  ///   - bus: its ID, which is different for each instance of a bus.
  ///   - tag: its identifier.
  public convenience init(_ directory: RuntimeDirectory, bus: String, tag: String) {
    self.init(directory, "\(Self.plain(bus))-\(Self.plain(tag)).lock")
  }

  deinit {
    guard process == getpid(), let descriptor = lock?.rawValue, !Self.isRemoved(descriptor),
      let folder = try? directory.open()
    else { return }
    unlinkat(folder.rawValue, name, 0)
  }

  /// Removes files that are not locked: those of processes that were killed.
  public static func removeLeftOvers(in directory: RuntimeDirectory) {
    guard let stream = opendir(directory.path) else { return }
    defer { closedir(stream) }
    for _ in 0..<mostSearched {
      guard let entry = readdir(stream) else { return }
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      var status = stat()
      guard name.hasSuffix(".lock"), fstatat(dirfd(stream), name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.st_mode == S_IFREG | mode
      else { continue }
      _ = try? TagLockFile(directory, name).take()
    }
  }

  /// Makes a text safe for a file name: a bus chooses its ID.
  private static func plain(_ text: String) -> String {
    String(text.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" ? $0 : "_" })
  }

  /// The file that changes immediately before the lock is released, or, when a process was killed, before or after.
  public var path: String { "\(directory.path)/\(name)" }

  /// Returns whether this program has the lock now.
  public func take() throws(SharingError) -> Bool {
    while lock == nil {
      let descriptor = try open(O_RDONLY | O_CREAT)
      let isLocked = flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0
      guard isLocked || errno == EWOULDBLOCK else { throw .last("flock \(path)") }
      if Self.isRemoved(descriptor.rawValue) { continue }
      guard isLocked else { return false }
      lock = consume descriptor
      process = getpid()
      let file = try open(O_WRONLY)
      let text = Array("\(process)\n".utf8)
      _ = ftruncate(file.rawValue, 0)
      _ = pwrite(file.rawValue, text, text.count, 0)
      content = consume file
    }
    return true
  }

  private static func isRemoved(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) != 0 || status.st_nlink == 0
  }

  /// Whether another program, or another manager, has the lock.
  public var isTaken: Bool {
    guard let descriptor = try? open(O_RDONLY) else { return false }
    return flock(descriptor.rawValue, LOCK_SH | LOCK_NB) != 0 && !Self.isRemoved(descriptor.rawValue)
  }

  /// The process that has the lock, or had it last; nil if it is not known.
  public var holder: Int32? {
    guard let descriptor = try? open(O_RDONLY) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor.rawValue, &bytes, bytes.count, 0)
    guard count > 1, let process = Int32(String(decoding: bytes[..<(count - 1)], as: UTF8.self)) else { return nil }
    return process > 0 ? process : nil
  }

  /// Changes the time of the file, so that the program that has the lock can see that another one waits for it.
  public func ask() {
    if let descriptor = try? open(O_RDONLY) { _ = futimens(descriptor.rawValue, nil) }
  }

  private func open(_ flags: Int32) throws(SharingError) -> UnsharedDescriptor {
    let folder = try directory.open()
    let descriptor = UnsharedDescriptor(
      taking: openat(folder.rawValue, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, Self.mode))
    var status = stat()
    guard descriptor.rawValue >= 0, fstat(descriptor.rawValue, &status) == 0 else { throw .last("open \(path)") }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw .unusable("\(path) is not a regular file that only this user can access.")
    }
    return descriptor
  }
}
