/// CRC-16, polynomial 0x1021, start value 0, not reflected: used for firmware images and recorded sessions.
enum Checksum {
  static func crc16(_ bytes: some Sequence<UInt8>, continuing start: UInt16 = 0) -> UInt16 {
    var crc = start
    for byte in bytes {
      crc ^= UInt16(byte) << 8
      for _ in 0..<8 { crc = crc & 0x8000 != 0 ? crc << 1 ^ 0x1021 : crc << 1 }
    }
    return crc
  }
}
