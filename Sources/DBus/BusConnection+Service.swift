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
    guard let handler = exports.handler(for: call.path) else { return call.failUnknownObject() }
    handler(call)
  }
}
