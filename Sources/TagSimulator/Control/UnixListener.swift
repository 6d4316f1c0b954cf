import EventLoop
import Glibc

/// A Unix socket at a path, which it creates and removes.
final class UnixListener {
  private let descriptor: SharedDescriptor
  private let file: SocketFile
  private var watch: IOWatch?

  init(_ loop: EventLoop, path: String, accepted: @escaping (SharedDescriptor) -> Void) throws {
    let descriptor = SharedDescriptor(taking: UnixAddress.makeSocket(SOCK_STREAM))
    self.descriptor = descriptor
    file = try SocketFile(path, socket: descriptor.rawValue, backlog: 16)
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
    file.remove()
    descriptor.close()
  }
}
