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

  /// A message in which no field is present.
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

  /// Whether the field is present, even if it has its default value.
  public func has(_ number: UInt32) -> Bool { index(of: number) != nil }

  /// Removes the field, which then reads as its default value.
  public mutating func clear(_ number: UInt32) {
    let (index, found) = find(number)
    if found { entries.remove(at: index) }
  }

  /// The number of an integer, boolean or enum field; `standard` if the field is absent.
  public func varint(_ number: UInt32, default standard: UInt64 = 0) -> UInt64 {
    guard let index = index(of: number), case .varint(let value) = entries[index].value else { return standard }
    return value
  }

  /// The number of a float field; 0 if the field is absent.
  public func float(_ number: UInt32) -> Float {
    guard let index = index(of: number), case .fixed32(let value) = entries[index].value else { return 0 }
    return Float(bitPattern: value)
  }

  /// The number of a double field; 0 if the field is absent.
  public func double(_ number: UInt32) -> Double {
    guard let index = index(of: number), case .fixed64(let value) = entries[index].value else { return 0 }
    return Double(bitPattern: value)
  }

  /// The text of a string field; empty if the field is absent.
  public func string(_ number: UInt32) -> String {
    guard let index = index(of: number), case .string(let value) = entries[index].value else { return "" }
    return value
  }

  /// The content of a bytes field; empty if the field is absent.
  public func bytes(_ number: UInt32) -> [UInt8] {
    guard let index = index(of: number), case .bytes(let value) = entries[index].value else { return [] }
    return value
  }

  /// The content of a message field; without any field if it is absent.
  public func message(_ number: UInt32) -> Fields {
    guard let index = index(of: number), case .message(let value) = entries[index].value else { return Fields() }
    return value
  }

  /// The numbers of a repeated field; empty if there are none.
  public func varints(_ number: UInt32) -> [UInt32] {
    guard let index = index(of: number), case .varints(let value) = entries[index].value else { return [] }
    return value
  }

  /// The messages of a repeated field; empty if there are none.
  public func messages(_ number: UInt32) -> [Fields] {
    guard let index = index(of: number), case .messages(let value) = entries[index].value else { return [] }
    return value
  }

  /// Makes an integer, boolean or enum field present, with this number.
  public mutating func set(_ number: UInt32, varint: UInt64) { set(number, to: .varint(varint)) }
  /// Makes a float field present, with this number.
  public mutating func set(_ number: UInt32, float: Float) { set(number, to: .fixed32(float.bitPattern)) }
  /// Makes a double field present, with this number.
  public mutating func set(_ number: UInt32, double: Double) { set(number, to: .fixed64(double.bitPattern)) }
  /// Makes a string field present, with this text.
  public mutating func set(_ number: UInt32, string: String) { set(number, to: .string(string)) }
  /// Makes a bytes field present, with this content.
  public mutating func set(_ number: UInt32, bytes: [UInt8]) { set(number, to: .bytes(bytes)) }
  /// Makes a message field present, with this content.
  public mutating func set(_ number: UInt32, message: Fields) { set(number, to: .message(message)) }
  /// Replaces the numbers of a repeated field; an empty list removes the field.
  public mutating func set(_ number: UInt32, varints: [UInt32]) {
    if varints.isEmpty { clear(number) } else { set(number, to: .varints(varints)) }
  }
  /// Replaces the messages of a repeated field; an empty list removes the field.
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
