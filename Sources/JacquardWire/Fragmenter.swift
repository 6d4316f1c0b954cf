/// Divides packets into GATT values.
public struct Fragmenter: Hashable, Sendable {
  /// The largest size of a value, including the header.
  public let capacity: Int

  /// A negotiated MTU outside the range that the protocol can use is clamped to it.
  public init(mtu: Int) {
    let usable = mtu < FragmentFormat.attHeader ? 0 : mtu - FragmentFormat.attHeader
    self.init(capacity: usable)
  }

  /// A size outside 20 to 61 bytes is clamped to that range.
  public init(capacity: Int = FragmentFormat.longestValue) {
    self.capacity = min(max(capacity, FragmentFormat.shortestCapacity), FragmentFormat.longestValue)
  }

  /// The values to write, in order; none for an empty packet.
  public func fragments(of packet: [UInt8]) throws(PacketTooLong) -> [[UInt8]] {
    guard packet.count <= FragmentFormat.longestPacket else { throw PacketTooLong(count: packet.count) }
    var fragments: [[UInt8]] = []
    var rest = packet[...]
    // At the smallest capacity the longest packet needs 54 fragments, so the six-bit counter never wraps.
    var counter: UInt8 = 0
    while !rest.isEmpty {
      var fragment: [UInt8] = []
      fragment.reserveCapacity(capacity)
      fragment.append(counter)
      if counter == 0 {
        fragment[0] |= FragmentFormat.firstFlag
        appendLength(packet.count, to: &fragment)
      }
      let data = rest.prefix(capacity - fragment.count)
      fragment += data
      rest = rest.dropFirst(data.count)
      if rest.isEmpty { fragment[0] |= FragmentFormat.lastFlag }
      fragments.append(fragment)
      counter &+= 1
    }
    return fragments
  }

  private func appendLength(_ length: Int, to fragment: inout [UInt8]) {
    if length < 0x80 {
      fragment.append(UInt8(truncatingIfNeeded: length))
    } else {
      fragment.append(UInt8(truncatingIfNeeded: length) | 0x80)
      fragment.append(UInt8(truncatingIfNeeded: length >> 7))
    }
  }
}
