extension Fields {
  /// The encoded message: fields in ascending order of their numbers, then the unknown ones as they arrived.
  func serialized() -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(byteCount)
    write(to: &output)
    return output
  }

  private var byteCount: Int {
    var count = 0
    for entry in entries {
      let key = Self.byteCount(UInt64(entry.number) << 3)
      switch entry.value {
      case .varint(let value): count += key + Self.byteCount(value)
      case .fixed32: count += key + 4
      case .fixed64: count += key + 8
      case .string(let text): count += key + Self.block(text.utf8.count)
      case .bytes(let bytes): count += entry.number == Self.unknown ? bytes.count : key + Self.block(bytes.count)
      case .message(let message): count += key + Self.block(message.byteCount)
      case .varints(let values): for value in values { count += key + Self.byteCount(UInt64(value)) }
      case .messages(let messages): for message in messages { count += key + Self.block(message.byteCount) }
      }
    }
    return count
  }

  private func write(to output: inout [UInt8]) {
    for entry in entries {
      switch entry.value {
      case .varint(let value):
        Self.key(entry, 0, &output)
        Self.varint(value, &output)
      case .fixed32(let value):
        Self.key(entry, 5, &output)
        withUnsafeBytes(of: value.littleEndian) { output += $0 }
      case .fixed64(let value):
        Self.key(entry, 1, &output)
        withUnsafeBytes(of: value.littleEndian) { output += $0 }
      case .string(let text):
        Self.key(entry, 2, &output)
        Self.varint(UInt64(text.utf8.count), &output)
        output += text.utf8
      case .bytes(let bytes):
        if entry.number != Self.unknown {
          Self.key(entry, 2, &output)
          Self.varint(UInt64(bytes.count), &output)
        }
        output += bytes
      case .message(let message): Self.write(message, entry, &output)
      case .varints(let values):
        for value in values {
          Self.key(entry, 0, &output)
          Self.varint(UInt64(value), &output)
        }
      case .messages(let messages): for message in messages { Self.write(message, entry, &output) }
      }
    }
  }

  private static func write(_ message: Fields, _ entry: Entry, _ output: inout [UInt8]) {
    key(entry, 2, &output)
    varint(UInt64(message.byteCount), &output)
    message.write(to: &output)
  }

  private static func key(_ entry: Entry, _ type: UInt64, _ output: inout [UInt8]) {
    varint(UInt64(entry.number) << 3 | type, &output)
  }

  @inline(never) private static func varint(_ value: UInt64, _ output: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    output.append(UInt8(rest))
  }

  private static func byteCount(_ varint: UInt64) -> Int { (70 - (varint | 1).leadingZeroBitCount) / 7 }
  private static func block(_ count: Int) -> Int { byteCount(UInt64(count)) + count }
}
