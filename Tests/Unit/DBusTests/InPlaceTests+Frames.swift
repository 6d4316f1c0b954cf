import CDBus
import EventLoop
import Testing
import TestWorld

@testable import DBus

extension InPlaceTests {
  static let properties = "org.freedesktop.DBus.Properties"

  /// PropertiesChanged as bluetoothd sends it.
  static func change(
    _ value: [UInt8], path: String = path, property: String = "Value", invalidated: [String] = []
  ) throws -> Message {
    try .signal(
      path: path, interface: properties, member: "PropertiesChanged",
      ["org.bluez.GattCharacteristic1", .properties([property: .bytes(value)]), .strings(invalidated)])
  }

  static func frame<Result>(_ bytes: [UInt8], _ body: (Frame) throws -> Result) rethrows -> Result? {
    try bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let (header, length) = Frame.lengths(start), header + length == bytes.count
      else { return nil }
      return try body(Frame(bytes: bytes, header: header))
    }
  }

  static func template(_ bytes: [UInt8], _ count: Int) -> FrameTemplate? {
    frame(bytes) { FrameTemplate($0, valueOf: count) } ?? nil
  }

  static func value(_ template: FrameTemplate, _ bytes: [UInt8]) -> [UInt8]? {
    frame(bytes) { template.value(in: $0).map(Array.init) } ?? nil
  }

  /// The frame with the field of one descriptor added to its header.
  static func withDescriptor(_ bytes: [UInt8]) -> [UInt8] {
    let field: [UInt8] = [9, 1, UInt8(ascii: "u"), 0, 1, 0, 0, 0]
    let header = frame(bytes) { $0.header } ?? 0
    var changed = Array(bytes[..<header]) + field + bytes[header...]
    changed[12] = UInt8(header - Frame.shortest + field.count)
    return changed
  }

  /// The message as libdbus reads it.
  static func parsed(_ bytes: [UInt8]) -> (path: String, serial: UInt32, body: [Value])? {
    let message: OpaquePointer? = bytes.withUnsafeBytes { bytes in
      var error = DBusError()
      dbus_error_init(&error)
      defer { dbus_error_free(&error) }
      return dbus_message_demarshal(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), &error)
    }
    guard let message else { return nil }
    defer { dbus_message_unref(message) }
    let view = MessageView(pointer: message)
    return (view.path.map { String(cString: $0) } ?? "", view.serial, MessageReader.rest(view.reader) ?? [])
  }

  /// The changed property at the beginning of a message.
  static func withValue(_ message: MessageView, _ body: (UnsafeRawBufferPointer) -> Void) {
    var arguments = message.reader
    guard arguments.next(), var entries = arguments.enter(), var entry = entries.enter(), entry.next(),
      var variant = entry.enter(), let value = variant.bytes
    else { return }
    body(value)
  }

  /// Two connections, of which the second follows the first, and the rule for the values of the first.
  static func connect(
    _ fixture: BusFixture
  ) async throws -> (sender: BusConnection, receiver: BusConnection, rule: MatchRule, traffic: PeerTraffic) {
    let sender = try await fixture.connect()
    let receiver = try await fixture.connect()
    let peer = try #require(sender.uniqueName)
    let rule = MatchRule(sender: peer, interface: properties, member: "PropertiesChanged")
    return (sender, receiver, rule, receiver.follow(peer))
  }

  /// Returns when all earlier messages of `sender` have been delivered to `receiver`.
  static func settle(_ sender: BusConnection, _ receiver: BusConnection) async throws {
    _ = try await sender.busID()
    _ = try await receiver.busID()
  }
}
