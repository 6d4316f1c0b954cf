import Synchronization

/// The handle that an object has been issued: set once, read from any thread.
struct IssuedHandle: ~Copyable, Sendable {
  private let bits = Atomic<UInt>(0)

  /// Nil before.
  var pointer: OpaquePointer? { OpaquePointer(bitPattern: bits.load(ordering: .acquiring)) }

  func set(_ handle: OpaquePointer) { bits.store(UInt(bitPattern: handle), ordering: .releasing) }
}
