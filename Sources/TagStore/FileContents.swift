import EventLoop
import Glibc

/// Reads small files as a whole.
enum FileContents {
  /// Nil if the file does not exist. Never blocks, whatever the path refers to.
  static func read(_ path: String, atMost limit: Int) throws(StateError) -> [UInt8]? {
    let descriptor = OwnedDescriptor(taking: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))
    guard descriptor.rawValue >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(code: errno, path: path)
    }
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { throw .system(code: errno, path: path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = Glibc.read(descriptor.rawValue, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw .system(code: errno, path: path)
      }
      bytes += buffer.prefix(count)
      guard bytes.count <= limit else { throw .corrupt(path: path, "the file is too large") }
    }
  }

  /// A rename is durable once its directory is synced. Some file systems do not support that; then there is nothing
  /// more to do.
  static func settle(_ directory: String) {
    let descriptor = OwnedDescriptor(taking: open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    if descriptor.rawValue >= 0 { fsync(descriptor.rawValue) }
  }
}
