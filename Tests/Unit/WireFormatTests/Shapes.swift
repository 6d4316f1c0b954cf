// swift-format-ignore-file
// Generated from shapes.proto by Sources/WireFormat/generator; do not edit.

import WireFormat

/// A closed enum with gaps, a negative value and two names for one value.
public enum ShapeKind: Int, CaseIterable, Sendable {
  /// the first, so the default
  case round = 7
  case angular = -3
  case bent = 2000000000
  public static var circular: ShapeKind { .round }
}

/// Size of the schema.
public enum ShapeSize: Int, CaseIterable, Sendable {
  case small = 0
  case large = 1
}

/// Shape of the schema.
public struct ShapeShape: WireMessage {
  public static var schema: Schema { Schema(table, at: 0) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `kind`.
  public var kind: ShapeKind { get { ShapeKind(rawValue: Int(truncatingIfNeeded: fields.varint(1, default: 7))) ?? .round } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue.rawValue)) } }
  public var hasKind: Bool { fields.has(1) }

  /// Field 2, `other`, KIND_ANGULAR when absent.
  public var other: ShapeKind { get { ShapeKind(rawValue: Int(truncatingIfNeeded: fields.varint(2, default: 18446744073709551613))) ?? .angular } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue.rawValue)) } }
  public var hasOther: Bool { fields.has(2) }

  /// Field 3, `size`, LARGE when absent.
  public var size: ShapeSize { get { ShapeSize(rawValue: Int(truncatingIfNeeded: fields.varint(3, default: 1))) ?? .large } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue.rawValue)) } }
  public var hasSize: Bool { fields.has(3) }

  /// Field 4, `depth`, -5 when absent.
  public var depth: Int32 { get { Int32(truncatingIfNeeded: fields.varint(4, default: 18446744073709551611)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDepth: Bool { fields.has(4) }

  /// Field 5, `area`, 18446744073709551615 when absent.
  public var area: UInt64 { get { UInt64(truncatingIfNeeded: fields.varint(5, default: 18446744073709551615)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasArea: Bool { fields.has(5) }

  /// Field 6, `place`.
  public var place: Int64 { get { Int64(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPlace: Bool { fields.has(6) }

  /// Field 7, `filled`, true when absent.
  public var filled: Bool { get { fields.varint(7, default: 1) != 0 } set { fields.set(7, varint: newValue ? 1 : 0) } }
  public var hasFilled: Bool { fields.has(7) }

  /// Field 8, `width`.
  public var width: Float { get { fields.float(8) } set { fields.set(8, float: newValue) } }
  public var hasWidth: Bool { fields.has(8) }

  /// Field 9, `height`.
  public var height: Double { get { fields.double(9) } set { fields.set(9, double: newValue) } }
  public var hasHeight: Bool { fields.has(9) }

  /// Field 10, `name`.
  public var name: String { get { fields.string(10) } set { fields.set(10, string: newValue) } }
  public var hasName: Bool { fields.has(10) }

  /// Field 11, `image`.
  public var image: [UInt8] { get { fields.bytes(11) } set { fields.set(11, bytes: newValue) } }
  public var hasImage: Bool { fields.has(11) }

  /// Field 12, `inner`: a message may contain itself
  public var inner: ShapeShape { get { ShapeShape(fields: fields.message(12)) } set { fields.set(12, message: newValue.fields) } }
  public var hasInner: Bool { fields.has(12) }

  /// Field 13, `parts`.
  public var parts: [ShapeShape] { get { fields.messages(13).map(ShapeShape.init(fields:)) } set { fields.set(13, messages: newValue.map(\.fields)) } }

  /// Field 14, `corners`.
  public var corners: [UInt32] { get { fields.varints(14) } set { fields.set(14, varints: newValue) } }
}

/// The table that `Schema` describes; one message or sparse enum per line.
private let table: [UInt32] = [
  14, 262, 29, 518, 29, 773, 2, 1025, 0, 1282, 0, 1539, 0, 1796, 0, 2055, 0, 2312, 0, 2569, 0, 2826, 0, 3083, 0, 3341, 0, 3596, 0,  // Shape
  3, 4294967293, 7, 2000000000,  // Kind
]
