/// The kind of a 16-byte unit after the header of a motion file.
enum MotionFileUnit {
  case start(actionID: UInt32)
  case end(result: UInt16)
  case sample

  static let byteCount = MotionSample.byteCount

  private static let startWord: UInt64 = 0xcafe_cafe_cafe_cafe
  private static let endWord: UInt64 = 0xdead_dead_dead_dead

  /// Reads the first 16 of at least 16 bytes.
  @inline(__always)
  init(_ unit: UnsafeRawPointer) {
    let first = UInt64(littleEndian: unit.loadUnaligned(as: UInt64.self))
    guard first == Self.startWord || first == Self.endWord else {
      self = .sample
      return
    }
    let second = UInt64(littleEndian: unit.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    if first == Self.startWord, UInt32(truncatingIfNeeded: second) == UInt32(truncatingIfNeeded: Self.startWord) {
      self = .start(actionID: UInt32(second >> 32))
    } else if first == Self.endWord, second << 16 == Self.endWord << 16 {
      self = .end(result: UInt16(second >> 48))
    } else {
      self = .sample
    }
  }

  static func appendStart(_ actionID: UInt32, to bytes: inout [UInt8]) {
    append(startWord, UInt64(actionID) << 32 | startWord & 0xffff_ffff, to: &bytes)
  }

  static func appendEnd(_ result: UInt16, to bytes: inout [UInt8]) {
    append(endWord, UInt64(result) << 48 | endWord >> 16, to: &bytes)
  }

  private static func append(_ first: UInt64, _ second: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: first.littleEndian) { bytes += $0 }
    withUnsafeBytes(of: second.littleEndian) { bytes += $0 }
  }
}
