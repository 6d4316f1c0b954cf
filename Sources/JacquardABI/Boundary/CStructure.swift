/// A C structure with the strings that it points to. It is immutable, so any thread may read it.
final class CStructure<Structure>: @unchecked Sendable {
  let pointer: UnsafePointer<Structure>
  private let strings = CStrings()

  init(_ make: (CStrings) -> Structure) {
    let memory = UnsafeMutablePointer<Structure>.allocate(capacity: 1)
    memory.initialize(to: make(strings))
    pointer = UnsafePointer(memory)
  }

  deinit { pointer.deallocate() }
}

/// Calls `body` with an array of pointers to these structures, to which a later version may add fields.
func withPointers<Structure>(
  to structures: [Structure], _ body: (UnsafePointer<UnsafePointer<Structure>?>?) -> Void
) {
  structures.withUnsafeBufferPointer { structures in
    let pointers = structures.indices.map { index in structures.baseAddress.map { $0 + index } }
    pointers.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}
