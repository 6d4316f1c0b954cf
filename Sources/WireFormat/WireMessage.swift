/// A message type: a schema and names for its fields. `generator` writes them.
public protocol WireMessage: Equatable, Sendable {
  static var schema: Schema { get }
  var fields: Fields { get set }
  init(fields: Fields)
}

extension WireMessage {
  public init() { self.init(fields: Fields()) }

  public init(serializedBytes bytes: UnsafeRawBufferPointer) throws(WireFault) {
    var fields = Fields()
    try fields.merge(bytes, Self.schema)
    self.init(fields: fields)
  }

  public init(serializedBytes bytes: [UInt8]) throws(WireFault) {
    self.init()
    try merge(serializedBytes: bytes)
  }

  /// What is present replaces, what is absent stays.
  public mutating func merge(serializedBytes bytes: [UInt8]) throws(WireFault) {
    let schema = Self.schema
    try bytes.withUnsafeBufferPointer { bytes throws(WireFault) in
      try fields.merge(UnsafeRawBufferPointer(bytes), schema)
    }
  }

  public func serializedBytes() -> [UInt8] { fields.serialized() }

  public static func with(_ fill: (inout Self) throws -> Void) rethrows -> Self {
    var message = Self()
    try fill(&message)
    return message
  }
}

extension Fields {
  /// Leaves the fields as they were when the bytes are not a message.
  public mutating func merge(_ bytes: UnsafeRawBufferPointer, _ schema: Schema) throws(WireFault) {
    var merged = self
    try schema.table.withUnsafeBufferPointer { table throws(WireFault) in
      // A table is never empty.
      try Reader.merge(bytes, SchemaView(table.baseAddress.unsafelyUnwrapped, at: schema.start), into: &merged)
    }
    self = merged
  }
}
