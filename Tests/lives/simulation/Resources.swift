import CLinux
import Glibc

/// What a process holds. The counts are this process's own: nothing else may run in it meanwhile.
struct Resources: Equatable {
  let descriptors: Int
  let threads: Int

  static var now: Resources {
    // The folder's own descriptor is among those that it lists.
    Resources(descriptors: entries(of: "/proc/self/fd") - 1, threads: entries(of: "/proc/self/task"))
  }

  /// Bytes that have been allocated and not been freed.
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
