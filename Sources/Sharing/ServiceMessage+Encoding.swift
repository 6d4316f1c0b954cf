/// A message whose numbers or texts are incomplete or too long.
struct MalformedMessage: Error {}

/// The bytes: kind, how many numbers and how many texts follow (one byte each), the numbers (32 bits, little-endian),
/// the texts (UTF-8, after their length in 16 bits), and the payload to the end.
extension ServiceMessage {
  /// Nil for a kind that this version does not know. The payload remains in `bytes`. Invalid UTF-8 is repaired.
  init?(_ bytes: UnsafeRawBufferPointer) throws(MalformedMessage) {
    var rest = bytes[...]
    func take(_ count: Int) throws(MalformedMessage) -> UnsafeRawBufferPointer {
      guard count <= rest.count else { throw MalformedMessage() }
      defer { rest = rest.dropFirst(count) }
      return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }
    guard let kind = Kind(rawValue: try take(1)[0]) else { return nil }
    let counts = try take(2)
    var numbers = MessageNumbers()
    for _ in 0..<counts[0] { numbers.append(UInt32(littleEndian: try take(4).loadUnaligned(as: UInt32.self))) }
    var texts: [String] = []
    for _ in 0..<counts[1] {
      let count = Int(UInt16(littleEndian: try take(2).loadUnaligned(as: UInt16.self)))
      guard count <= Self.longestText else { throw MalformedMessage() }
      texts.append(String(decoding: try take(count), as: UTF8.self))
    }
    guard rest.count <= Self.longestPayload else { throw MalformedMessage() }
    self.init(kind, numbers, texts, payload: UnsafeRawBufferPointer(rebasing: rest))
  }

  /// Replaces `record` with the message. One is used again and again, so that a notification allocates no memory.
  func encode(into record: inout [UInt8]) {
    record.removeAll(keepingCapacity: true)
    record.append(kind.rawValue)
    record.append(UInt8(numbers.count))
    record.append(UInt8(texts.count))
    for index in 0..<numbers.count {
      withUnsafeBytes(of: numbers[index].littleEndian) { record.append(contentsOf: $0) }
    }
    for text in texts {
      let text = Self.shortened(text)
      withUnsafeBytes(of: UInt16(text.count).littleEndian) { record.append(contentsOf: $0) }
      record.append(contentsOf: text)
    }
    record.append(contentsOf: payload)
  }

  /// Cut off after the last whole character that fits.
  private static func shortened(_ text: String) -> Substring.UTF8View {
    let utf8 = text.utf8
    var end = utf8.index(utf8.startIndex, offsetBy: longestText, limitedBy: utf8.endIndex) ?? utf8.endIndex
    while end < utf8.endIndex, utf8[end] & 0xc0 == 0x80 { end = utf8.index(before: end) }
    return utf8[..<end]
  }
}
