extension BusConnection {
  /// Calls `handler` for each signal that `rule` describes, until the subscription is cancelled or released. When this
  /// returns, no signal sent from then on is missed.
  ///
  /// A rule about a well-known name only lets through what its owner sends: others can address signals to anyone.
  public func subscribe(
    _ rule: MatchRule, _ handler: @escaping (MessageView) -> Void
  ) async throws(BusError) -> Subscription {
    try rule.check()
    var owner: NameWatch?
    if let sender = rule.sender, !sender.hasPrefix(":"), sender != Driver.name {
      owner = try await watchName(sender) { _ in }
    }
    let route = SignalRoute(rule, owner: owner, handler)
    // Listed before the bus knows of it, so that nothing falls between the bus's answer and its handling here.
    routes.append(route)
    do {
      try await call(Driver.call("AddMatch", [.string(rule.description)]))
    } catch {
      // Unless the bus has refused the rule, it has or will have it.
      remove(route, fromBus: error.name == nil)
      throw error
    }
    return Subscription(route, self)
  }

  func remove(_ route: SignalRoute, fromBus: Bool) {
    guard route.isActive else { return }
    routes.remove(route)
    route.end()
    guard fromBus, let message = try? Driver.call("RemoveMatch", [.string(route.rule.description)]) else { return }
    message.expectNoReply()
    _ = try? send(message)
  }

  func deliverSignal(_ message: MessageView) {
    onSignal?(message)
    routes.deliver(message)
  }
}
