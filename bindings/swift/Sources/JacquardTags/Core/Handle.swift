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
    try check(function(&pointer))
    guard let pointer else { throw JacquardError(.internal) }
    self.init(pointer, unref)
  }

  deinit {
    unref(pointer)
  }
}

/// A reference that does not keep its object. Any thread may read it.
final class Weak<Object: AnyObject>: @unchecked Sendable {
  private(set) weak var object: Object?

  init(_ object: Object?) {
    self.object = object
  }
}
