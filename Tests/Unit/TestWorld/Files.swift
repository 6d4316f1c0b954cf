import EventLoop
import Glibc

/// A file of Tests/Support/data.
public enum DataFile {
  public struct Unreadable: Error { let path: String }

  public static func bytes(_ name: String) throws -> [UInt8] {
    let testsDirectory = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return try bytes(at: "/\(testsDirectory)/Support/data/\(name)")
  }

  public static func bytes(at path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw Unreadable(path: path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }
}

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

/// Bytes from hexadecimal digits, which may be separated by blanks.
public func hex(_ text: some StringProtocol) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
