import DBus

/// One interface of an exported object: its properties and its methods.
final class ExportedInterface {
  let name: String
  private(set) var properties: PropertyMap
  var methods: [String: (MethodCall) throws -> Void] = [:]
  /// Writable properties; the closure applies the value or throws.
  var setters: [String: (Value) throws -> Void] = [:]

  init(_ name: String, _ properties: PropertyMap = [:]) {
    self.name = name
    self.properties = properties
  }

  subscript(_ property: String) -> Value? { properties[property] }

  /// Returns the properties that actually changed. A nil value removes a property.
  fileprivate func apply(_ changes: [String: Value?]) -> (changed: PropertyMap, invalidated: [String]) {
    var changed: PropertyMap = [:]
    var invalidated: [String] = []
    for (name, value) in changes where properties[name] != value {
      properties[name] = value
      if let value { changed[name] = value } else { invalidated.append(name) }
    }
    return (changed, invalidated.sorted())
  }
}

/// An object on the bus.
final class ExportedObject {
  let path: String
  private(set) var interfaces: [ExportedInterface]
  weak var server: ObjectServer?

  init(_ path: String, _ interfaces: [ExportedInterface]) {
    self.path = path
    self.interfaces = interfaces
  }

  /// Changes properties and signals the changes in one signal, or without a signal if `silently` is set.
  func change(_ interface: ExportedInterface, _ changes: [String: Value?], silently: Bool = false) {
    let (changed, invalidated) = interface.apply(changes)
    guard !silently, !changed.isEmpty || !invalidated.isEmpty else { return }
    emit(interface, changed, invalidated)
  }

  /// Sends a PropertiesChanged signal, even without changes.
  func emit(_ interface: ExportedInterface, _ changed: PropertyMap, _ invalidated: [String] = []) {
    server?.signal(
      path, ObjectServer.properties, "PropertiesChanged",
      [.string(interface.name), .properties(changed), .strings(invalidated)])
  }

  func add(_ interface: ExportedInterface) {
    interfaces.append(interface)
    announce("InterfacesAdded", Self.managed([interface]))
  }

  func remove(_ interface: ExportedInterface) {
    interfaces.removeAll { $0 === interface }
    announce("InterfacesRemoved", .strings([interface.name]))
  }

  private func announce(_ member: String, _ interfaces: Value) {
    guard let server else { return }
    server.signal(server.root, ObjectServer.objectManager, member, [.objectPath(path), interfaces])
  }

  var managed: Value { Self.managed(interfaces) }

  private static func managed(_ interfaces: [ExportedInterface]) -> Value {
    .dictionary(
      key: "s", value: "a{sv}",
      interfaces.map { Value.Entry(.string($0.name), .properties($0.properties)) })
  }
}

/// A failure that is returned to a caller as a D-Bus error.
struct MethodFailure: Error, Equatable {
  var name: String
  var message: String
}

extension MethodCall {
  var arguments: [Value] { body() }
  var caller: String { sender ?? "" }

  /// Replies with values of the simulator, which are always valid.
  func answer(_ values: Value...) { try? reply(values) }

  func fail(_ failure: MethodFailure) { fail(failure.name, failure.message) }
}
