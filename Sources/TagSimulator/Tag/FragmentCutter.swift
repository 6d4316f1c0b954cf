/// The tag's fragmentation of packets. It deliberately does not share the library's code, so that the two verify each
/// other.
enum FragmentCutter {
  static let largestFragment = 61
  static let largestPacket = 1024

  /// The values that contain `packet`; none if it is empty.
  static func cut(_ packet: [UInt8], capacity: Int) -> [[UInt8]] {
    guard !packet.isEmpty, capacity > 3 else { return [] }
    var values: [[UInt8]] = []
    var position = 0
    while position < packet.count {
      var value: [UInt8] = [UInt8(values.count & 0x3f)]
      if values.isEmpty {
        value[0] |= 0x80
        value += lengthPrefix(packet.count)
      }
      let end = min(packet.count, position + capacity - value.count)
      value += packet[position..<end]
      position = end
      if position == packet.count { value[0] |= 0x40 }
      values.append(value)
    }
    return values
  }

  private static func lengthPrefix(_ length: Int) -> [UInt8] {
    length < 0x80 ? [UInt8(length)] : [UInt8(length & 0x7f | 0x80), UInt8(length >> 7 & 0x7f)]
  }
}
