import Glibc

/// Recognises the process that created it, without a system call: the kernel clears its page in a child of fork().
struct ProcessMark: @unchecked Sendable {
  private let process = getpid()
  /// Nil before Linux 4.14. Never freed.
  private let page = clearedInChild()

  var isCurrent: Bool { page.map { $0.pointee != 0 } ?? (process == getpid()) }

  private static func clearedInChild() -> UnsafePointer<UInt8>? {
    let size = sysconf(Int32(_SC_PAGESIZE))
    guard let page = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      page != UnsafeMutableRawPointer(bitPattern: -1)
    else { return nil }
    guard madvise(page, size, MADV_WIPEONFORK) == 0 else {
      munmap(page, size)
      return nil
    }
    page.storeBytes(of: 1, as: UInt8.self)
    return UnsafePointer(page.assumingMemoryBound(to: UInt8.self))
  }
}
