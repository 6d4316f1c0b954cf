import EventLoop
import Glibc

/// A Unix socket at a path, which it creates and removes.
final class UnixListener {
  private let descriptor: SharedDescriptor
  private let path: String
  private var watch: IOWatch?

  init(_ loop: EventLoop, path: String, accepted: @escaping (SharedDescriptor) -> Void) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    let purpose = "cannot create the socket \(path)"
    guard path.utf8.count < room else { throw SystemError(code: ENAMETOOLONG, call: purpose) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }

    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = SharedDescriptor(taking: socket(AF_UNIX, type, 0))
    // Left by a program that was killed.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor.rawValue, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, Glibc.listen(descriptor.rawValue, 16) == 0 else { throw SystemError(code: errno, call: purpose) }
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
