import CLinux
import Glibc

/// The resources used by this process. Nothing else may run in the process at the same time.
struct Resources: Equatable {
  /// The target of each open descriptor.
  let descriptors: [String: String]
  let threads: Int

  static var now: Resources {
    let folder = "/proc/self/fd"
    // The list includes the descriptor of the folder itself, which is closed by now.
    let open = entries(of: folder).compactMap { name in target(of: "\(folder)/\(name)").map { (name, $0) } }
    return Resources(descriptors: Dictionary(uniqueKeysWithValues: open), threads: entries(of: "/proc/self/task").count)
  }

  /// Allocated bytes.
  static var memory: Int {
    let information = mallinfo2()
    return Int(information.uordblks + information.hblkhd)
  }

  private static func entries(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  private static func target(of link: String) -> String? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
      let length = readlink(link, buffer.baseAddress!, buffer.count)
      return length < 0 ? nil : String(decoding: buffer.prefix(length), as: UTF8.self)
    }
  }
}
