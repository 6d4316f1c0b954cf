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
