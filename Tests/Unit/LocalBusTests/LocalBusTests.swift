import DBus
import EventLoop
import LocalBus
import PrivateBus
import Testing

@testable import DBus

/// The simulated bus behaves like dbus-daemon: each test runs with both.
@Suite("A bus, local or real", .timeLimit(.minutes(2)))
struct LocalBusTests {
  enum Kind: CaseIterable, Sendable { case daemon, local }

  @Test("gives each program a unique name, and announces it", arguments: Kind.allCases)
  func hello(_ kind: Kind) async throws {
    try await BusPair.run(kind) { pair in
      let first = try await pair.connect()
      let seen = Seen()
      let subscription = try await first.subscribe(.ownerChanges) { seen.note($0) }
      let second = try await pair.connect()
      let name = try #require(second.uniqueName)
      #expect(name.hasPrefix(":1.") && name != first.uniqueName)
      try await seen.count(1)
      #expect(seen.bodies == [[.string(name), "", .string(name)]])
      second.close()
      try await seen.count(2)
      #expect(seen.bodies.last == [.string(name), .string(name), ""])
      withExtendedLifetime(subscription) {}
    }
  }

  @Test("assigns a name to the first client that requests it until it is released", arguments: Kind.allCases)
  func names(_ kind: Kind) async throws {
    try await BusPair.run(kind) { pair in
      let (first, second) = (try await pair.connect(), try await pair.connect())
      let seen = Seen()
      let subscription = try await second.subscribe(.ownerChanges) { seen.note($0) }
      #expect(try await first.owner(of: "org.example.A") == nil)
      #expect(try await first.requestName("org.example.A") == .primaryOwner)
      #expect(try await first.requestName("org.example.A") == .alreadyOwner)
      #expect(try await second.requestName("org.example.A") == .taken)
      #expect(try await second.requestName("org.example.A", replaceExisting: true) == .taken)
      #expect(try await second.owner(of: "org.example.A") == first.uniqueName)
      try await first.releaseName("org.example.A")
      #expect(try await second.owner(of: "org.example.A") == nil)
      #expect(try await second.requestName("org.example.A", allowReplacement: true) == .primaryOwner)
      #expect(try await first.requestName("org.example.A", replaceExisting: true) == .primaryOwner)
      first.close()
      try await seen.count(5)
      let (one, two): (Value, Value) = (.string(first.uniqueName ?? ""), .string(second.uniqueName ?? ""))
      let name: Value = "org.example.A"
      #expect(
        seen.bodies == [[name, "", one], [name, one, ""], [name, "", two], [name, two, one], [name, one, ""]]
          + [[one, one, ""]].prefix(seen.bodies.count - 5))
      withExtendedLifetime(subscription) {}
    }
  }

  @Test("forwards calls to the owner of a name, and replies to the caller", arguments: Kind.allCases)
  func calls(_ kind: Kind) async throws {
    try await BusPair.run(kind) { pair in
      let (service, client) = (try await pair.connect(), try await pair.connect())
      let export = try service.export("/a") { call in
        call.member == "Fail" ? call.fail("org.example.Bad", "as asked for") : (try? call.reply(call.body())) ?? ()
      }
      try await service.requestName("org.example.A")
      let answer = try await client.call(
        to: "org.example.A", path: "/a", interface: "org.example.I", member: "Echo", ["text", .uint32(7)])
      #expect(answer.body() == ["text", .uint32(7)])
      #expect(answer.sender == service.uniqueName && answer.destination == client.uniqueName)
      await #expect(throws: BusError.remote(name: "org.example.Bad", message: "as asked for")) {
        _ = try await client.call(to: service.uniqueName ?? "", path: "/a", interface: "org.example.I", member: "Fail")
      }
      withExtendedLifetime(export) {}
    }
  }

  @Test("reports that a name has no owner", arguments: Kind.allCases)
  func noOwner(_ kind: Kind) async throws {
    try await BusPair.run(kind) { pair in
      let client = try await pair.connect()
      await #expect(throws: ErrorNamed("org.freedesktop.DBus.Error.ServiceUnknown")) {
        try await ErrorNamed.rethrow {
          try await client.call(to: "org.example.None", path: "/a", interface: "org.example.I", member: "M")
        }
      }
      await #expect(throws: ErrorNamed("org.freedesktop.DBus.Error.ServiceUnknown")) {
        try await ErrorNamed.rethrow {
          try await client.call(to: ":1.999", path: "/a", interface: "org.example.I", member: "M")
        }
      }
    }
  }

  @Test("fails a call whose receiver disconnects without a reply", arguments: Kind.allCases)
  func unanswered(_ kind: Kind) async throws {
    try await BusPair.run(kind) { pair in
      let (service, client) = (try await pair.connect(), try await pair.connect())
      let kept = Kept()
      let export = try service.export("/a") { call in
        kept.calls.append(call)
        service.close()
      }
      await #expect(throws: ErrorNamed("org.freedesktop.DBus.Error.NoReply")) {
        try await ErrorNamed.rethrow {
          try await client.call(to: service.uniqueName ?? "", path: "/a", interface: "org.example.I", member: "M")
        }
      }
      withExtendedLifetime(export) {}
    }
  }

  enum Rule: String, CaseIterable, Sendable {
    case any, interface, member, path, below, argument, argumentPath, sender, noOwner, two

    /// The rule, and which of the signals it matches.
    var parts: (MatchRule, [String]) {
      switch self {
      case .any: (MatchRule(), ["A", "B", "C", "D"])
      case .interface: (MatchRule(interface: "org.example.I"), ["A", "B"])
      case .member: (MatchRule(member: "C"), ["C"])
      case .path: (MatchRule(path: "/a"), ["A", "C"])
      case .below: (MatchRule(pathNamespace: "/a"), ["A", "B", "C"])
      case .argument: (MatchRule(argument0: "it's, one"), ["A"])
      case .argumentPath: (MatchRule(argument0Path: "/x/"), ["B"])
      case .sender: (MatchRule(sender: "org.example.A"), ["A", "B", "C", "D"])
      case .noOwner: (MatchRule(sender: "org.example.None"), [])
      case .two: (MatchRule(pathNamespace: "/a", interface: "org.example.J"), ["C"])
      }
    }
  }

  @Test(
    "delivers a signal to those whose rule it matches, with its serial number", arguments: Kind.allCases, Rule.allCases)
  func signals(_ kind: Kind, _ rule: Rule) async throws {
    let (rule, matches) = rule.parts
    try await BusPair.run(kind) { pair in
      let (sender, receiver) = (try await pair.connect(), try await pair.connect())
      try await sender.requestName("org.example.A")
      let seen = Seen()
      let subscription = try await receiver.subscribe(rule) { seen.note($0) }
      let other = try await receiver.subscribe(rule) { _ in }
      var serials: [String: UInt32] = [:]
      for (path, interface, member, body) in [
        ("/a", "org.example.I", "A", ["it's, one"]), ("/a/b", "org.example.I", "B", ["/x/y"]),
        ("/a", "org.example.J", "C", []), ("/ab", "org.example.J", "D", [.uint32(1)]),
      ] as [(String, String, String, [Value])] {
        serials[member] = try sender.send(.signal(path: path, interface: interface, member: member, body))
      }
      // When the bus replies to the sender, it has forwarded the signals; when it replies to the receiver, they have
      // arrived.
      _ = try await sender.busID()
      _ = try await receiver.busID()
      let signals = seen.all.filter { $0.sender == sender.uniqueName }
      #expect(signals.map { $0.member ?? "" } == matches)
      #expect(signals.map(\.serial) == matches.map { serials[$0] ?? 0 })
      withExtendedLifetime((subscription, other)) {}
    }
  }

  @Test("delivers a signal to its destination without a rule", arguments: Kind.allCases)
  func unicast(_ kind: Kind) async throws {
    try await BusPair.run(kind) { pair in
      let (sender, receiver) = (try await pair.connect(), try await pair.connect())
      let seen = Seen()
      receiver.observeSignals { seen.note($0) }
      try sender.send(.signal(path: "/a", interface: "org.example.I", member: "A", destination: receiver.uniqueName))
      try sender.send(.signal(path: "/a", interface: "org.example.I", member: "B"))
      try await seen.count(1)
      _ = try await receiver.busID()
      #expect(seen.all.compactMap(\.member) == ["A"])
    }
  }

  @Test("stops delivering when the rule is removed", arguments: Kind.allCases)
  func removal(_ kind: Kind) async throws {
    try await BusPair.run(kind) { pair in
      let (sender, receiver) = (try await pair.connect(), try await pair.connect())
      let seen = Seen()
      receiver.observeSignals { seen.note($0) }
      let subscription = try await receiver.subscribe(MatchRule(interface: "org.example.I")) { _ in }
      try sender.send(.signal(path: "/a", interface: "org.example.I", member: "A"))
      try await seen.count(1)
      subscription.cancel()
      _ = try await receiver.busID()
      try sender.send(.signal(path: "/a", interface: "org.example.I", member: "B"))
      _ = try await sender.busID()
      _ = try await receiver.busID()
      #expect(seen.all.compactMap(\.member) == ["A"])
    }
  }

  @Test("refuses invalid rules and calls", arguments: Kind.allCases)
  func refusals(_ kind: Kind) async throws {
    try await BusPair.run(kind) { pair in
      let client = try await pair.connect()
      for (member, body, error) in [
        ("NoSuchMethod", [], "UnknownMethod"), ("AddMatch", ["type='sig"], "MatchRuleInvalid"),
        ("AddMatch", ["shape='round'"], "MatchRuleInvalid"), ("RemoveMatch", ["member='A'"], "MatchRuleNotFound"),
        ("GetNameOwner", ["org.example.None"], "NameHasNoOwner"), ("Hello", [], "Failed"),
        ("GetConnectionUnixProcessID", ["org.example.None"], "NameHasNoOwner"),
        ("RequestName", [":1.1", .uint32(4)], "InvalidArgs"),
        ("StartServiceByName", ["org.example.None", .uint32(0)], "ServiceUnknown"),
      ] as [(String, [Value], String)] {
        await #expect(throws: ErrorNamed("org.freedesktop.DBus.Error.\(error)")) {
          try await ErrorNamed.rethrow {
            try await client.call(
              to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
              member: member, body)
          }
        }
      }
    }
  }

  @Test("closes all connections when it ends, and restarts at the same address as a new bus", arguments: Kind.allCases)
  func restart(_ kind: Kind) async throws {
    try await BusPair.run(kind) { pair in
      let client = try await pair.connect()
      let before = try await client.busID()
      let ended = Completion<Void, CancellationError>()
      client.onDisconnected = { ended.succeed(()) }
      try pair.restart()
      try await ended.value()
      #expect(try await pair.connect().busID() != before)
    }
  }
}
