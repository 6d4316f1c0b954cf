/// The content of one message: the known fields by ascending number, then the unknown ones.
///
/// Every message type wraps one of these, so all of them share one layout and the code that copies, compares and
/// destroys it.
public struct Fields: Sendable {
  enum Value: Sendable {
    case varint(UInt64)
    case fixed32(UInt32)
    case fixed64(UInt64)
    case string(String)
    case bytes([UInt8])
    case message(Fields)
    case varints([UInt32])
    case messages([Fields])
  }

  struct Entry: Sendable {
    let number: UInt32
    var value: Value
  }

  /// The number under which unknown fields are stored, as the bytes in which they arrived. No valid key contains this
  /// number.
  static let unknown = UInt32.max

  var entries: [Entry] = []

  public init() {}

  /// The index of the field, or the index at which to insert it.
  @inline(__always) func find(_ number: UInt32) -> (index: Int, found: Bool) {
    var index = entries.count
    while index > 0, entries[index - 1].number >= number { index -= 1 }
    return (index, index < entries.count && entries[index].number == number)
  }

  @inline(__always) private func index(of number: UInt32) -> Int? {
    for index in entries.indices where entries[index].number == number { return index }
    return nil
  }

  @inline(never) func value(_ number: UInt32) -> Value? { index(of: number).map { entries[$0].value } }

  @inline(never) mutating func set(_ number: UInt32, to value: Value) {
    let (index, found) = find(number)
    if found {
      entries[index].value = value
    } else {
      entries.insert(Entry(number: number, value: value), at: index)
    }
  }

  // MARK: - Called by the generated properties

  public func has(_ number: UInt32) -> Bool { index(of: number) != nil }

  public mutating func clear(_ number: UInt32) {
    let (index, found) = find(number)
    if found { entries.remove(at: index) }
  }

  public func varint(_ number: UInt32, default standard: UInt64 = 0) -> UInt64 {
    guard let index = index(of: number), case .varint(let value) = entries[index].value else { return standard }
    return value
  }

  public func float(_ number: UInt32) -> Float {
    guard let index = index(of: number), case .fixed32(let value) = entries[index].value else { return 0 }
    return Float(bitPattern: value)
  }

  public func double(_ number: UInt32) -> Double {
    guard let index = index(of: number), case .fixed64(let value) = entries[index].value else { return 0 }
    return Double(bitPattern: value)
  }

  public func string(_ number: UInt32) -> String {
    guard let index = index(of: number), case .string(let value) = entries[index].value else { return "" }
    return value
  }

  public func bytes(_ number: UInt32) -> [UInt8] {
    guard let index = index(of: number), case .bytes(let value) = entries[index].value else { return [] }
    return value
  }

  public func message(_ number: UInt32) -> Fields {
    guard let index = index(of: number), case .message(let value) = entries[index].value else { return Fields() }
    return value
  }

  public func varints(_ number: UInt32) -> [UInt32] {
    guard let index = index(of: number), case .varints(let value) = entries[index].value else { return [] }
    return value
  }

  public func messages(_ number: UInt32) -> [Fields] {
    guard let index = index(of: number), case .messages(let value) = entries[index].value else { return [] }
    return value
  }

  public mutating func set(_ number: UInt32, varint: UInt64) { set(number, to: .varint(varint)) }
  public mutating func set(_ number: UInt32, float: Float) { set(number, to: .fixed32(float.bitPattern)) }
  public mutating func set(_ number: UInt32, double: Double) { set(number, to: .fixed64(double.bitPattern)) }
  public mutating func set(_ number: UInt32, string: String) { set(number, to: .string(string)) }
  public mutating func set(_ number: UInt32, bytes: [UInt8]) { set(number, to: .bytes(bytes)) }
  public mutating func set(_ number: UInt32, message: Fields) { set(number, to: .message(message)) }
  public mutating func set(_ number: UInt32, varints: [UInt32]) {
    if varints.isEmpty { clear(number) } else { set(number, to: .varints(varints)) }
  }
  public mutating func set(_ number: UInt32, messages: [Fields]) {
    if messages.isEmpty { clear(number) } else { set(number, to: .messages(messages)) }
  }
}

/// Messages are equal if their encodings are: floats compare by their bits and strings by their bytes.
extension Fields: Equatable {
  public static func == (one: Fields, other: Fields) -> Bool { one.entries == other.entries }
}

extension Fields.Entry: Equatable {}

extension Fields.Value: Equatable {
  static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.varint(let one), .varint(let other)), (.fixed64(let one), .fixed64(let other)): one == other
    case (.fixed32(let one), .fixed32(let other)): one == other
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.bytes(let one), .bytes(let other)): one == other
    case (.message(let one), .message(let other)): one == other
    case (.varints(let one), .varints(let other)): one == other
    case (.messages(let one), .messages(let other)): one == other
    default: false
    }
  }
}
