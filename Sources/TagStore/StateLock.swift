import EventLoop
import Glibc

/// The right to replace the state, held during the lifetime of this value. The kernel releases it when its process
/// ends, however it ends.
struct StateLock: ~Copyable {
  private let descriptor: OwnedDescriptor

  init(_ path: String) throws(StateError) {
    descriptor = OwnedDescriptor(taking: open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600))
    guard descriptor.rawValue >= 0 else { throw .system(code: errno, path: path) }
    while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      throw errno == EWOULDBLOCK ? .locked(path: path) : .system(code: errno, path: path)
    }
  }

  consuming func release() {}
}
