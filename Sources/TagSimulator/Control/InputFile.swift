import EventLoop
import Glibc

/// Reads whole files.
public enum InputFile {
  private static let largest = 16 << 20

  /// Nil if the file is too large, or not a regular one: others may have no end or block the caller.
  public static func read(_ path: String) -> [UInt8]? {
    var status = stat()
    // Without O_NONBLOCK, a FIFO without a writer blocks here.
    let file = SharedDescriptor(taking: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    guard file.rawValue >= 0, fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return contents(of: file)
  }

  /// Reads text, also from a pipe. Nil for a FIFO that no program writes to.
  public static func text(of path: String) -> String? {
    let file = SharedDescriptor(taking: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    var status = stat()
    guard file.rawValue >= 0, fcntl(file.rawValue, F_SETFL, 0) == 0, fstat(file.rawValue, &status) == 0,
      let bytes = contents(of: file), !bytes.isEmpty || status.st_mode & S_IFMT != S_IFIFO
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func contents(of file: SharedDescriptor) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while bytes.count <= largest {
      let count = Glibc.read(file.rawValue, &buffer, buffer.count)
      if count == 0 { return bytes }
      guard count > 0 else { return nil }
      bytes += buffer.prefix(count)
    }
    return nil
  }
}
