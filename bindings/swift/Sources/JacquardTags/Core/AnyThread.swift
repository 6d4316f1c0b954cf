import CJacquard
import Glibc

// Objects that any thread may use and release.

/// One reference to an object of the library, which any thread may use and release.
final class Handle: @unchecked Sendable {
  let pointer: OpaquePointer
  private let unref: @Sendable (OpaquePointer) -> Void

  /// Takes over a reference.
  init(_ pointer: OpaquePointer, _ unref: @escaping @Sendable (OpaquePointer) -> Void) {
    self.pointer = pointer
    self.unref = unref
  }

  /// Takes over the reference that a function returns through a parameter.
  convenience init(
    _ unref: @escaping @Sendable (OpaquePointer) -> Void,
    _ function: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) throws(JacquardError) {
    var pointer: OpaquePointer?
    try requireLibrary()
    try check(function(&pointer))
    guard let pointer else { throw JacquardError(.internal) }
    self.init(pointer, unref)
  }

  deinit {
    unref(pointer)
  }
}

/// The structs of an older library can be smaller than those of the header with which this package was compiled, so its
/// results must not be read.
func requireLibrary(_ found: UInt32 = jacquard_version()) throws(JacquardError) {
  let needed = UInt32(JACQUARD_VERSION_MAJOR) << 16 | UInt32(JACQUARD_VERSION_MINOR) << 8
  guard found < needed else { return }
  let numbers = [found, needed].map { "\($0 >> 16).\($0 >> 8 & 0xff)" }
  throw JacquardError(
    .olderLibrary, "libjacquard \(numbers[0]) is older than \(numbers[1]), for which this program was built.",
    advice: "Install libjacquard \(numbers[1]) or later.")
}

/// A reference that does not keep its object. Any thread may read it.
final class Weak<Object: AnyObject>: @unchecked Sendable {
  private(set) weak var object: Object?

  init(_ object: Object?) {
    self.object = object
  }
}

/// A value that one thread at a time uses. `Mutex` of the standard library would be one more shared library in each
/// program, and ThreadSanitizer does not know it.
final class Lock<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
