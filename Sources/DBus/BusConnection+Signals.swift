extension BusConnection {
  /// Calls `handler` for each signal that matches `rule`, until the subscription is cancelled or released. When this
  /// returns, no signal sent from then on is missed.
  ///
  /// A rule with a well-known name only matches signals from its owner, because any client can send signals to any
  /// other.
  public func subscribe(
    _ rule: MatchRule, _ handler: @escaping (MessageView) -> Void
  ) async throws(BusError) -> Subscription {
    try rule.check()
    var owner: NameWatch?
    if let sender = rule.sender, !sender.hasPrefix(":"), sender != Driver.name {
      owner = try await watchName(sender) { _ in }
    }
    let route = SignalRoute(rule, owner: owner, handler)
    // Added before the bus knows the rule, so that no signal is missed between the bus's reply and its handling here.
    routes.append(route)
    do {
      try await call(Driver.call("AddMatch", [.string(rule.description)]))
    } catch {
      // Unless the bus has refused the rule, it has it or will have it.
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
