/// A call to an exported object. It is replied to exactly once, now or later; if it is released without a reply, the
/// caller gets an error.
public final class MethodCall {
  public let message: Message
  private weak var connection: BusConnection?
  public private(set) var isAnswered = false

  init(_ message: Message, _ connection: BusConnection) {
    self.message = message
    self.connection = connection
  }

  deinit {
    if !isAnswered { fail(ErrorName.noReply, "the service did not reply") }
  }

  public var path: String { message.path ?? "" }
  public var interface: String? { message.interface }
  public var member: String { message.member ?? "" }
  public var sender: String? { message.sender }
  public var wantsReply: Bool { message.wantsReply }
  public func body() -> [Value] { message.body() }

  /// Whether this is a call of this method; a call may omit the interface.
  public func isCall(of interface: String, _ member: String) -> Bool {
    self.member == member && (self.interface == nil || self.interface == interface)
  }

  /// An invalid reply throws and leaves the call without a reply. A second reply has no effect.
  public func reply(_ body: [Value] = []) throws(BusError) {
    try answer { () throws(BusError) in try .reply(to: message, body) }
  }

  public func reply(_ values: Value...) throws(BusError) { try reply(values) }

  public func fail(_ name: String, _ text: String) {
    let isWellFormed = Validity.isErrorName(name) && Validity.isString(text)
    try? answer { () throws(BusError) in
      try .error(to: message, name: isWellFormed ? name : ErrorName.failed, message: isWellFormed ? text : "")
    }
  }

  public func failUnknownMethod() {
    fail(ErrorName.unknownMethod, "no method \(member) in interface \(interface ?? "(none)") at \(path)")
  }

  public func failUnknownObject() { fail(ErrorName.unknownObject, "no object at \(path)") }

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
