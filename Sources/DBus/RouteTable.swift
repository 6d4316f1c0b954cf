/// The routes of a connection, indexed by signal member.
struct RouteTable {
  private struct Entry {
    /// Nil: signals with any member.
    let memberHash: UInt64?
    let route: SignalRoute
  }

  private var entries: [Entry] = []

  mutating func append(_ route: SignalRoute) {
    entries.append(Entry(memberHash: route.rule.member.map { $0.withCString(textHash) }, route: route))
  }

  mutating func remove(_ route: SignalRoute) {
    entries.removeAll { $0.route === route }
  }

  mutating func removeAll() -> [SignalRoute] {
    defer { entries = [] }
    return entries.map(\.route)
  }

  func deliver(_ message: MessageView) {
    guard let member = message.member else { return }
    let hash = textHash(member)
    for entry in entries where entry.memberHash == nil || entry.memberHash == hash {
      let route = entry.route
      if route.isActive, route.matches(message) { route.handler?(message) }
    }
  }
}
