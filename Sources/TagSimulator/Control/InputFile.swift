import EventLoop
import Glibc

/// Reads whole files.
public enum InputFile {
  private static let largest = 16 << 20

  /// Nil if the file does not exist or is too large.
  public static func read(_ path: String) -> [UInt8]? {
    let file = SharedDescriptor(taking: open(path, O_RDONLY | O_CLOEXEC))
    guard file.rawValue >= 0 else { return nil }
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

  public static func text(of path: String) -> String? { read(path).map { String(decoding: $0, as: UTF8.self) } }
}
