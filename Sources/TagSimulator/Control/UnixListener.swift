import EventLoop
import Glibc

/// A Unix socket at a path, which it creates and removes.
final class UnixListener {
  private let descriptor: SharedDescriptor
  private let path: String
  private var watch: IOWatch?

  init(_ loop: EventLoop, path: String, accepted: @escaping (SharedDescriptor) -> Void) throws {
    let purpose = "cannot create the socket \(path)"
    guard let address = UnixAddress(path: path) else { throw SystemError(code: ENAMETOOLONG, call: purpose) }
    let descriptor = SharedDescriptor(taking: UnixAddress.makeSocket(SOCK_STREAM))
    // Left by a program that was killed.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
    guard address.withPointer({ bind(descriptor.rawValue, $0, $1) }) == 0, Glibc.listen(descriptor.rawValue, 16) == 0
    else { throw SystemError(code: errno, call: purpose) }
    self.descriptor = descriptor
    self.path = path
    watch = try loop.watch(descriptor.rawValue, for: .readable) { _ in
      let client = accept(descriptor.rawValue, nil, nil)
      guard client >= 0 else { return }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      _ = fcntl(client, F_SETFL, O_NONBLOCK)
      accepted(SharedDescriptor(taking: client))
    }
  }

  deinit { close() }

  func close() {
    guard watch != nil else { return }
    watch?.cancel()
    watch = nil
    descriptor.close()
    unlink(path)
  }
}
