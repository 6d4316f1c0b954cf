import CDBus
import EventLoop

/// One D-Bus message. Its initialisers reject everything that is invalid in D-Bus.
public final class Message {
  let pointer: OpaquePointer

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
    return try make(dbus_message_new_method_call(destination, path, interface, member), body)
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

  public static func reply(to call: Message, _ body: [Value] = []) throws(BusError) -> Message {
    guard call.kind == .methodCall, call.serial != 0 else { throw .invalidArgument("call to reply to") }
    return try make(dbus_message_new_method_return(call.pointer), body)
  }

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
    return Message(taking: copy)
  }

  // MARK: Reading

  public var view: MessageView { MessageView(pointer: pointer) }
  public var kind: MessageKind { view.kind }
  /// 0 until sent.
  public var serial: UInt32 { view.serial }
  /// 0 if this is not a reply.
  public var replySerial: UInt32 { view.replySerial }
  public var wantsReply: Bool { view.wantsReply }

  public var sender: String? { view.sender.map { String(cString: $0) } }
  public var destination: String? { view.destination.map { String(cString: $0) } }
  public var path: String? { view.path.map { String(cString: $0) } }
  public var interface: String? { view.interface.map { String(cString: $0) } }
  public var member: String? { view.member.map { String(cString: $0) } }
  public var errorName: String? { view.errorName.map { String(cString: $0) } }
  public var signature: String { view.signature.map { String(cString: $0) } ?? "" }

  public var reader: MessageReader { view.reader }

  /// All arguments; empty also if descriptors among them could not be duplicated.
  public func body() -> [Value] { MessageReader.rest(reader) ?? [] }

  /// For an error message: its text.
  var asError: BusError {
    var reader = reader
    return .remote(
      name: errorName ?? ErrorName.failed, message: reader.cString.map { String(cString: $0) } ?? "")
  }
}
