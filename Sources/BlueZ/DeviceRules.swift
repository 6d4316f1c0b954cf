import DBus
import EventLoop

/// The rules on the bus that make signals about devices arrive: one for each object of interest, and one for the
/// properties of all devices during discovery. One rule for everything would wake this program for each advertisement
/// that any program makes bluetoothd receive. One rule for a device and everything below it could not be removed
/// safely: see `MatchRule.pathNamespace`.
final class DeviceRules {
  /// Enough for 60 tags with three notifying characteristics each. The system bus accepts 512 rules of a connection by
  /// default, and each manager of a program has a connection.
  static let mostSingleRules = 240

  /// Signals arrive as long as this lives.
  final class Lease {
    private let end: () -> Void
    fileprivate init(end: @escaping () -> Void) { self.end = end }
    deinit { end() }
  }

  let connection: BusConnection
  private let allDevices: SharedRule
  /// Takes the place of a rule that matches nothing, so that there is room for it when the bus accepts no more rules.
  private let everything: SharedRule
  private var singleRules = 0

  init(_ connection: BusConnection) {
    self.connection = connection
    allDevices = SharedRule(Self.allChanges(of: Interface.device.rawValue), connection)
    everything = SharedRule(Self.allChanges(), connection, placeholder: Self.allChanges(of: "placeholder"))
  }

  private static func changes(at path: String) -> MatchRule {
    MatchRule(
      sender: BusName.bluez, path: path, interface: Interface.properties.rawValue, member: "PropertiesChanged")
  }

  private static func allChanges(of interface: String? = nil) -> MatchRule {
    MatchRule(
      sender: BusName.bluez, pathNamespace: ObjectPath.bluez, interface: Interface.properties.rawValue,
      member: "PropertiesChanged", argument0: interface)
  }

  /// Makes changes of all devices arrive, but not of their services.
  func leaseAllDevices() async throws(BusError) -> Lease {
    do throws(BusError) {
      return try await allDevices.lease()
    } catch {
      return try await leaseEverything(insteadOf: error)
    }
  }

  /// Makes changes of these objects arrive. With too many single rules, or if the bus refuses another one, changes of
  /// all objects arrive.
  func lease(_ paths: [String]) async throws(BusError) -> Lease {
    guard singleRules + paths.count <= Self.mostSingleRules else { return try await everything.lease() }
    singleRules += paths.count
    do throws(BusError) {
      let rules = try await connection.addMatches(paths.map(Self.changes))
      return Lease { [self] in
        for rule in rules { rule.cancel() }
        singleRules -= paths.count
      }
    } catch {
      singleRules -= paths.count
      return try await leaseEverything(insteadOf: error)
    }
  }

  private func leaseEverything(insteadOf error: BusError) async throws(BusError) -> Lease {
    guard error.name == ErrorName.limitsExceeded else { throw error }
    return try await everything.lease()
  }
}

/// One rule on the bus, for as long as there are leases.
private final class SharedRule {
  private let rule: MatchRule
  private let placeholder: MatchRule?
  private let connection: BusConnection
  private var leases = 0
  /// Exists from the first lease to the end of the last one.
  private var added: Completion<Void, BusError>?
  /// The rule; without leases, its placeholder.
  private var busRule: BusRule?

  init(_ rule: MatchRule, _ connection: BusConnection, placeholder: MatchRule? = nil) {
    self.rule = rule
    self.connection = connection
    self.placeholder = placeholder
    hold()
  }

  func lease() async throws(BusError) -> DeviceRules.Lease {
    leases += 1
    let lease = DeviceRules.Lease { [self] in
      leases -= 1
      if leases == 0 { remove() }
    }
    try await (added ?? add()).value()
    return lease
  }

  private func add() -> Completion<Void, BusError> {
    let added = Completion<Void, BusError>()
    self.added = added
    busRule = nil
    connection.loop.spawn { [self] in
      do throws(BusError) {
        let new = try await connection.addMatch(rule)
        if self.added === added { busRule = new }
        added.succeed(())
      } catch {
        if self.added === added { self.added = nil }
        added.fail(error)
      }
      if self.added == nil { hold() }
    }
    return added
  }

  /// While the rule is being added, `add` continues with this.
  private func remove() {
    guard added != nil else { return }
    added = nil
    guard busRule != nil else { return }
    busRule = nil
    hold()
  }

  private func hold() { busRule = placeholder.flatMap { try? connection.requestMatch($0) } }
}
