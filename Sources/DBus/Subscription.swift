/// An active match rule. Ends with `cancel()` or with its last reference.
public final class Subscription {
  private let route: SignalRoute
  private weak var connection: BusConnection?

  init(_ route: SignalRoute, _ connection: BusConnection) {
    self.route = route
    self.connection = connection
  }

  deinit { cancel() }

  public var rule: MatchRule { route.rule }

  /// The handler is not called after this.
  public func cancel() {
    connection?.remove(route, fromBus: true)
    connection = nil
  }
}
