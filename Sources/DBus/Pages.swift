import Glibc

/// Memory of whole pages, directly from the kernel: it is given back at once, and glibc's allocator does not learn from it
/// to keep as much free memory of its own (mallopt(3), M_MMAP_THRESHOLD).
enum Pages {
  static func map(_ count: Int) -> UnsafeMutableRawBufferPointer? {
    let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return address == MAP_FAILED ? nil : UnsafeMutableRawBufferPointer(start: address, count: count)
  }

  static func unmap(_ pages: UnsafeMutableRawBufferPointer) { munmap(pages.baseAddress, pages.count) }
}
