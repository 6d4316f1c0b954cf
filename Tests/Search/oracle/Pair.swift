import SwiftProtobuf

@testable import WireFormat

/// One message of the schema, read and written by the library's codec and by SwiftProtobuf.
struct Pair: Sendable {
  enum Outcome {
    case same
    /// Both refuse the bytes.
    case refused
    /// Equal after repairing text that is not UTF-8, which SwiftProtobuf refuses.
    case repaired
    case different(String)
  }

  let name: String
  let schema: Schema
  let compare: @Sendable ([UInt8]) -> Outcome

  init<Message: Compared>(_ name: String, _: Message.Type) {
    self.name = name
    schema = Message.schema
    compare = { bytes in
      let own = try? Message(serializedBytes: bytes)
      let mended = Self.mended(bytes, Message.schema)
      let oracle = try? Message.Other(serializedBytes: mended)
      guard let own, let oracle else {
        if own == nil, oracle == nil { return .refused }
        return .different("refused by \(own == nil ? "the library" : "SwiftProtobuf") alone")
      }
      if mended != bytes, (try? Message.Other(serializedBytes: bytes)) != nil {
        return .different("mended what SwiftProtobuf accepts")
      }
      let written = own.serializedBytes()
      guard let expected: [UInt8] = try? oracle.serializedBytes(), written == expected else {
        return .different("written as \(hex(written))")
      }
      var properties = Properties()
      own.compare(oracle, &properties)
      guard properties.different.isEmpty else { return .different("\(properties.different) differ") }
      var known = own
      known.fields.entries.removeAll { $0.number == Fields.unknown }
      guard own.copied() == known else { return .different("a property is written elsewhere than read") }
      return mended == bytes ? .same : .repaired
    }
  }

  /// The message with all text that is not UTF-8 repaired. Malformed parts are not changed. Independent of `Reader`.
  static func mended(_ bytes: [UInt8], _ schema: Schema) -> [UInt8] {
    var output: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      var after = rest
      guard let key = varint(&after), let field = field(key >> 3, schema), key & 7 == 2,
        field.kind == .string || field.kind == .message || field.kind == .messages
      else {
        guard skip(&rest, into: &output) else { return output + rest }
        continue
      }
      let head = rest.prefix(rest.count - after.count)
      let before = after
      guard let length = varint(&after), length <= UInt64(after.count) else { return output + rest }
      let content = Array(after.prefix(Int(length)))
      rest = after.dropFirst(Int(length))
      let mended: [UInt8]
      if field.kind == .string {
        mended = Array(String(decoding: content, as: UTF8.self).utf8)
      } else {
        mended = Self.mended(content, Schema(schema.table, at: Int(field.detail)))
      }
      output += head
      output += mended == content ? Array(before.prefix(before.count - after.count)) : encoded(UInt64(mended.count))
      output += mended
    }
    return output
  }

  private static func field(_ number: UInt64, _ schema: Schema) -> Schema.Field? {
    schema.table.withUnsafeBufferPointer { table in
      let view = SchemaView(table.baseAddress!, at: schema.start)
      return (0..<view.count).lazy.map { view[$0] }.first { UInt64($0.number) == number }
    }
  }

  /// Copies one field unchanged; returns false if it is malformed.
  private static func skip(_ rest: inout ArraySlice<UInt8>, into output: inout [UInt8]) -> Bool {
    var after = rest
    var depth = 0
    repeat {
      guard let key = varint(&after) else { return false }
      switch key & 7 {
      case 0: guard varint(&after) != nil else { return false }
      case 1, 5:
        guard after.count >= (key & 7 == 1 ? 8 : 4) else { return false }
        after = after.dropFirst(key & 7 == 1 ? 8 : 4)
      case 2:
        guard let length = varint(&after), length <= UInt64(after.count) else { return false }
        after = after.dropFirst(Int(length))
      case 3: depth += 1
      case 4: depth -= 1
      default: return false
      }
    } while depth > 0
    output += rest.prefix(rest.count - after.count)
    rest = after
    return true
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for (index, byte) in bytes.prefix(10).enumerated() {
      value |= UInt64(byte & 0x7f) << (7 * UInt64(index))
      guard byte < 0x80 else { continue }
      bytes = bytes.dropFirst(index + 1)
      return value
    }
    return nil
  }
}

func encoded(_ value: UInt64) -> [UInt8] {
  var bytes: [UInt8] = []
  var rest = value
  while rest >= 0x80 {
    bytes.append(UInt8(rest & 0x7f) | 0x80)
    rest >>= 7
  }
  return bytes + [UInt8(rest)]
}

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
}
