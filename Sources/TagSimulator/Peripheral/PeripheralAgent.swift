import DBus

/// Lets hosts pair without confirmation, like a tag without display and keys, or refuses if a scenario says so.
final class PeripheralAgent {
  static let root = "/jacquard/agent"

  private let server: ObjectServer

  init(_ connection: BusConnection, _ tag: SoftwareTag) throws {
    server = try ObjectServer(connection, root: Self.root)
    let interface = ExportedInterface("org.bluez.Agent1")
    for method in ["RequestAuthorization", "AuthorizeService", "RequestConfirmation"] {
      interface.methods[method] = { [unowned tag] in
        guard tag.profile.pairing != .refused else { throw MethodFailure.rejected }
        $0.answer()
      }
    }
    for method in ["Release", "Cancel"] { interface.methods[method] = { $0.answer() } }
    server.add(ExportedObject(Self.root, [interface]), announced: false)
  }
}
