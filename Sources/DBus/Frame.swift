import CDBus
import EventLoop
import Glibc

/// The bytes of one message, whose lengths have been checked.
struct Frame {
  /// The fixed part of the header.
  static let shortest = 16
  /// The limits of D-Bus for a message and for its header fields.
  static let longest = 128 << 20
  static let longestFields = 64 << 20
  private static let descriptorField: UInt8 = 9
  /// Receivers ignore fields that they do not know.
  private static let unknownField: UInt8 = 0xFE

  let bytes: UnsafeRawBufferPointer
  /// The length of the header, with its padding.
  let header: Int

  /// The lengths of the header and of the body; nil if no frame begins with these bytes.
  ///
  /// A bus sends messages as their senders wrote them: little-endian, because this library runs on no other machines.
  @inline(__always)
  static func lengths(_ bytes: UnsafeRawPointer) -> (header: Int, body: Int)? {
    let fields = Int(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    let header = (shortest + fields + 7) & ~7
    let body = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    guard bytes.load(as: UInt8.self) == UInt8(ascii: "l"), bytes.load(fromByteOffset: 3, as: UInt8.self) == 1,
      fields <= longestFields, header + body <= longest
    else { return nil }
    return (header, body)
  }

  var serial: UInt32 { bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self) }

  /// Whether file descriptors of the stream belong to it.
  var hasDescriptors: Bool { offset(ofNumber: Self.descriptorField) != nil }

  enum Refusal: Error { case malformed, memory }

  /// libdbus's message, which has one reference.
  func message(_ stream: MessageStream) throws(Refusal) -> OpaquePointer {
    if !stream.descriptors.isEmpty, let offset = offset(ofNumber: Self.descriptorField) {
      return try message(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self), at: offset, stream)
    }
    return try Self.parse(bytes)
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer) throws(Refusal) -> OpaquePointer {
    var error = DBusError()
    dbus_error_init(&error)
    if let message = dbus_message_demarshal(
      bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), &error)
    {
      return message
    }
    defer { dbus_error_free(&error) }
    throw dbus_error_has_name(&error, DBUS_ERROR_NO_MEMORY) != 0 ? .memory : .malformed
  }

  /// The offset of the number in a header field. The text of another field cannot contain its NUL.
  func offset(ofNumber field: UInt8) -> Int? {
    stride(from: Self.shortest, through: header - 8, by: 8).first {
      bytes[$0] == field && bytes[$0 + 1] == 1 && bytes[$0 + 2] == UInt8(ascii: "u") && bytes[$0 + 3] == 0
    }.map { $0 + 4 }
  }

  // MARK: Descriptors

  /// libdbus does not parse frames with descriptors. Therefore it checks this one without the descriptor field, and the
  /// values are written to another message.
  private func message(
    _ count: UInt32, at offset: Int, _ stream: MessageStream
  ) throws(Refusal) -> OpaquePointer {
    var copy = Array(bytes)
    copy[offset - 4] = Self.unknownField
    let checked = try copy.withUnsafeBytes { bytes in
      Result { () throws(Refusal) in try Self.parse(bytes) }
    }.get()
    defer { dbus_message_unref(checked) }
    guard count <= stream.descriptors.count,
      let values = BodyParser.values(
        String(cString: dbus_message_get_signature(checked)), UnsafeRawBufferPointer(rebasing: bytes[header...]),
        Array(stream.descriptors.prefix(Int(count))))
    else { throw .malformed }
    guard let message = Self.copyOfHeader(checked) else { throw .memory }
    guard MessageWriter.append(values, to: message) else {
      dbus_message_unref(message)
      throw .memory
    }
    stream.dropDescriptors(Int(count))
    return message
  }

  private static func copyOfHeader(_ other: OpaquePointer) -> OpaquePointer? {
    guard let message = dbus_message_new(dbus_message_get_type(other)) else { return nil }
    let isComplete =
      dbus_message_set_path(message, dbus_message_get_path(other)) != 0
      && dbus_message_set_interface(message, dbus_message_get_interface(other)) != 0
      && dbus_message_set_member(message, dbus_message_get_member(other)) != 0
      && dbus_message_set_error_name(message, dbus_message_get_error_name(other)) != 0
      && dbus_message_set_destination(message, dbus_message_get_destination(other)) != 0
      && dbus_message_set_sender(message, dbus_message_get_sender(other)) != 0
      && (dbus_message_get_reply_serial(other) == 0
        || dbus_message_set_reply_serial(message, dbus_message_get_reply_serial(other)) != 0)
    guard isComplete else {
      dbus_message_unref(message)
      return nil
    }
    dbus_message_set_no_reply(message, dbus_message_get_no_reply(other))
    dbus_message_set_serial(message, dbus_message_get_serial(other))
    return message
  }
}
