/// The words that begin an action of the host's machine.
enum HostWords {
  /// Reads the words that follow.
  typealias Parser = @Sendable (inout ScenarioWords) throws -> HostAction

  static let parsers: [String: Parser] = [
    "bluetoothd": {
      let verb: HostAction.Daemon = try $0.choice("something that happens to bluetoothd")
      return .daemon(verb, downtime: $0.take("after") ? try $0.duration("a time") : .zero)
    },
    "adapter": { try adapter(&$0) },
    "connect": { try connect(&$0) },
    "pairing": { try pairing(&$0) },
    "notify": { try notify(&$0) },
    "resolve": { try resolve(&$0) },
    "services": {
      if $0.take("removed") { return .removeServices }
      guard $0.take("renumbered") else { throw $0.fail("‘services’ must be followed by ‘renumbered’ or ‘removed’") }
      return .renumberServices
    },
    "discovery": { try discovery(&$0) },
    "disconnect": {
      guard $0.take("takes") else { throw $0.fail("‘disconnect’ must be followed by ‘takes’") }
      return .disconnectTime(try $0.duration("a time"))
    },
    "mtu": { .capacity(try $0.number("an MTU", in: 23...517) - 3) },
    "bluez": { .release(try $0.release()) },
    "quirk": { try quirk(&$0) },
    "neighbours": { .neighbours(try $0.number("a number of devices", in: 1...1000)) },
    "suspend": { _ in .asleep(true) },
    "resume": { _ in .asleep(false) },
  ]

  private static func adapter(_ words: inout ScenarioWords) throws -> HostAction {
    switch try words.next("on, off, blocked, unblocked, removed or added") {
    case "on": return .powered(true)
    case "off": return .powered(false)
    case "blocked": return .blocked(true)
    case "unblocked": return .blocked(false)
    case "removed": return .adapterPresent(false, index: 0)
    case "added":
      guard words.take("as") else { return .adapterPresent(true, index: 0) }
      let name = try words.next("a name such as hci1")
      guard name.hasPrefix("hci"), let index = Int(name.dropFirst(3)), (0...15).contains(index) else {
        throw words.fail("‘\(name)’ is not a name such as hci1")
      }
      return .adapterPresent(true, index: index)
    case let other: throw words.fail("‘\(other)’ is not one of on, off, blocked, unblocked, removed, added")
    }
  }

  private static func connect(_ words: inout ScenarioWords) throws -> HostAction {
    switch try words.next("takes, fails, drops, hangs, flaps or works") {
    case "takes": return .connectTime(try words.duration("a time"))
    case "fails":
      let text = String(try words.next("an error's text"))
      return .connectFault(.error(text, times: try words.times()))
    case "flaps": return .connectFault(.flap(times: try words.times()))
    case "drops": return .connectFault(.drop(times: try words.times()))
    case "hangs": return .connectFault(.hang(times: try words.times()))
    case "works": return .connectFault(.none)
    case let other: throw words.fail("‘\(other)’ is not one of takes, fails, drops, hangs, flaps, works")
    }
  }

  private static func pairing(_ words: inout ScenarioWords) throws -> HostAction {
    if words.take("takes") { return .pairingTime(try words.duration("a time")) }
    if words.take("asks") { return .pairingQuestion(try words.choice("a question")) }
    throw words.fail("‘pairing’ must be followed by takes or asks")
  }

  private static func notify(_ words: inout ScenarioWords) throws -> HostAction {
    if words.take("works") { return .notifyWorks }
    guard words.take("fails") else { throw words.fail("‘notify’ must be followed by fails or works") }
    return .notifyFails(times: try words.times())
  }

  private static func resolve(_ words: inout ScenarioWords) throws -> HostAction {
    if words.take("incomplete") { return .resolveIncomplete(times: try words.times()) }
    if words.take("works") { return .resolveWorks }
    guard words.take("takes") else { throw words.fail("‘resolve’ must be followed by takes, incomplete or works") }
    return .resolveTime(try words.duration("a time"))
  }

  private static func discovery(_ words: inout ScenarioWords) throws -> HostAction {
    if words.take("works") { return .allowDiscovery }
    guard words.take("refused") else { throw words.fail("‘discovery’ must be followed by refused or works") }
    let name =
      words.peek().map { $0.first?.isUppercase == true } == true ? String(try words.next("a name")) : "InProgress"
    return .refuseDiscovery(name, times: try words.times())
  }

  private static func quirk(_ words: inout ScenarioWords) throws -> HostAction {
    switch try words.next("a quirk") {
    case "silent-connected": return .silentConnected(try words.onOff())
    case "resolved-first": return .resolvedFirst(try words.onOff())
    case "unanswered-connect": return .connectUnanswered(try words.onOff())
    case "unanswered-write": return .writeUnanswered(try words.onOff())
    case "unanswered-security": return .securityUnanswered(try words.onOff())
    case "disconnected-signal": return .saysWhyDisconnected(try words.onOff())
    case let other:
      throw words.fail(
        "‘\(other)’ is not a quirk; known: silent-connected, resolved-first, disconnected-signal, "
          + "unanswered-connect, unanswered-write, unanswered-security")
    }
  }
}
