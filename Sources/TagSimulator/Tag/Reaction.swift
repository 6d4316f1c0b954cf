/// The tag's reaction to a request, set by a scenario; it replaces the regular response.
public struct Reaction: Equatable, Sendable {
  public enum Effect: Equatable, Sendable {
    case delay(Duration)
    case drop
    case status(UInt32)
    case disconnect
    case withoutPayload
    case wrongID
    case duplicate
    case garbage
    case latin1
    case corrupt(PacketDamage)
  }

  /// Nil for any request.
  public var kind: RequestKind?
  public var effect: Effect
  /// Nil if there is no limit.
  public var times: Int?

  public init(to kind: RequestKind?, _ effect: Effect, times: Int? = nil) {
    self.kind = kind
    self.effect = effect
    self.times = times
  }
}

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
