/// The tag's fragmentation of packets. It deliberately does not share the library's code, so that the two verify each
/// other.
enum FragmentCutter {
  static let largestFragment = 61
  static let largestPacket = 1024

  /// The values that contain `packet`; none if it is empty. `counter` is the mask of the counter.
  static func cut(_ packet: [UInt8], capacity: Int, counter: Int = 0x3f) -> [[UInt8]] {
    guard !packet.isEmpty, capacity > 3 else { return [] }
    var values: [[UInt8]] = []
    var position = 0
    while position < packet.count {
      var value: [UInt8] = [UInt8(values.count & counter)]
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

/// Reassembles the host's packets and accepts only what the protocol allows.
struct FragmentJoiner {
  enum Outcome: Equatable {
    case incomplete
    case packet([UInt8])
    case breach(Violation)
  }

  private var announced = 0
  private var collected: [UInt8] = []
  private var nextCounter: UInt8?

  /// True while a packet is incomplete.
  var isOpen: Bool { nextCounter != nil }

  mutating func reset() { nextCounter = nil }

  mutating func take(_ value: [UInt8], capacity: Int) -> Outcome {
    guard let header = value.first else { return breach(.emptyValue, "", value) }
    guard value.count <= capacity else {
      return breach(.fragmentTooLarge, "\(value.count) bytes, \(capacity) at most", value)
    }
    let counter = header & 0x3f
    let isLast = header & 0x40 != 0
    let data: ArraySlice<UInt8>
    if header & 0x80 != 0 {
      if isOpen { return breach(.packetInterrupted, "\(collected.count) of \(announced) bytes had arrived", value) }
      guard counter == 0 else { return breach(.firstFragmentCounter, "\(counter)", value) }
      guard let (length, size) = Self.length(in: value.dropFirst()) else { return breach(.lengthMalformed, "", value) }
      guard length > 0 else { return breach(.packetEmpty, "", value) }
      guard length <= FragmentCutter.largestPacket else { return breach(.packetTooLarge, "\(length) bytes", value) }
      announced = length
      collected = []
      nextCounter = 0
      data = value.dropFirst(1 + size)
    } else {
      guard let expected = nextCounter else { return breach(.fragmentWithoutFirst, "counter \(counter)", value) }
      guard counter == expected else {
        return breach(.fragmentCounter, "\(counter) instead of \(expected)", value)
      }
      data = value.dropFirst()
    }
    collected += data
    nextCounter = counter &+ 1 & 0x3f
    if collected.count > announced {
      return breach(.packetOverrun, "\(collected.count) bytes, \(announced) announced", value)
    }
    if isLast {
      guard collected.count == announced else {
        return breach(.packetCutShort, "\(collected.count) bytes, \(announced) announced", value)
      }
      nextCounter = nil
      return .packet(collected)
    }
    if collected.count == announced { return breach(.lastFlagMissing, "", value) }
    return .incomplete
  }

  private mutating func breach(_ kind: Violation.Kind, _ detail: String, _ value: [UInt8]) -> Outcome {
    reset()
    return .breach(Violation(kind, detail, bytes: value))
  }

  /// The varint at the start of `bytes` and its length: at most two bytes, and minimally encoded.
  private static func length(in bytes: ArraySlice<UInt8>) -> (length: Int, size: Int)? {
    guard let low = bytes.first else { return nil }
    if low < 0x80 { return (Int(low), 1) }
    guard let high = bytes.dropFirst().first, high < 0x80, high > 0 else { return nil }
    return (Int(low & 0x7f) | Int(high) << 7, 2)
  }
}
