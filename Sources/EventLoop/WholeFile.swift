import Glibc

/// Small files that are replaced as a whole.
public enum WholeFile {
  /// A reader of the path finds either the old or the new contents, even after a crash.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    let new = path + ".new"
    do throws(SystemError) {
      try write(bytes, to: new)
      guard rename(new, path) == 0 else { throw .last(path) }
    } catch {
      unlink(new)
      throw error
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let descriptor = OwnedDescriptor(
      taking: open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600))
    guard descriptor.rawValue >= 0 else { throw .last(path) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw .last(path)
      }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor.rawValue) == 0 else { throw .last(path) }
  }
}
