/// Damage to one packet sent to the host.
public enum PacketDamage: String, CaseIterable, Sendable {
  case counter
  case length
  case header
  case truncated
  case firstMissing = "first-missing"
  case lastMissing = "last-missing"
  case duplicated
  case empty
  case oversized

  func applied(to values: [[UInt8]]) -> [[UInt8]] {
    guard let first = values.first, let last = values.last else { return values }
    let lastIndex = values.count - 1
    var values = values
    switch self {
    case .counter:
      // Bit 1, so that the damage is also detected modulo 16; on a first fragment the counter must be 0.
      values[lastIndex][0] ^= 0x02
    case .length where first.count > 1: values[0][1] ^= 0x01
    case .length: values[0] = [first[0]]
    case .header: values[0][0] &= 0x7f
    case .truncated: values[lastIndex] = Array(last.dropLast())
    case .firstMissing: values.removeFirst()
    case .lastMissing: values.removeLast()
    case .duplicated: values.append(last)
    case .empty: values.insert([], at: 0)
    case .oversized: values[lastIndex] += [UInt8](repeating: 0xee, count: 64)
    }
    return values
  }
}
