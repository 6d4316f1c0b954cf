import JacquardWire

/// The checksum of a stored session, computed while its bytes arrive.
///
/// The tag lists a CRC-16 with polynomial 0x1021. No source states its start value, so both common ones are tried.
public struct MotionFileChecksum: Hashable, Sendable {
  private var zero = CRC16(seed: 0)
  private var ones = CRC16(seed: 0xffff)

  public init() {}

  /// Adds bytes of the session, in order.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    zero.update(bytes)
    ones.update(bytes)
  }

  /// The start value for which the checksum is the listed one, or nil. Zero first: firmware images use it.
  public func seed(for listed: UInt32) -> UInt16? {
    if UInt32(zero.value) == listed { return 0 }
    return UInt32(ones.value) == listed ? 0xffff : nil
  }
}
