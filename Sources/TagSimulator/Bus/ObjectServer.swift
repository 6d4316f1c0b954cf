import DBus

/// Objects on a bus connection, with the standard interfaces.
final class ObjectServer {
  static let properties = "org.freedesktop.DBus.Properties"
  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  static let introspectable = "org.freedesktop.DBus.Introspectable"

  private let connection: BusConnection
  private var export: Export?
  /// The path of the object manager.
  let root: String
  private var objects: [ExportedObject] = []
  private var byPath: [String: ExportedObject] = [:]
  private let called: (MethodCall) -> Void
  /// Pending replies and signals of a stopped process.
  private var held: [() -> Void]?

  init(
    _ connection: BusConnection, root: String = "/", called: @escaping (MethodCall) -> Void = { _ in }
  ) throws {
    self.connection = connection
    self.root = root
    self.called = called
    export = try connection.export(root, tree: true) { [weak self] in self?.handle($0) }
  }

  subscript(_ path: String) -> ExportedObject? { byPath[path] }

  // MARK: - Exporting

  func add(_ object: ExportedObject, announced: Bool = true) {
    guard byPath[object.path] == nil else { return }
    object.server = self
    byPath[object.path] = object
    objects.append(object)
    if announced { signal(root, Self.objectManager, "InterfacesAdded", [.objectPath(object.path), object.managed]) }
  }

  func remove(_ object: ExportedObject, announced: Bool = true) {
    guard byPath[object.path] === object else { return }
    byPath[object.path] = nil
    objects.removeAll { $0 === object }
    object.server = nil
    guard announced else { return }
    let names = object.interfaces.map(\.name) + (object.interfaces.isEmpty ? [] : [Self.properties])
    signal(root, Self.objectManager, "InterfacesRemoved", [.objectPath(object.path), .strings(names)])
  }

  /// Stops like SIGSTOP: no replies and signals until `release`.
  func hold() { held = held ?? [] }

  var isHolding: Bool { held != nil }

  /// Queued while the process is stopped.
  func perform(_ work: @escaping () -> Void) {
    if held != nil { held?.append(work) } else { work() }
  }

  /// Sends no more replies and signals.
  func end() { held = nil }

  func release() {
    let waiting = held ?? []
    held = nil
    for work in waiting { work() }
  }

  func signal(_ path: String, _ interface: String, _ member: String, _ body: [Value]) {
    guard held == nil else { return held?.append { [self] in signal(path, interface, member, body) } ?? () }
    // A lost connection accepts no more signals.
    try? connection.emit(path: path, interface: interface, member: member, body)
  }

  // MARK: - Calls

  private func handle(_ call: MethodCall) {
    guard held == nil else { return held?.append { [self] in handle(call) } ?? () }
    called(call)
    do {
      try dispatch(call, call.path, call.interface, call.member)
    } catch let failure as MethodFailure {
      call.fail(failure)
    } catch {
      call.fail(ErrorName.failed, "\(error)")
    }
  }

  private func dispatch(_ call: MethodCall, _ path: String, _ interface: String?, _ member: String) throws {
    let unknown = MethodFailure(
      name: ErrorName.unknownMethod,
      message:
        "Method \"\(member)\" with signature \"\(call.arguments.map(\.signature).joined())\" on interface "
        + "\"\(interface ?? "(null)")\" doesn't exist\n")
    if interface == Self.introspectable, member == "Introspect" { return call.answer(.string(introspect(path))) }
    if path == root, interface == Self.objectManager, member == "GetManagedObjects" {
      return call.answer(managedObjects)
    }
    guard let object = byPath[path] else {
      throw MethodFailure(name: ErrorName.unknownObject, message: unknown.message)
    }
    if interface == Self.properties { return try property(call, object, member) }
    let candidates = object.interfaces.filter { interface == nil || $0.name == interface }
    guard let method = candidates.compactMap({ $0.methods[member] }).first else { throw unknown }
    try method(call)
  }

  private func property(_ call: MethodCall, _ object: ExportedObject, _ member: String) throws {
    let names = call.arguments.prefix(2).map { $0.asString }
    guard let name = names.first ?? nil, let interface = object.interfaces.first(where: { $0.name == name }) else {
      throw MethodFailure(name: ErrorName.invalidArguments, message: "No such interface")
    }
    if member == "GetAll" { return call.answer(.properties(interface.properties)) }
    guard names.count == 2, let property = names[1] else {
      throw MethodFailure(name: ErrorName.invalidArguments, message: "Invalid argument type")
    }
    switch member {
    case "Get":
      guard let value = interface[property] else {
        throw MethodFailure(name: ErrorName.invalidArguments, message: "No such property '\(property)'")
      }
      call.answer(.variant(value))
    case "Set":
      guard call.arguments.count == 3 else {
        throw MethodFailure(name: ErrorName.invalidArguments, message: "Invalid argument type")
      }
      guard let setter = interface.setters[property] else {
        throw MethodFailure(name: ErrorName.propertyReadOnly, message: "Property '\(property)' is not writable")
      }
      try setter(call.arguments[2].unwrapped)
      call.answer()
    default:
      throw MethodFailure(name: ErrorName.unknownMethod, message: "Method \"\(member)\" doesn't exist\n")
    }
  }

  private var managedObjects: Value {
    .dictionary(
      key: "o", value: "a{sa{sv}}",
      objects.filter { !$0.interfaces.isEmpty }.map { Value.Entry(.objectPath($0.path), $0.managed) })
  }

  private func introspect(_ path: String) -> String {
    let prefix = path == "/" ? "/" : path + "/"
    let children = Set(
      objects.map(\.path).filter { $0.hasPrefix(prefix) && $0 != path }
        .compactMap { $0.dropFirst(prefix.count).split(separator: "/").first })
    let interfaces = (byPath[path]?.interfaces ?? []).map { interface in
      "<interface name=\"\(interface.name)\">"
        + interface.methods.keys.sorted().map { "<method name=\"\($0)\"/>" }.joined() + "</interface>"
    }
    return "<node>" + interfaces.joined() + children.sorted().map { "<node name=\"\($0)\"/>" }.joined() + "</node>"
  }
}
