import EventLoop
import Glibc

/// The file whose lock only one program of a user holds: the one that has the link to a tag. The lock ends with this
/// object or the process; the file stays, for the next program.
///
/// Its content is the number of that process, which has it open for writing: programs that wait for the lock see that
/// it is closed (inotify). The lock is one of the open file description, so it also separates two managers of one
/// process.
public final class TagLockFile {
  /// Cleaning programs remove files that were not used for six hours, unless the sticky bit is set: XDG Base Directory
  /// Specification 0.8.
  private static let mode: mode_t = 0o1600

  private let directory: RuntimeDirectory
  private let name: String
  private var lock: UnsharedDescriptor?
  private var content: UnsharedDescriptor?

  /// - Parameters:
  ///   - bus: its ID, which is different for each instance of a bus.
  ///   - tag: its identifier.
  public init(_ directory: RuntimeDirectory, bus: String, tag: String) {
    self.directory = directory
    name = "\(Self.plain(bus))-\(Self.plain(tag)).lock"
  }

  /// A bus chooses its ID.
  private static func plain(_ text: String) -> String {
    String(text.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" ? $0 : "_" })
  }

  /// Where the release of the lock shows, immediately before or after it.
  public var path: String { "\(directory.path)/\(name)" }

  /// Returns whether this program has the lock now.
  public func take() throws(SharingError) -> Bool {
    guard lock == nil else { return true }
    let descriptor = try open(O_RDONLY | O_CREAT)
    guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK else { throw .last("flock \(path)") }
      return false
    }
    lock = consume descriptor
    let file = try open(O_WRONLY)
    let process = Array("\(getpid())\n".utf8)
    _ = ftruncate(file.rawValue, 0)
    _ = pwrite(file.rawValue, process, process.count, 0)
    content = consume file
    return true
  }

  /// The process that has the lock, or had it last; nil if it is not known.
  public var holder: Int32? {
    guard let descriptor = try? open(O_RDONLY) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor.rawValue, &bytes, bytes.count, 0)
    guard count > 1, let process = Int32(String(decoding: bytes[..<(count - 1)], as: UTF8.self)) else { return nil }
    return process > 0 ? process : nil
  }

  /// Changes the time of the file, which the program that has the lock can watch: another one waits for it.
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
      throw .noDirectory("\(path) is not a regular file that only this user can access.")
    }
    return descriptor
  }
}
