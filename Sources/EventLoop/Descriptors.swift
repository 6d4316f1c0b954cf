import Glibc
import Synchronization

/// A file descriptor with one owner, closed when the owner's lifetime ends.
public struct OwnedDescriptor: ~Copyable, Sendable {
  /// Borrowed: valid while this value exists. Negative if the system call that should have returned it failed.
  public let rawValue: Int32

  /// Takes ownership of `descriptor`; other code must not close it. A negative one is the failure of a system call.
  public init(taking descriptor: Int32) { rawValue = descriptor }

  deinit {
    if rawValue >= 0 { _ = Glibc.close(rawValue) }
  }
}

/// A file descriptor with several references, on any thread; closed exactly once: by `close()` or with the last
/// reference.
public final class SharedDescriptor: Hashable, Sendable {
  private let descriptor: Atomic<Int32>

  /// Takes ownership of `descriptor`; other code must not close it.
  public init(taking descriptor: Int32) {
    self.descriptor = Atomic(descriptor)
  }

  /// Owns a close-on-exec duplicate; the original stays with its owner.
  public convenience init(duplicating descriptor: Int32) throws(SystemError) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .last("fcntl") }
    self.init(taking: copy)
  }

  deinit { close() }

  /// Negative after `close()` or `release()`.
  public var rawValue: Int32 { descriptor.load(ordering: .acquiring) }

  /// Closes the descriptor for all holders of a reference. Later calls do nothing.
  public func close() {
    let old = release()
    if old >= 0 { _ = Glibc.close(old) }
  }

  /// Transfers ownership of the descriptor to the caller.
  public func release() -> Int32 { descriptor.exchange(-1, ordering: .acquiringAndReleasing) }

  /// Compares identity: two duplicates of one descriptor are different.
  public static func == (left: SharedDescriptor, right: SharedDescriptor) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
