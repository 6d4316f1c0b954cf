import Glibc

/// Recognises frames like one that libdbus has accepted: they differ only in their serial number and in the value of
/// the last changed property, an array of bytes.
///
/// A notification is such a frame. Everything else in it, sender and path included, was checked in the first one, so it
/// is compared and not parsed again.
struct FrameTemplate {
  /// Longer values are rare, and libdbus refuses those over 64 MiB.
  private static let longestValue = 1 << 16

  /// See `key(_:)`.
  let key: UInt64
  private let frame: [UInt8]
  /// The offset of the length of the changed properties.
  private let entriesAt: Int
  /// The offset of the value. Its length is before it.
  private let valueAt: Int

  /// Nil if `count` bytes at the end of the changed properties are not the last thing in `frame`, a PropertiesChanged,
  /// or if it has descriptors.
  init?(_ frame: Frame, valueOf count: Int) {
    let bytes = frame.bytes
    // The interface's name, the changed properties with the value at the end, and the empty list of invalidated ones.
    valueAt = bytes.count - 4 - Self.padded(count)
    guard count <= Self.longestValue, valueAt >= frame.header + 8, !frame.hasDescriptors else { return nil }
    let name = Int(bytes.loadUnaligned(fromByteOffset: frame.header, as: UInt32.self))
    guard name < bytes.count else { return nil }
    entriesAt = frame.header + 4 + Self.padded(name + 1)
    self.frame = Array(bytes[..<valueAt])
    key = Self.key(frame)
    guard entriesAt + 8 <= valueAt - 4, value(in: frame)?.count == count else { return nil }
  }

  /// A hash of the fields in the header.
  static func key(_ frame: Frame) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for offset in stride(from: Frame.shortest, to: frame.header, by: 8) {
      let word = frame.bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      hash = (hash ^ word) &* 0x100_0000_01b3
      hash ^= hash >> 32
    }
    return hash
  }

  private static func padded(_ count: Int) -> Int { (count + 3) & ~3 }

  /// The value, if the rest of the frame is as in the template.
  @inline(__always)
  func value(in other: Frame) -> UnsafeRawBufferPointer? {
    frame.withUnsafeBytes { frame -> UnsafeRawBufferPointer? in
      guard let ours = frame.baseAddress, let theirs = other.bytes.baseAddress, other.bytes.count >= valueAt + 4
      else { return nil }
      let count = Int(theirs.loadUnaligned(fromByteOffset: valueAt - 4, as: UInt32.self))
      let end = valueAt + Self.padded(count)
      // The length of the body is not compared: it follows from the length of the frame, which is.
      guard count <= Self.longestValue, end + 4 == other.bytes.count, memcmp(ours, theirs, 4) == 0, other.serial != 0,
        memcmp(ours + 12, theirs + 12, entriesAt - 12) == 0,
        Int(theirs.loadUnaligned(fromByteOffset: entriesAt, as: UInt32.self)) == valueAt + count - entries,
        memcmp(ours + entriesAt + 4, theirs + entriesAt + 4, valueAt - entriesAt - 8) == 0,
        Self.isZero(theirs + valueAt + count, end + 4 - valueAt - count)
      else { return nil }
      return UnsafeRawBufferPointer(start: theirs + valueAt, count: count)
    }
  }

  /// Where the changed properties begin: entries of a dictionary are aligned to 8 bytes.
  private var entries: Int { (entriesAt + 4 + 7) & ~7 }

  /// Whether these bytes, padding and the length of the empty list, are zero.
  @inline(__always)
  private static func isZero(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
    for offset in 0..<count where bytes.load(fromByteOffset: offset, as: UInt8.self) != 0 { return false }
    return true
  }
}
