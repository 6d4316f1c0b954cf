/// The packed serial number of the advertisement: six bits per character, the lowest bits first, 63 at the end.
enum SimulatedSerialNumber {
  private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-")

  static func isPackable(_ serial: String) -> Bool { serial.allSatisfy { alphabet.contains($0) } }

  static func pack(_ serial: String) -> [UInt8] {
    let codes = serial.compactMap { alphabet.firstIndex(of: $0) } + [63]
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for code in codes {
      bits |= code << count
      count += 6
      while count >= 8 {
        bytes.append(UInt8(bits & 0xff))
        bits >>= 8
        count -= 8
      }
    }
    if count > 0 { bytes.append(UInt8(bits & 0xff)) }
    return bytes
  }
}
