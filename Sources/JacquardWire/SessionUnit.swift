/// One of the 16-byte units that follow a recording's header.
enum SessionUnit {
  case start(actionID: UInt32)
  case end(result: UInt16)
  case sample(IMUSample)

  static let byteCount = 16

  /// Nil for fewer than 16 bytes.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let sample = IMUSample(bytes) else { return nil }
    if Self.isFilled(bytes, upTo: 12, with: 0xcafe) {
      self = .start(actionID: sample.ticks)
    } else if Self.isFilled(bytes, upTo: 14, with: 0xdead) {
      self = .end(result: UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 14, as: UInt16.self)))
    } else {
      self = .sample(sample)
    }
  }

  private static func isFilled(_ bytes: UnsafeRawBufferPointer, upTo end: Int, with word: UInt16) -> Bool {
    for offset in stride(from: 0, to: end, by: 2) {
      guard UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)) == word else {
        return false
      }
    }
    return true
  }
}
