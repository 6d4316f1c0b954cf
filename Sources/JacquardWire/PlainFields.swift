/// The fields of a serialised message, as far as they are numbers of at most 32 bits and byte strings.
struct PlainFields {
  enum Field {
    case number(UInt32, UInt32)
    case bytes(UInt32, UnsafeRawBufferPointer)
  }

  private var rest: UnsafeRawBufferPointer
  private var isPlain = true

  init(_ message: UnsafeRawBufferPointer) { rest = message }

  /// After `next()` has returned nil: whether it was for the end, and not for a field of another kind.
  var isComplete: Bool { isPlain && rest.isEmpty }

  mutating func next() -> Field? {
    guard isPlain, !rest.isEmpty else { return nil }
    isPlain = false
    guard let key = varint(), key >> 3 > 0 else { return nil }
    switch key & 7 {
    case 0:
      guard let value = varint() else { return nil }
      isPlain = true
      return .number(key >> 3, value)
    case 2:
      guard let length = varint(), length <= rest.count else { return nil }
      let bytes = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(length)))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(length)))
      isPlain = true
      return .bytes(key >> 3, bytes)
    default: return nil
    }
  }

  /// Nil when it is cut off or does not fit into 32 bits.
  private mutating func varint() -> UInt32? {
    var value: UInt64 = 0
    for index in 0..<min(rest.count, 5) {
      value |= UInt64(rest[index] & 0x7f) << (7 * UInt64(index))
      guard rest[index] < 0x80 else { continue }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(index + 1))
      return UInt32(exactly: value)
    }
    return nil
  }
}
