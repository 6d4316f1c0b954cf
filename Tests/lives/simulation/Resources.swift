import CLinux
import Glibc

/// The resources used by this process. Nothing else may run in the process at the same time.
struct Resources: Equatable {
  let descriptors: Int
  let threads: Int

  static var now: Resources {
    // The list includes the descriptor of the folder itself.
    Resources(descriptors: entries(of: "/proc/self/fd") - 1, threads: entries(of: "/proc/self/task"))
  }

  /// Allocated bytes.
  static var memory: Int {
    let information = mallinfo2()
    return Int(information.uordblks + information.hblkhd)
  }

  private static func entries(of folder: String) -> Int {
    guard let stream = opendir(folder) else { return 0 }
    defer { closedir(stream) }
    var count = 0
    while let entry = readdir(stream) {
      if withUnsafeBytes(of: &entry.pointee.d_name, { $0[0] != UInt8(ascii: ".") }) { count += 1 }
    }
    return count
  }
}
