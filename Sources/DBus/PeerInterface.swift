import CDBus

/// The interface that every connection has. libdbus implements it for the messages that it reads itself.
enum PeerInterface {
  static let name = "org.freedesktop.DBus.Peer"

  static func answer(_ call: MethodCall) {
    switch call.member {
    case "Ping": try? call.reply()
    case "GetMachineId":
      var error = DBusError()
      dbus_error_init(&error)
      guard let id = dbus_try_get_local_machine_id(&error) else {
        call.fail(ErrorName.failed, error.message.map { String(cString: $0) } ?? "no memory")
        return dbus_error_free(&error)
      }
      defer { dbus_free(id) }
      try? call.reply(.string(String(cString: id)))
    default: call.failUnknownMethod()
    }
  }
}
