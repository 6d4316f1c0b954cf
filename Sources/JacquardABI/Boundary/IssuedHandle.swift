import Synchronization

/// The handle issued for an object: set once, may be read from any thread.
struct IssuedHandle: ~Copyable, Sendable {
  private let bits = Atomic<UInt>(0)

  /// Nil until it is issued.
  var pointer: OpaquePointer? { OpaquePointer(bitPattern: bits.load(ordering: .acquiring)) }

  func set(_ handle: OpaquePointer) { bits.store(UInt(bitPattern: handle), ordering: .releasing) }
}
