import CDBus
import EventLoop
import Glibc

/// One D-Bus message. Its initialisers reject everything that is invalid in D-Bus.
public final class Message {
  let pointer: OpaquePointer
  /// The destination of a call that was created here: libdbus would search the header.
  private var callee: String?

  private init(taking pointer: OpaquePointer) { self.pointer = pointer }

  /// Keeps a message beyond the call that delivered it.
  public init(_ view: MessageView) { pointer = dbus_message_ref(view.pointer) }

  deinit { dbus_message_unref(pointer) }

  // MARK: Creating

  /// - Parameter interface: nil leaves the choice to the receiver, if only one of its interfaces has the method.
  public static func methodCall(
    destination: String, path: String, interface: String?, member: String, _ body: [Value] = []
  ) throws(BusError) -> Message {
    try require(destination, Validity.isBusName, "destination")
    try require(path, isSendablePath, "object path")
    if let interface { try require(interface, isSendableInterface, "interface") }
    try require(member, Validity.isMember, "member")
    let message = try make(dbus_message_new_method_call(destination, path, interface, member), body)
    message.callee = destination
    return message
  }

  /// - Parameter destination: one receiver only, instead of all subscribers.
  public static func signal(
    path: String, interface: String, member: String, destination: String? = nil, _ body: [Value] = []
  ) throws(BusError) -> Message {
    try require(path, isSendablePath, "object path")
    try require(interface, isSendableInterface, "interface")
    try require(member, Validity.isMember, "member")
    if let destination { try require(destination, Validity.isBusName, "destination") }
    let message = try make(dbus_message_new_signal(path, interface, member), body)
    if let destination, dbus_message_set_destination(message.pointer, destination) == 0 { throw .exhausted("memory") }
    return message
  }

  /// A reply to a received call. Throws `invalidArgument` if `call` is anything else, or if the body is invalid.
  public static func reply(to call: Message, _ body: [Value] = []) throws(BusError) -> Message {
    guard call.kind == .methodCall, call.serial != 0 else { throw .invalidArgument("call to reply to") }
    return try make(dbus_message_new_method_return(call.pointer), body)
  }

  /// An error reply to a received call, with its text as the only argument. Throws for an invalid error name.
  public static func error(to call: Message, name: String, message: String) throws(BusError) -> Message {
    guard call.kind == .methodCall, call.serial != 0 else { throw .invalidArgument("call to reply to") }
    try require(name, Validity.isErrorName, "error name")
    return try make(dbus_message_new_error(call.pointer, name, nil), [.string(message)])
  }

  /// A bus disconnects clients that use libdbus's reserved names.
  private static func isSendablePath(_ text: String) -> Bool {
    Validity.isObjectPath(text) && text != DBUS_PATH_LOCAL
  }

  private static func isSendableInterface(_ text: String) -> Bool {
    Validity.isInterface(text) && text != DBUS_INTERFACE_LOCAL
  }

  private static func require(
    _ text: String, _ rule: (String) -> Bool, _ what: String
  ) throws(BusError) {
    guard rule(text) else { throw .invalidArgument(what) }
  }

  private static func make(_ pointer: OpaquePointer?, _ body: [Value]) throws(BusError) -> Message {
    guard let pointer else { throw .exhausted("memory") }
    let message = Message(taking: pointer)
    try BodyCheck.check(body)
    // Duplicating a descriptor may fail if the process has none left.
    guard MessageWriter.append(body, to: pointer) else { throw .exhausted("memory or descriptors") }
    return message
  }

  func expectNoReply() { dbus_message_set_no_reply(pointer, 1) }

  /// A copy of the message that has not been sent.
  func unsentCopy() throws(BusError) -> Message {
    guard let copy = dbus_message_copy(pointer) else { throw .exhausted("memory") }
    let message = Message(taking: copy)
    message.callee = callee
    return message
  }

  // MARK: Reading

  /// The message without a copy, valid as long as this object.
  public var view: MessageView { MessageView(pointer: pointer) }
  public var kind: MessageKind { view.kind }
  /// 0 until sent.
  public var serial: UInt32 { view.serial }
  var wantsReply: Bool { view.wantsReply }

  /// The sender's unique name, which the bus fills in; nil before the message has passed a bus.
  public var sender: String? { view.sender.map { String(cString: $0) } }
  /// The receiver's bus name; nil for a signal to all subscribers.
  public var destination: String? { callee ?? view.destination.map { String(cString: $0) } }
  /// The object that is called, or that sends the signal; nil for a reply.
  public var path: String? { view.path.map { String(cString: $0) } }
  /// The interface of the method or signal; nil for a reply, and for a call that omits it.
  public var interface: String? { view.interface.map { String(cString: $0) } }
  /// The name of the method or signal; nil for a reply.
  public var member: String? { view.member.map { String(cString: $0) } }
  var errorName: String? { view.errorName.map { String(cString: $0) } }
  /// The types of the arguments; empty if there are none.
  public var signature: String { view.signature.map { String(cString: $0) } ?? "" }

  /// A cursor at the first argument, valid as long as the message.
  public var reader: MessageReader { view.reader }

  /// All arguments. Empty if there are none, or if a descriptor could not be duplicated.
  public func body() -> [Value] { MessageReader.rest(reader) ?? [] }

  /// The name and text of an error message. The bus fills in senders, so one without a sender is not from the bus.
  var asError: BusError {
    var reader = reader
    let name = errorName ?? ErrorName.failed
    let text = reader.cString.map { String(cString: $0) } ?? ""
    return sender == nil ? .filtered(name: name, message: text) : .remote(name: name, message: text)
  }
}

/// The message types of the D-Bus specification.
public enum MessageKind: Hashable, Sendable {
  case methodCall
  case methodReturn
  case error
  case signal
  /// The specification requires that this message be ignored.
  case unknown

  init(code: Int32) {
    switch code {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: self = .methodCall
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: self = .methodReturn
    case DBUS_MESSAGE_TYPE_ERROR: self = .error
    case DBUS_MESSAGE_TYPE_SIGNAL: self = .signal
    default: self = .unknown
    }
  }
}

/// A message in libdbus's memory, without a copy. Valid only during the call that delivered it; `Message(_:)`
/// keeps it longer.
public struct MessageView {
  let pointer: OpaquePointer

  public var kind: MessageKind { MessageKind(code: dbus_message_get_type(pointer)) }
  /// The sender's number for the message; 0 until it is sent.
  public var serial: UInt32 { dbus_message_get_serial(pointer) }
  var replySerial: UInt32 { dbus_message_get_reply_serial(pointer) }
  var wantsReply: Bool { kind == .methodCall && dbus_message_get_no_reply(pointer) == 0 }

  /// The sender's unique name, which the bus fills in, in the message's memory.
  public var sender: UnsafePointer<CChar>? { dbus_message_get_sender(pointer) }
  /// The receiver's bus name, in the message's memory; nil for a signal to all subscribers.
  public var destination: UnsafePointer<CChar>? { dbus_message_get_destination(pointer) }
  /// The object that is called, or that sends the signal, in the message's memory; nil for a reply.
  public var path: UnsafePointer<CChar>? { dbus_message_get_path(pointer) }
  /// The interface of the method or signal, in the message's memory; nil for a reply.
  public var interface: UnsafePointer<CChar>? { dbus_message_get_interface(pointer) }
  /// The name of the method or signal, in the message's memory; nil for a reply.
  public var member: UnsafePointer<CChar>? { dbus_message_get_member(pointer) }
  var errorName: UnsafePointer<CChar>? { dbus_message_get_error_name(pointer) }
  /// The types of the arguments, in the message's memory.
  public var signature: UnsafePointer<CChar>? { dbus_message_get_signature(pointer) }

  /// A cursor at the first argument.
  public var reader: MessageReader { MessageReader(pointer) }

  /// Whether this is the signal of that interface. Compares in place, without creating strings.
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

/// FNV-1a of a C string: compares names for every notification, where a dictionary's hashing would be most of the work.
/// Equal hashes must be followed by a comparison.
public func textHash(_ text: UnsafePointer<CChar>) -> UInt64 {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  var cursor = text
  while cursor.pointee != 0 {
    hash = (hash ^ UInt64(UInt8(bitPattern: cursor.pointee))) &* 0x100_0000_01b3
    cursor += 1
  }
  return hash
}
