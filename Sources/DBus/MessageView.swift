import CDBus
import Glibc

/// A message in libdbus's memory, without a copy. Valid only during the call that delivered it; `Message(_:)`
/// keeps it longer.
public struct MessageView {
  let pointer: OpaquePointer

  public var kind: MessageKind { MessageKind(code: dbus_message_get_type(pointer)) }
  public var serial: UInt32 { dbus_message_get_serial(pointer) }
  public var replySerial: UInt32 { dbus_message_get_reply_serial(pointer) }
  public var wantsReply: Bool { kind == .methodCall && dbus_message_get_no_reply(pointer) == 0 }

  public var sender: UnsafePointer<CChar>? { dbus_message_get_sender(pointer) }
  public var destination: UnsafePointer<CChar>? { dbus_message_get_destination(pointer) }
  public var path: UnsafePointer<CChar>? { dbus_message_get_path(pointer) }
  public var interface: UnsafePointer<CChar>? { dbus_message_get_interface(pointer) }
  public var member: UnsafePointer<CChar>? { dbus_message_get_member(pointer) }
  public var errorName: UnsafePointer<CChar>? { dbus_message_get_error_name(pointer) }
  public var signature: UnsafePointer<CChar>? { dbus_message_get_signature(pointer) }

  /// A cursor at the first argument.
  public var reader: MessageReader { MessageReader(pointer) }

  public func isSignal(_ interface: StaticString, _ member: StaticString) -> Bool {
    dbus_message_get_type(pointer) == DBUS_MESSAGE_TYPE_SIGNAL && Self.equal(self.member, member)
      && Self.equal(self.interface, interface)
  }

  private static func equal(_ text: UnsafePointer<CChar>?, _ other: StaticString) -> Bool {
    guard let text, other.hasPointerRepresentation else { return false }
    // A static string ends with a NUL.
    return strcmp(text, UnsafeRawPointer(other.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
  }
}
