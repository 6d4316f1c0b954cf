/// CRC-16 with polynomial 0x1021, not reflected and without a final XOR, computed incrementally.
///
/// Firmware transfers start from 0 (CRC-16/XMODEM). Sources disagree on whether the start value for recorded sessions
/// is 0 or 0xffff.
public struct CRC16: Hashable, Sendable {
  /// The checksum of all bytes so far.
  public private(set) var value: UInt16

  /// Starts the computation; `seed` is the checksum of no bytes.
  public init(seed: UInt16 = 0) { value = seed }

  /// Adds bytes. The result does not depend on how the data is divided among calls.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let table = Self.table
    for byte in bytes {
      value = value << 8 ^ table[Int(UInt8(truncatingIfNeeded: value >> 8) ^ byte)]
    }
  }

  public mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// The checksum of all of `bytes`.
  public static func checksum(_ bytes: [UInt8], seed: UInt16 = 0) -> UInt16 {
    var crc = CRC16(seed: seed)
    crc.update(bytes)
    return crc.value
  }

  private static let table: [UInt16] = (0..<256).map { index in
    var remainder = UInt16(index) << 8
    for _ in 0..<8 {
      remainder = remainder & 0x8000 != 0 ? remainder << 1 ^ 0x1021 : remainder << 1
    }
    return remainder
  }
}
