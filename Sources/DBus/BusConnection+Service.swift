extension BusConnection {
  /// Handles calls to the object at `path` and, if `tree` is set, to all paths below it without their own export.
  public func export(
    _ path: String, tree: Bool = false, _ handler: @escaping (MethodCall) -> Void
  ) throws(BusError) -> Export {
    loop.assertIsolated()
    guard Validity.isObjectPath(path) else { throw .invalidArgument("object path") }
    guard let identity = exports.insert(path, isTree: tree, handler) else {
      throw .invalidArgument("object path: already exported")
    }
    return Export(path, identity, self)
  }

  /// Sends a signal to all subscribers.
  public func emit(
    path: String, interface: String, member: String, _ body: [Value] = []
  ) throws(BusError) {
    try send(.signal(path: path, interface: interface, member: member, body))
  }

  func deliverCall(_ message: MessageView) {
    let call = MethodCall(Message(message), self)
    guard call.interface != PeerInterface.name else { return PeerInterface.answer(call) }
    guard let handler = exports.handler(for: call.path) else { return call.failUnknownObject() }
    handler(call)
  }
}

/// An exported object or tree of objects. Ends with `cancel()` or with its last reference.
public final class Export {
  public let path: String
  private weak var connection: BusConnection?
  private let identity: UInt64

  init(_ path: String, _ identity: UInt64, _ connection: BusConnection) {
    self.path = path
    self.identity = identity
    self.connection = connection
  }

  deinit { cancel() }

  /// Ends the export. Later calls go to the nearest exported tree above, or fail with `UnknownObject`.
  public func cancel() {
    _ = connection?.exports.remove(path, identity)
    connection = nil
  }
}

/// The handlers of exported object paths.
struct ExportTable {
  private struct Entry {
    let identity: UInt64
    let isTree: Bool
    let handler: (MethodCall) -> Void
  }

  private var entries: [String: Entry] = [:]
  private var nextIdentity: UInt64 = 0

  /// Nil if the path is taken.
  mutating func insert(_ path: String, isTree: Bool, _ handler: @escaping (MethodCall) -> Void) -> UInt64? {
    guard entries[path] == nil else { return nil }
    defer { nextIdentity += 1 }
    entries[path] = Entry(identity: nextIdentity, isTree: isTree, handler: handler)
    return nextIdentity
  }

  /// Returns the handler, so that it is not released while the table changes.
  mutating func remove(_ path: String, _ identity: UInt64) -> ((MethodCall) -> Void)? {
    guard entries[path]?.identity == identity else { return nil }
    return entries.removeValue(forKey: path)?.handler
  }

  /// The object at the path itself, else the nearest tree above it.
  func handler(for path: String) -> ((MethodCall) -> Void)? {
    if let entry = entries[path] { return entry.handler }
    var ancestor = path[...]
    while let slash = ancestor.lastIndex(of: "/") {
      ancestor = ancestor[..<slash]
      if let entry = entries[ancestor.isEmpty ? "/" : String(ancestor)], entry.isTree { return entry.handler }
    }
    return nil
  }
}

/// A call to an exported object. It is replied to exactly once, now or later; if it is released without a reply, the
/// caller gets an error.
public final class MethodCall {
  /// The call as received; valid as long as this object.
  public let message: Message
  private weak var connection: BusConnection?
  /// Whether `reply` or `fail` has completed the call. Nothing is sent to a caller that wants no reply.
  public private(set) var isAnswered = false

  init(_ message: Message, _ connection: BusConnection) {
    self.message = message
    self.connection = connection
  }

  deinit {
    if !isAnswered { fail(ErrorName.noReply, "the service did not reply") }
  }

  /// The path of the called object, which may be below an exported tree.
  public var path: String { message.path ?? "" }
  /// The method's interface; nil if the caller left the choice to the object.
  public var interface: String? { message.interface }
  public var member: String { message.member ?? "" }
  /// The unique name of the caller. The bus fills it in, so a caller cannot forge it.
  public var sender: String? { message.sender }
  var wantsReply: Bool { message.wantsReply }
  /// All arguments. Empty if there are none, or if a descriptor could not be duplicated.
  public func body() -> [Value] { message.body() }

  /// Whether this is a call of this method; a call may omit the interface.
  public func isCall(of interface: String, _ member: String) -> Bool {
    self.member == member && (self.interface == nil || self.interface == interface)
  }

  /// An invalid reply throws and leaves the call without a reply. A second reply has no effect.
  public func reply(_ body: [Value] = []) throws(BusError) {
    try answer { () throws(BusError) in try .reply(to: message, body) }
  }

  /// Replies with these values. Invalid ones throw, and the call then still needs a reply.
  public func reply(_ values: Value...) throws(BusError) { try reply(values) }

  /// Replies with an error. An invalid name becomes `ErrorName.failed`, so that the caller gets an error in any case.
  public func fail(_ name: String, _ text: String) {
    let isWellFormed = Validity.isErrorName(name) && Validity.isString(text)
    try? answer { () throws(BusError) in
      try .error(to: message, name: isWellFormed ? name : ErrorName.failed, message: isWellFormed ? text : "")
    }
  }

  /// Replies with `UnknownMethod`; the text names the method, interface and path.
  public func failUnknownMethod() {
    fail(ErrorName.unknownMethod, "no method \(member) in interface \(interface ?? "(none)") at \(path)")
  }

  func failUnknownObject() { fail(ErrorName.unknownObject, "no object at \(path)") }

  private func answer(_ make: () throws(BusError) -> Message) throws(BusError) {
    guard !isAnswered else { return }
    guard wantsReply else {
      isAnswered = true
      return
    }
    let answer = try make()
    isAnswered = true
    // A caller that has disconnected needs no reply.
    _ = try? connection?.send(answer)
  }
}
