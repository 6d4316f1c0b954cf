import CDBus

/// Reads and creates the few messages of the bus itself.
enum LocalBusMessage {
  enum Argument {
    case string(String)
    case number(UInt32)
    case boolean(Bool)
    case strings([String])
  }

  struct Received {
    let type: String
    var text = ""
    var number: UInt32 = 0
  }

  static func member(of message: OpaquePointer) -> String {
    dbus_message_get_member(message).map { String(cString: $0) } ?? ""
  }

  static func isCall(_ message: OpaquePointer, of member: String) -> Bool {
    dbus_message_is_method_call(message, LocalBus.name, member) != 0
  }

  /// libdbus accepts only messages with valid names, but does not check names in arguments.
  static func isWellKnown(_ name: String) -> Bool {
    !name.hasPrefix(":") && name != LocalBus.name && dbus_validate_bus_name(name, nil) != 0
  }

  /// The leading strings and numbers of a message.
  static func arguments(of message: OpaquePointer, atMost limit: Int = 64) -> [Received] {
    var arguments: [Received] = []
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
    repeat {
      let type = dbus_message_iter_get_arg_type(&iterator)
      guard type != 0, let scalar = UnicodeScalar(UInt32(type)) else { break }
      var argument = Received(type: String(Character(scalar)))
      switch argument.type {
      case "s", "o", "g":
        var text: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &text)
        argument.text = text.map { String(cString: $0) } ?? ""
      case "u": dbus_message_iter_get_basic(&iterator, &argument.number)
      default: break
      }
      arguments.append(argument)
    } while arguments.count < limit && dbus_message_iter_next(&iterator) != 0
    return arguments
  }

  static func withSignal(_ member: String, _ body: [String], _ use: (OpaquePointer) -> Void) {
    guard let signal = dbus_message_new_signal(LocalBus.path, LocalBus.name, member) else { return }
    dbus_message_set_sender(signal, LocalBus.name)
    append(body.map { .string($0) }, to: signal)
    use(signal)
    dbus_message_unref(signal)
  }

  static func append(_ body: [Argument], to message: OpaquePointer) {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(message, &iterator)
    for argument in body {
      switch argument {
      case .string(let text): append(text, to: &iterator)
      case .number(let number):
        withUnsafePointer(to: number) { _ = dbus_message_iter_append_basic(&iterator, code("u"), $0) }
      case .boolean(let value):
        withUnsafePointer(to: dbus_bool_t(value ? 1 : 0)) {
          _ = dbus_message_iter_append_basic(&iterator, code("b"), $0)
        }
      case .strings(let texts):
        var inner = DBusMessageIter()
        dbus_message_iter_open_container(&iterator, code("a"), "s", &inner)
        for text in texts { append(text, to: &inner) }
        dbus_message_iter_close_container(&iterator, &inner)
      }
    }
  }

  /// libdbus's own constants are macros that Swift does not see.
  private static func code(_ type: UnicodeScalar) -> Int32 { Int32(type.value) }

  private static func append(_ text: String, to iterator: inout DBusMessageIter) {
    text.withCString { pointer in
      withUnsafePointer(to: pointer) { _ = dbus_message_iter_append_basic(&iterator, code("s"), $0) }
    }
  }
}
