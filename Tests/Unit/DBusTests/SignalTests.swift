import DBus
import EventLoop
import Testing
import TestWorld

@Suite("Signals")
struct SignalTests {
  static let path = "/org/example/object"
  static let interface = "org.example.Interface"

  let fixture: BusFixture
  init() throws { fixture = try BusFixture() }

  func withPair(_ body: sending @escaping (_ sender: BusConnection, _ receiver: BusConnection) async throws -> Void)
    async throws
  {
    try await fixture.run { [fixture] in
      let sender = try await fixture.connect()
      let receiver = try await fixture.connect()
      defer {
        sender.close()
        receiver.close()
      }
      try await body(sender, receiver)
    }
  }

  /// Returns when all earlier messages of `sender` have been delivered to `receiver`.
  static func settle(_ sender: BusConnection, _ receiver: BusConnection) async throws {
    let marker = Completion<Void, CancellationError>()
    let rule = MatchRule(sender: sender.uniqueName, interface: "org.example.Marker")
    let subscription = try await receiver.subscribe(rule) { _ in marker.succeed(()) }
    try sender.emit(path: "/", interface: "org.example.Marker", member: "Marker")
    try await marker.value()
    subscription.cancel()
  }

  @Test("ten thousand arrive in order, none lost")
  func order() async throws {
    try await withPair { sender, receiver in
      let numbers = Recorder<UInt32>()
      let all = Completion<Void, CancellationError>()
      let subscription = try await receiver.subscribe(MatchRule(interface: Self.interface, member: "Number")) {
        var reader = $0.reader
        numbers.note(reader.uint32 ?? 0)
        if numbers.entries.count == 10_000 { all.succeed(()) }
      }
      for number in 0..<10_000 {
        try sender.emit(path: Self.path, interface: Self.interface, member: "Number", [.uint32(UInt32(number))])
        if number % 100 == 0 { await Task.yield() }
      }
      try await all.value()
      #expect(numbers.entries == Array(0..<10_000))
      subscription.cancel()
    }
  }

  @Test("reach exactly the subscribers with a matching rule")
  func routing() async throws {
    try await withPair { sender, receiver in
      let record = Recorder<String>()
      let rules: [(String, MatchRule)] = [
        ("any", MatchRule(interface: Self.interface)),
        ("sender", MatchRule(sender: sender.uniqueName, interface: Self.interface)),
        ("other sender", MatchRule(sender: receiver.uniqueName)),
        ("path", MatchRule(path: "/a/b")), ("other path", MatchRule(path: "/a")),
        ("below", MatchRule(pathNamespace: "/a")), ("itself", MatchRule(pathNamespace: "/a/b")),
        ("below root", MatchRule(pathNamespace: "/", interface: Self.interface)),
        ("beside", MatchRule(pathNamespace: "/a/bb")), ("half a name", MatchRule(pathNamespace: "/a/b/c")),
        ("member", MatchRule(member: "It")), ("other member", MatchRule(member: "Its")),
        ("argument", MatchRule(argument0: "/x/y")), ("other argument", MatchRule(argument0: "/x/")),
        ("above argument", MatchRule(argument0Path: "/x/")), ("beside argument", MatchRule(argument0Path: "/x")),
        ("below argument", MatchRule(argument0Path: "/x/y/z")),
      ]
      var subscriptions: [Subscription] = []
      for (name, rule) in rules {
        subscriptions.append(
          try await receiver.subscribe(rule) { if $0.isSignal("org.example.Interface", "It") { record.note(name) } })
      }
      try sender.emit(path: "/a/b", interface: Self.interface, member: "It", ["/x/y"])
      try await Self.settle(sender, receiver)
      #expect(
        record.entries == [
          "any", "sender", "path", "below", "itself", "below root", "member", "argument", "above argument",
        ])
      for subscription in subscriptions { subscription.cancel() }
    }
  }

  @Test("no longer reach a cancelled or released subscription, even if another rule still matches")
  func cancelled() async throws {
    try await withPair { sender, receiver in
      let record = Recorder<String>()
      let rule = MatchRule(interface: Self.interface)
      let stays = try await receiver.subscribe(rule) { _ in record.note("stays") }
      let ends = try await receiver.subscribe(rule) { _ in record.note("ends") }
      var released: Subscription? = try await receiver.subscribe(rule) { _ in record.note("released") }
      try sender.emit(path: Self.path, interface: Self.interface, member: "First")
      try await Self.settle(sender, receiver)
      #expect(record.entries == ["stays", "ends", "released"])
      ends.cancel()
      ends.cancel()
      released = nil
      _ = released
      try sender.emit(path: Self.path, interface: Self.interface, member: "Second")
      try await Self.settle(sender, receiver)
      #expect(record.entries.dropFirst(3) == ["stays"])
      stays.cancel()
    }
  }

  @Test("still reach a subscriber after an equal subscription was cancelled before it was requested")
  func cancelledEarly() async throws {
    try await withPair { sender, receiver in
      let record = Recorder<String>()
      let rule = MatchRule(interface: Self.interface)
      let subscription = try await receiver.subscribe(rule) { _ in record.note("received") }
      let task = receiver.loop.spawn { _ = try? await receiver.addMatch(rule) }
      task.cancel()
      await task.value
      try sender.emit(path: Self.path, interface: Self.interface, member: "It")
      try await Self.settle(sender, receiver)
      #expect(record.entries == ["received"])
      subscription.cancel()
    }
  }

  @Test("may be unsubscribed, and the connection closed, from inside a handler")
  func insideHandler() async throws {
    try await withPair { sender, receiver in
      let record = Recorder<String>()
      let closed = Completion<Void, CancellationError>()
      let subscriptions = Recorder<Subscription>()
      for name in ["first", "second"] {
        subscriptions.note(
          try await receiver.subscribe(MatchRule(interface: Self.interface)) { message in
            record.note(name)
            for subscription in subscriptions.entries { subscription.cancel() }
            receiver.close()
            closed.succeed(())
          })
      }
      for _ in 0..<10 { try sender.emit(path: Self.path, interface: Self.interface, member: "It") }
      try await closed.value()
      #expect(record.entries == ["first"])
    }
  }

  @Test("from senders other than the name's owner are dropped")
  func forged() async throws {
    try await withPair { sender, receiver in
      try await sender.requestName("org.example.Real")
      let forger = try await fixture.connect()
      let record = Recorder<String>()
      let subscription = try await receiver.subscribe(
        MatchRule(sender: "org.example.Real", interface: Self.interface)
      ) { record.note(String(cString: $0.member!)) }
      // Addressed to the receiver, a signal needs no match rule.
      try forger.send(
        .signal(path: Self.path, interface: Self.interface, member: "Forged", destination: receiver.uniqueName))
      try await Self.settle(forger, receiver)
      try sender.emit(path: Self.path, interface: Self.interface, member: "Real")
      try await Self.settle(sender, receiver)
      #expect(record.entries == ["Real"])

      try await sender.releaseName("org.example.Real")
      try await forger.requestName("org.example.Real")
      try sender.emit(path: Self.path, interface: Self.interface, member: "Former")
      try await Self.settle(sender, receiver)
      try forger.emit(path: Self.path, interface: Self.interface, member: "NewOwner")
      try await Self.settle(forger, receiver)
      #expect(record.entries == ["Real", "NewOwner"])
      subscription.cancel()
      forger.close()
    }
  }

  @Test("can be read without copying")
  func view() async throws {
    try await withPair { sender, receiver in
      let seen = Recorder<String>()
      let subscription = try await receiver.subscribe(MatchRule(sender: sender.uniqueName)) { message in
        guard message.isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged") else { return }
        #expect(!message.isSignal("org.freedesktop.DBus.Properties", "PropertiesChange"))
        #expect(message.kind == .signal)
        #expect(message.path.map { String(cString: $0) } == Self.path)
        var arguments = message.reader
        #expect(arguments.uint32 == nil)
        #expect(arguments.cString.map { String(cString: $0) } == "org.example.Characteristic")
        #expect(arguments.enter() == nil)
        arguments.next()
        var properties = arguments.enter()
        var entry = properties?.enter()
        #expect(entry?.cString.map { String(cString: $0) } == "Value")
        entry?.next()
        var value = entry?.enter()
        seen.note("\(value?.bytes.map(Array.init) ?? [])")
        #expect(entry?.next() == false)
        #expect(properties?.next() == false)
        #expect(properties?.isAtEnd == true)
        #expect(properties?.value == nil)
      }
      for bytes in [[UInt8]](arrayLiteral: [1, 2, 3], []) {
        try sender.emit(
          path: Self.path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
          ["org.example.Characteristic", ["Value": .bytes(bytes)], .strings([])])
      }
      try await Self.settle(sender, receiver)
      #expect(seen.entries == ["[1, 2, 3]", "[]"])
      subscription.cancel()
    }
  }

  @Test("stored as messages outlive the handler and the connection")
  func kept() async throws {
    try await withPair { sender, receiver in
      let kept = Completion<Message, CancellationError>()
      let subscription = try await receiver.subscribe(MatchRule(interface: Self.interface)) {
        kept.succeed(Message($0))
      }
      try sender.emit(path: Self.path, interface: Self.interface, member: "It", ["text", .bytes([7])])
      let message = try await kept.value()
      subscription.cancel()
      receiver.close()
      #expect(message.body() == ["text", .bytes([7])])
      #expect(message.member == "It")
      #expect(message.sender == sender.uniqueName)
      #expect(message.signature == "say")
    }
  }

  @Test("leave no match rules on the bus after unsubscribing")
  func matchRules() async throws {
    try await withPair { sender, receiver in
      func ruleCount() async throws -> UInt32? {
        try await receiver.call(
          to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus.Debug.Stats",
          member: "GetConnectionStats",
          [.string(receiver.uniqueName ?? "")]
        ).body().first?["MatchRules"]?.asInteger()
      }
      let before = try #require(try await ruleCount())
      for _ in 0..<100 {
        let subscription = try await receiver.subscribe(MatchRule(sender: "org.example.Nobody", path: "/a")) { _ in }
        let watch = try await receiver.watchName("org.example.Somebody") { _ in }
        subscription.cancel()
        watch.cancel()
      }
      #expect(try await ruleCount() == before)
    }
  }
}
