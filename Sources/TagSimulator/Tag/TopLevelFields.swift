/// The field numbers at the outermost level of a protobuf message, which show what was actually written, independently
/// of a schema.
enum TopLevelFields {
  /// Nil if the bytes are not a well-formed message.
  static func numbers(in bytes: [UInt8]) -> [UInt32]? {
    var numbers: [UInt32] = []
    var position = 0
    func varint() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 70, by: 7) {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        value |= UInt64(byte & 0x7f) << shift
        if byte < 0x80 { return value }
      }
      return nil
    }
    while position < bytes.count {
      guard let key = varint(), let number = UInt32(exactly: key >> 3), number > 0 else { return nil }
      switch key & 7 {
      case 0: guard varint() != nil else { return nil }
      case 1: position += 8
      case 2:
        guard let length = varint(), length <= UInt64(bytes.count - position) else { return nil }
        position += Int(length)
      case 5: position += 4
      default: return nil
      }
      guard position <= bytes.count else { return nil }
      numbers.append(number)
    }
    return numbers
  }
}
