import EventLoop
import Glibc

/// A directory that is removed with its owner, including its contents.
public final class ScratchDirectory {
  public let path: String

  public init() throws {
    var template = Array("/tmp/jacquard-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(code: errno, call: "mkdtemp") }
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in names(in: path) { remove(path + "/" + name) }
    }
    Glibc.remove(path)
  }

  public static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted()
  }
}
