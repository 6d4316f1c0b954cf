/// The fields of an encoded message that consists of numbers of at most 32 bits and byte strings.
struct PlainFields {
  enum Field {
    case number(UInt32, UInt32)
    case bytes(UInt32, UnsafeRawBufferPointer)
  }

  private let message: UnsafeRawBufferPointer
  private var offset = 0
  private var isPlain = true

  init(_ message: UnsafeRawBufferPointer) { self.message = message }

  /// After `next()` has returned nil: whether the end was reached, as opposed to a field of another kind.
  var isComplete: Bool { isPlain && offset == message.count }

  mutating func next() -> Field? {
    guard isPlain, offset < message.count else { return nil }
    isPlain = false
    guard let key = varint(), key >> 3 > 0 else { return nil }
    switch key & 7 {
    case 0:
      guard let value = varint() else { return nil }
      isPlain = true
      return .number(key >> 3, value)
    case 2:
      guard let length = varint(), length <= message.count - offset else { return nil }
      let bytes = message[offset..<offset + Int(length)]
      offset += Int(length)
      isPlain = true
      return .bytes(key >> 3, UnsafeRawBufferPointer(rebasing: bytes))
    default: return nil
    }
  }

  /// Nil if it is truncated or does not fit in 32 bits.
  private mutating func varint() -> UInt32? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 35, offset < message.count {
      let byte = message[offset]
      offset += 1
      value |= UInt64(byte & 0x7f) &<< shift
      if byte < 0x80 { return UInt32(exactly: value) }
      shift += 7
    }
    return nil
  }
}
