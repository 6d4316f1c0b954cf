import Glibc

/// C copies of strings, valid as long as this object.
final class CStrings {
  private var copies: [UnsafeMutablePointer<CChar>] = []

  deinit { for copy in copies { free(copy) } }

  /// The text up to its first NUL, as C reads it.
  func callAsFunction(_ text: String) -> UnsafePointer<CChar>? {
    guard let copy = text.withCString({ strdup($0) }) else { return nil }
    copies.append(copy)
    return UnsafePointer(copy)
  }

  func callAsFunction(_ text: String?) -> UnsafePointer<CChar>? { text.flatMap { self($0) } }
}

/// C copies of constant strings, created once and never freed.
struct StaticCStrings<Key: Hashable>: @unchecked Sendable {
  private let texts: [Key: UnsafePointer<CChar>]
  private let fallback: UnsafePointer<CChar>?

  init(_ pairs: [(Key, String)], fallback: String) {
    func copy(_ text: String) -> UnsafePointer<CChar>? { strdup(text).map { UnsafePointer($0) } }
    texts = Dictionary(pairs.compactMap { key, text in copy(text).map { (key, $0) } }) { first, _ in first }
    self.fallback = copy(fallback)
  }

  subscript(key: Key) -> UnsafePointer<CChar>? { texts[key] ?? fallback }
}

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
