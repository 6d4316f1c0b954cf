import DBus

/// Lets hosts pair without a question, as a tag without display and keys does.
final class PeripheralAgent {
  static let root = "/jacquard/agent"

  private let server: ObjectServer

  init(_ connection: BusConnection) throws {
    server = try ObjectServer(connection, root: Self.root)
    let interface = ExportedInterface("org.bluez.Agent1")
    for method in ["Release", "RequestAuthorization", "AuthorizeService", "RequestConfirmation", "Cancel"] {
      interface.methods[method] = { $0.answer() }
    }
    server.add(ExportedObject(Self.root, [interface]), announced: false)
  }
}
