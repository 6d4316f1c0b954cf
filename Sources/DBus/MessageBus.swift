/// The message bus itself as a peer.
enum MessageBus {
  static let name = "org.freedesktop.DBus"
  static let path = "/org/freedesktop/DBus"
  static let interface = "org.freedesktop.DBus"

  static func call(_ member: String, _ body: [Value] = []) throws(BusError) -> Message {
    try .methodCall(destination: name, path: path, interface: interface, member: member, body)
  }
}
