import DBus

/// `org.bluez.AgentManager1`: the agents that handle pairing requests.
///
/// A tag has neither a display nor keys, so it pairs by "just works", and no agent is called unless a scenario requests
/// it. bluetoothd still does not start pairing without an agent.
final class AgentRegistry {
  private static let capabilities = [
    "", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
  ]

  /// The default agent: bluetoothd's requests go to this client at this path.
  struct Agent {
    var client: String
    var path: String
    var capability: String
  }

  private var agents: [String: Agent] = [:]
  private var defaultAgent: String?

  lazy var interface: ExportedInterface = {
    let interface = ExportedInterface("org.bluez.AgentManager1")
    interface.methods = [
      "RegisterAgent": { [unowned self] in try register($0) },
      "UnregisterAgent": { [unowned self] in try unregister($0) },
      "RequestDefaultAgent": { [unowned self] in try makeDefault($0) },
    ]
    return interface
  }()

  var count: Int { agents.count }

  func agent(for client: String) -> Agent? { agents[client] ?? defaultAgent.flatMap { agents[$0] } }

  func clientGone(_ name: String) {
    agents[name] = nil
    if defaultAgent == name { defaultAgent = nil }
  }

  private func register(_ call: MethodCall) throws {
    guard call.arguments.count == 2, let path = call.arguments[0].asObjectPath,
      let capability = call.arguments[1].asString, Self.capabilities.contains(capability)
    else { throw MethodFailure.invalidArguments }
    guard agents[call.caller] == nil else { throw MethodFailure.alreadyExists }
    agents[call.caller] = Agent(client: call.caller, path: path, capability: capability)
    call.answer()
  }

  private func unregister(_ call: MethodCall) throws {
    guard let path = call.arguments.first?.asObjectPath, agents[call.caller]?.path == path else {
      throw MethodFailure.doesNotExist
    }
    clientGone(call.caller)
    call.answer()
  }

  private func makeDefault(_ call: MethodCall) throws {
    guard let path = call.arguments.first?.asObjectPath, agents[call.caller]?.path == path else {
      throw MethodFailure.doesNotExist
    }
    defaultAgent = call.caller
    call.answer()
  }
}
