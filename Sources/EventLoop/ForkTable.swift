import Glibc
import Synchronization

/// The descriptors that a child of fork() must close: a lock and the end of a socket are released only when every
/// process that inherited them has closed them. Descriptors for exec are closed by the kernel.
///
/// One bit for each descriptor, which every thread may set and clear, because the child can use no lock. A child that
/// is forked between the creation of a descriptor and its entry here keeps it. A descriptor is removed before it is
/// closed, so the child never closes another file.
enum ForkTable {
  /// Higher descriptors are not entered.
  static let limit: Int32 = 1 << 16
  private static let wordCount = Int(limit) / 64

  /// Never freed: fork() may be called at any time.
  nonisolated(unsafe) private static let words: UnsafeMutablePointer<Atomic<UInt64>> = {
    let words = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: wordCount)
    for index in 0..<wordCount { (words + index).initialize(to: Atomic(0)) }
    return words
  }()

  private static let isInstalled: Bool = {
    _ = words
    return pthread_atfork(nil, nil, { ForkTable.closeAll() }) == 0
  }()

  static func add(_ descriptor: Int32) {
    guard descriptor >= 0, descriptor < limit, isInstalled else { return }
    words[Int(descriptor) / 64].bitwiseOr(1 << UInt64(descriptor % 64), ordering: .acquiringAndReleasing)
  }

  /// Returns false if this process has closed it already, as a child.
  static func remove(_ descriptor: Int32) -> Bool {
    guard descriptor >= 0, descriptor < limit, isInstalled else { return true }
    let bit: UInt64 = 1 << UInt64(descriptor % 64)
    return words[Int(descriptor) / 64].bitwiseAnd(~bit, ordering: .acquiringAndReleasing).oldValue & bit != 0
  }

  /// Runs in the child, which has one thread. Calls only functions that signal handlers may call.
  private static func closeAll() {
    for index in 0..<wordCount {
      var word = words[index].exchange(0, ordering: .acquiringAndReleasing)
      while word != 0 {
        close(Int32(index * 64 + word.trailingZeroBitCount))
        word &= word - 1
      }
    }
  }
}

/// A file descriptor with one owner that children of fork() do not keep.
public struct UnsharedDescriptor: ~Copyable {
  /// Borrowed: valid while this value exists. Negative if the system call that should have returned it failed.
  public let rawValue: Int32

  /// Takes ownership of `descriptor`; other code must not close it. A negative one is the failure of a system call.
  public init(taking descriptor: Int32) {
    rawValue = descriptor
    ForkTable.add(descriptor)
  }

  deinit {
    if rawValue >= 0, ForkTable.remove(rawValue) { _ = Glibc.close(rawValue) }
  }
}
