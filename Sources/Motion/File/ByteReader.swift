/// Reads a buffer from a position that never passes the end.
struct ByteReader {
  enum Varint: Equatable {
    case value(Int)
    case truncated
    /// Longer than five bytes.
    case oversized
  }

  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next bytes; nil, without advancing, if fewer are left.
  mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= bytes.count - offset else { return nil }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  mutating func varint() -> Varint {
    var value = 0
    for shift in stride(from: 0, through: 28, by: 7) {
      guard let byte = take(1)?.first else { return .truncated }
      value |= Int(byte & 0x7f) << shift
      if byte < 0x80 { return .value(value) }
    }
    return .oversized
  }
}
