import EventLoop
import Glibc

/// Wakes all programs that use a tag when another one has become the host: those that wait for it, the guests of a host that
/// hangs, and that host, when it continues.
///
/// It is a FIFO that every program has open for reading and none writes to. To ring, a program opens it for writing and closes
/// it: the kernel reports the hang-up to every reader that was there, including one that is stopped.
final class Bell {
  private let files: MeetingFiles
  private let loop: EventLoop
  private var descriptor: UnsharedDescriptor?
  private var watch: IOWatch?
  /// Called for every ring since this object was created. Check the lock file then.
  var onRing: () -> Void = {}

  init(_ files: MeetingFiles, _ loop: EventLoop) throws(SharingError) {
    self.files = files
    self.loop = loop
    try listen()
  }

  deinit { close() }

  private func listen() throws(SharingError) {
    let directory = try files.directory.open()
    guard mkfifoat(directory.rawValue, files.bell, MeetingFiles.mode) == 0 || errno == EEXIST else {
      throw .last("mkfifo \(files.directory.path)/\(files.bell)")
    }
    let flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY
    let new = UnsharedDescriptor(taking: openat(directory.rawValue, files.bell, flags))
    guard new.rawValue >= 0 else { throw .last("open \(files.directory.path)/\(files.bell)") }
    guard MeetingFiles.isOwn(new.rawValue, S_IFIFO) else {
      throw .noDirectory("\(files.directory.path)/\(files.bell) is not a FIFO that only this user can access.")
    }
    let newWatch: IOWatch
    do throws(SystemError) {
      newWatch = try loop.watch(new.rawValue, for: []) { [weak self] _ in self?.rang() }
    } catch {
      throw .system(code: error.code, call: error.call)
    }
    close()
    watch = newWatch
    descriptor = consume new
  }

  /// The hang-up remains until the FIFO is opened again, which happens first, so that no ring is missed.
  private func rang() {
    if (try? listen()) == nil { close() }
    onRing()
  }

  func close() {
    watch?.cancel()
    watch = nil
    descriptor = nil
  }

  static func ring(_ files: MeetingFiles) {
    guard let directory = try? files.directory.open() else { return }
    // Fails if there is no reader. A child of fork() must not keep it, because there would be no hang-up.
    _ = UnsharedDescriptor(
      taking: openat(directory.rawValue, files.bell, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY))
  }
}
