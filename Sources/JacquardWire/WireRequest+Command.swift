extension WireRequest {
  /// A request without a payload. Its ID is set when it is sent.
  public init(_ command: Command, component: UInt32? = nil) {
    self.init()
    domain = command.domain
    opcode = command.opcode
    if let component { componentID = component }
  }

  public var command: Command { Command(domain: domain, opcode: opcode) }
}

extension WireNotification {
  public var command: Command { Command(domain: domain, opcode: opcode) }
}
