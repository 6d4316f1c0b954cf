import EventLoop
import Glibc

extension BusConnection {
  /// Calls `handler` for each signal that matches `rule`, until the subscription is cancelled or released. No signal
  /// that is sent after this returns is missed.
  public func subscribe(
    _ rule: MatchRule, _ handler: @escaping (MessageView) -> Void
  ) async throws(BusError) -> Subscription {
    // First, so that no signal is missed between the bus's reply and its handling here.
    let subscription = try await receive(rule, handler)
    subscription.busRule = try await addMatch(rule)
    return subscription
  }

  /// Calls `handler` for each signal that matches `rule`, if a rule on the bus makes it arrive.
  ///
  /// A rule with a well-known name only matches signals from its owner, because any client can send signals to any
  /// other.
  public func receive(
    _ rule: MatchRule, _ handler: @escaping (MessageView) -> Void
  ) async throws(BusError) -> Subscription {
    try rule.check()
    var owner: NameWatch?
    if let sender = rule.sender, !sender.hasPrefix(":"), sender != MessageBus.name {
      owner = try await watchName(sender) { _ in }
    }
    let route = SignalRoute(rule, owner: owner, handler)
    inPlace.removeAll()
    routes.append(route)
    return Subscription(route, self)
  }

  /// Makes the bus send the signals that match `rule`. When this returns, none sent from then on is missed.
  public func addMatch(_ rule: MatchRule) async throws(BusError) -> BusRule {
    try await addMatches([rule])[0]
  }

  /// Adds all of these rules, or none.
  public func addMatches(_ rules: [MatchRule]) async throws(BusError) -> [BusRule] {
    guard !Task.isCancelled else { throw .cancelled }
    var added: [BusRule] = []
    for rule in rules { added.append(try startAddition(of: rule)) }
    var refusal: BusError?
    for rule in added {
      do throws(BusError) { try await rule.added.value() } catch { refusal = refusal ?? error }
    }
    if let refusal { throw refusal }
    return added
  }

  private func startAddition(of rule: MatchRule) throws(BusError) -> BusRule {
    let message = try additionMessage(rule)
    let new = BusRule(rule, self)
    do throws(BusError) {
      try call(message) { [weak new] (result: Result<Message, BusError>) in
        // If it has not replied yet, the bus has the rule or will have it.
        if case .failure(let error) = result, error.name != nil { new?.forget() }
        new?.added.complete(result.map { _ in })
      }
    } catch {
      new.forget()
      throw error
    }
    return new
  }

  /// Adds a rule without waiting for the reply: the bus may refuse it.
  public func requestMatch(_ rule: MatchRule) throws(BusError) -> BusRule {
    let message = try additionMessage(rule)
    message.expectNoReply()
    try send(message)
    let new = BusRule(rule, self)
    new.added.succeed(())
    return new
  }

  private func additionMessage(_ rule: MatchRule) throws(BusError) -> Message {
    try rule.check()
    return try MessageBus.call("AddMatch", [.string(rule.description)])
  }

  fileprivate func remove(_ route: SignalRoute) {
    inPlace.removeAll()
    routes.remove(route)
    route.end()
  }

  fileprivate func removeMatch(_ rule: MatchRule) {
    guard let message = try? MessageBus.call("RemoveMatch", [.string(rule.description)]) else { return }
    message.expectNoReply()
    _ = try? send(message)
  }
}

/// A rule of this connection on the bus. Ends with `cancel()` or with its last reference.
public final class BusRule {
  /// Completes when the bus has replied.
  fileprivate let added = Completion<Void, BusError>()
  private let rule: MatchRule
  private weak var connection: BusConnection?

  fileprivate init(_ rule: MatchRule, _ connection: BusConnection) {
    self.rule = rule
    self.connection = connection
  }

  deinit { cancel() }

  /// Asks the bus to remove the rule, without waiting for a reply.
  public func cancel() {
    connection?.removeMatch(rule)
    forget()
  }

  fileprivate func forget() { connection = nil }
}

/// Signals that are passed to a handler. Ends with `cancel()` or with its last reference.
public final class Subscription {
  private let route: SignalRoute
  fileprivate var busRule: BusRule?
  private weak var connection: BusConnection?

  fileprivate init(_ route: SignalRoute, _ connection: BusConnection) {
    self.route = route
    self.connection = connection
  }

  deinit { cancel() }

  /// The handler is not called after this.
  public func cancel() {
    guard route.isActive else { return }
    connection?.remove(route)
    busRule?.cancel()
    connection = nil
  }
}

/// The destination of signals that match a rule.
final class SignalRoute {
  let rule: MatchRule
  private(set) var handler: ((MessageView) -> Void)?

  private let path: [CChar]?
  private let pathNamespace: [CChar]?
  private let interface: [CChar]?
  private let member: [CChar]?
  private let argument0: [CChar]?
  private let argument0Path: [CChar]?
  private let sender: [CChar]?
  /// Signals have unique names as senders; for a rule with a well-known name, its owner is tracked.
  let owner: NameWatch?

  init(_ rule: MatchRule, owner: NameWatch?, _ handler: @escaping (MessageView) -> Void) {
    self.rule = rule
    self.owner = owner
    self.handler = handler
    sender = owner == nil ? rule.sender.map { Array($0.utf8CString) } : nil
    path = rule.path.map { Array($0.utf8CString) }
    pathNamespace = rule.pathNamespace.map { Array($0.utf8CString) }
    interface = rule.interface.map { Array($0.utf8CString) }
    member = rule.member.map { Array($0.utf8CString) }
    argument0 = rule.argument0.map { Array($0.utf8CString) }
    argument0Path = rule.argument0Path.map { Array($0.utf8CString) }
  }

  var isActive: Bool { handler != nil }

  func end() {
    // Released last, after it was removed here, because releasing it may call back into this object.
    let released = handler
    handler = nil
    owner?.cancel()
    withExtendedLifetime(released) {}
  }

  /// The bus sends a signal once for all matching rules, and any client can send a signal directly, so each signal is
  /// matched against the rule again.
  func matches(_ message: MessageView) -> Bool {
    Self.equal(member, message.member)
      && Self.equal(path, message.path)
      && Self.equal(interface, message.interface)
      && isInNamespace(message.path)
      && isFromSender(message.sender)
      && hasArgument(message)
  }

  private static func equal(_ wanted: [CChar]?, _ text: UnsafePointer<CChar>?) -> Bool {
    guard let wanted else { return true }
    guard let text else { return false }
    return strcmp(wanted, text) == 0
  }

  private func isInNamespace(_ path: UnsafePointer<CChar>?) -> Bool {
    guard let pathNamespace else { return true }
    guard let path else { return false }
    let length = pathNamespace.count - 1
    if length == 1 { return true }
    guard strncmp(path, pathNamespace, length) == 0 else { return false }
    return path[length] == 0 || path[length] == CChar(bitPattern: UInt8(ascii: "/"))
  }

  private func isFromSender(_ sender: UnsafePointer<CChar>?) -> Bool {
    if let owner { return owner.isOwned(by: sender) }
    return Self.equal(self.sender, sender)
  }

  private func hasArgument(_ message: MessageView) -> Bool {
    guard argument0 != nil || argument0Path != nil else { return true }
    var reader = message.reader
    let type = reader.type
    guard type == .string || type == .objectPath, let text = reader.cString else { return false }
    if argument0 != nil { guard type == .string, Self.equal(argument0, text) else { return false } }
    guard let argument0Path else { return true }
    return argument0Path.withUnsafeBufferPointer { wanted in
      guard let wanted = wanted.baseAddress else { return false }
      return strcmp(wanted, text) == 0 || Self.isParent(wanted, of: text) || Self.isParent(text, of: wanted)
    }
  }

  private static func isParent(_ parent: UnsafePointer<CChar>, of child: UnsafePointer<CChar>) -> Bool {
    let length = strlen(parent)
    return length > 0 && parent[length - 1] == CChar(bitPattern: UInt8(ascii: "/"))
      && strncmp(parent, child, length) == 0
  }
}

/// The routes of a connection, indexed by signal member.
struct RouteTable {
  private struct Entry {
    /// Nil for signals with any member.
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

  /// Whether one route receives changes of properties.
  var hasOnePropertyRoute: Bool {
    let hash = "PropertiesChanged".withCString(textHash)
    return entries.count { $0.memberHash == nil || $0.memberHash == hash } == 1
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
