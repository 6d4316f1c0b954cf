import Glibc

/// A file of Tests/Support/data.
public enum DataFile {
  public struct Unreadable: Error { let path: String }

  public static func bytes(_ name: String) throws -> [UInt8] {
    let testsDirectory = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let path = "/\(testsDirectory)/Support/data/\(name)"
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
