/// The fields of one message: a section of a table of numbers written by the generator.
///
/// The section begins with the number of fields. Each field, in ascending order of its number, has two words: its
/// number and kind, and a detail that depends on the kind.
public struct Schema: Sendable {
  /// The raw values are part of the generated table: see `generator`.
  enum Kind: UInt32, CaseIterable {
    case uint32, int32, uint64, int64, bool
    /// The detail is the number of values, which are consecutive and begin with 0.
    case enumeration
    /// The detail is the index in the table of a list of the values: their number, then each as an `Int32`.
    case sparseEnumeration
    case float, double, string, bytes
    /// The detail is the index in the table of the schema of the field's message.
    case message
    case uint32s, messages
  }

  struct Field {
    let number: UInt32
    let kind: Kind
    let detail: UInt32
  }

  let table: [UInt32]
  let start: Int

  /// The section of a generated table that begins at index `start`.
  public init(_ table: [UInt32], at start: Int) {
    self.table = table
    self.start = start
  }
}

/// A schema with a pointer to its table, valid while bytes are read.
struct SchemaView {
  private let table: UnsafePointer<UInt32>
  private let start: Int
  let count: Int

  init(_ table: UnsafePointer<UInt32>, at start: Int) {
    self.table = table
    self.start = start
    count = Int(table[start])
  }

  /// The schema of a field that is a message.
  func message(_ field: Schema.Field) -> SchemaView { SchemaView(table, at: Int(field.detail)) }

  subscript(index: Int) -> Schema.Field {
    let word = table[start + 1 + 2 * index]
    // The generator uses no other kinds; a test compares its list with this enum.
    return Schema.Field(
      number: word >> 8, kind: Schema.Kind(rawValue: word & 0xff).unsafelyUnwrapped,
      detail: table[start + 2 + 2 * index])
  }

  /// Fields usually arrive in ascending order, so the search starts after the last field found.
  func field(_ number: UInt32, next: inout Int) -> Schema.Field? {
    var index = next
    for _ in 0..<count {
      if index >= count { index = 0 }
      if table[start + 1 + 2 * index] >> 8 == number {
        next = index + 1
        return self[index]
      }
      index += 1
    }
    return nil
  }

  /// Whether a closed enum has the value. Any other value is an unknown field.
  func contains(_ value: Int32, _ field: Schema.Field) -> Bool {
    if field.kind == .enumeration { return value >= 0 && value < Int32(bitPattern: field.detail) }
    let list = Int(field.detail)
    return (1...Int(table[list])).contains { table[list + $0] == UInt32(bitPattern: value) }
  }
}
