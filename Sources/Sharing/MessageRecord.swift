/// A record whose numbers or texts are incomplete or too long.
struct MalformedMessage: Error {}

/// The limits of a record. `service.proto` describes its bytes.
enum RecordLimits {
  /// The longest payload: four times the longest packet of a tag.
  static let payload = 4096
  /// The longest record, including its payload. All texts of an error fit.
  static let record = payload + 2048
  /// The longest text in UTF-8; a longer one is cut off.
  static let text = 512
}

/// The bytes of a message. One record is used again and again, so that a notification allocates no memory.
struct MessageRecord {
  private(set) var bytes: [UInt8] = []
  private var payloadCount = 0

  /// Whether the other side accepts it.
  var fits: Bool { payloadCount <= RecordLimits.payload && bytes.count <= RecordLimits.record }

  /// Begins another message: its kind, and how many numbers and texts follow.
  mutating func begin(_ kind: UInt8, numbers: UInt8, texts: UInt8) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(kind)
    bytes.append(numbers)
    bytes.append(texts)
    payloadCount = 0
  }

  mutating func append(_ number: UInt32) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ number: Int32) { append(UInt32(bitPattern: number)) }

  mutating func append(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ isTrue: Bool) { append(isTrue ? 1 : 0 as UInt32) }

  mutating func append<Value: RawRepresentable<UInt32>>(_ value: Value?) { append(value?.rawValue ?? 0) }

  /// Appends the text, cut off after the last whole character that fits.
  mutating func append(_ text: String) {
    let utf8 = text.utf8
    var end = utf8.index(utf8.startIndex, offsetBy: RecordLimits.text, limitedBy: utf8.endIndex) ?? utf8.endIndex
    while end < utf8.endIndex, utf8[end] & 0xc0 == 0x80 { end = utf8.index(before: end) }
    let short = utf8[..<end]
    withUnsafeBytes(of: UInt16(short.count).littleEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: short)
  }

  mutating func append(_ payload: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: payload)
    payloadCount = payload.count
  }
}

/// Reads the fields of a record in their order: those that are missing are 0 and empty. Allocates no memory except for
/// texts.
struct MessageReader {
  let kind: UInt8
  private var numbers: Slice<UnsafeRawBufferPointer>
  private var texts: Slice<UnsafeRawBufferPointer>
  private let payload: UnsafeRawBufferPointer

  /// Checks the whole record, so that nothing that follows can fail.
  init(_ record: UnsafeRawBufferPointer) throws(MalformedMessage) {
    guard record.count >= 3, record.count >= 3 + 4 * Int(record[1]) else { throw MalformedMessage() }
    let begin = 3 + 4 * Int(record[1])
    var end = begin
    for _ in 0..<record[2] {
      guard record.count - end >= 2 else { throw MalformedMessage() }
      let count = Self.length(record[end...])
      guard count <= RecordLimits.text, record.count - end - 2 >= count else { throw MalformedMessage() }
      end += 2 + count
    }
    guard record.count - end <= RecordLimits.payload else { throw MalformedMessage() }
    kind = record[0]
    numbers = record[3..<begin]
    texts = record[begin..<end]
    payload = UnsafeRawBufferPointer(rebasing: record[end...])
  }

  /// The length of the text at the beginning.
  private static func length(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    Int(bytes[bytes.startIndex]) | Int(bytes[bytes.startIndex + 1]) << 8
  }

  mutating func next() -> UInt32 {
    guard !numbers.isEmpty else { return 0 }
    defer { numbers = numbers.dropFirst(4) }
    return UInt32(littleEndian: numbers.base.loadUnaligned(fromByteOffset: numbers.startIndex, as: UInt32.self))
  }

  mutating func next() -> Int32 { Int32(bitPattern: next()) }

  mutating func next() -> UInt64 {
    let lower: UInt32 = next()
    let upper: UInt32 = next()
    return UInt64(lower) | UInt64(upper) << 32
  }

  mutating func next() -> Bool { next() != 0 as UInt32 }

  /// Nil for a value of another version.
  mutating func next<Value: RawRepresentable<UInt32>>() -> Value? { Value(rawValue: next()) }

  /// Invalid UTF-8 is repaired.
  mutating func next() -> String {
    guard !texts.isEmpty else { return "" }
    let count = Self.length(texts)
    defer { texts = texts.dropFirst(2 + count) }
    return String(decoding: texts.dropFirst(2).prefix(count), as: UTF8.self)
  }

  func next() -> UnsafeRawBufferPointer { payload }
}
