import DBus
import EventLoop
import Testing
import TestWorld

@Suite("Calls")
struct CallTests {
  let fixture: BusFixture
  init() throws { fixture = try BusFixture() }

  /// A client and a service, each with its own connection.
  func withEcho(_ body: sending @escaping (BusConnection, EchoService) async throws -> Void) async throws {
    try await fixture.run { [fixture] in
      let service = try await EchoService(fixture.connect())
      let client = try await fixture.connect()
      defer {
        client.close()
        service.connection.close()
      }
      try await body(client, service)
    }
  }

  static let descriptions: [Value] = [
    .byte(0), .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
    .int64(.min), .uint64(.max), .double(-0.5), .double(.infinity), "", "grüße 🧵", .objectPath("/"),
    .objectPath("/org/bluez/hci0/dev_00_11"), .signature(""), .signature("a{sa(ii)}"), .bytes([]),
    .bytes([0, 1, 255]), .strings([]), .strings(["a", ""]), .objectPaths(["/a"]), .array(of: "i", [.int32(-1)]),
    .array(of: "ay", [.bytes([1]), .bytes([])]), .array(of: "a{sv}", [[:], ["x": .byte(1)]]),
    [:], ["Name": "tag", "Value": .bytes([1, 2]), "Nested": ["deep": .array(of: "v", [.variant("x")])]],
    .dictionary(key: "y", value: "s", []),
    .dictionary(key: "q", value: "ay", [.init(.uint16(76), .bytes([2, 21]))]),
    .dictionary(
      key: "o", value: "a{sa{sv}}",
      [.init(.objectPath("/a"), .dictionary(key: "s", value: "a{sv}", [.init("i.f", ["p": true])]))]),
    .structure([.byte(1), "two", .structure([.uint32(3)])]), .variant(.variant(.byte(1))), .variant(["a": "b"]),
    .array(of: "(sa{ss})", [.structure(["x", .dictionary(key: "s", value: "s", [.init("k", "v")])])]),
  ]

  @Test("transfer every type in both directions")
  func allTypes() async throws {
    try await withEcho { client, _ in
      for value in Self.descriptions {
        let answer = try await client.echo("Echo", [value])
        #expect(answer == [value])
      }
      let all = Self.descriptions
      for start in stride(from: 0, to: all.count, by: 6) {
        let some = Array(all[start..<min(start + 6, all.count)])
        #expect(try await client.echo("Echo", some) == some)
      }
    }
  }

  @Test("report the peer's error")
  func remoteError() async throws {
    try await withEcho { client, _ in
      await #expect(throws: BusError.remote(name: "org.example.Error.Asked", message: "as requested")) {
        try await client.echo("Fail")
      }
      await #expect(throws: BusError.remote(name: ErrorName.noReply, message: "the service did not reply")) {
        try await client.echo("Forget")
      }
    }
  }

  @Test("to an unknown method, object or service get the standard errors")
  func unknown() async throws {
    try await withEcho { client, _ in
      func name(_ destination: String, _ path: String) async -> String? {
        do {
          try await client.call(to: destination, path: path, interface: EchoService.interface, member: "NoSuch")
          return nil
        } catch { return error.name }
      }
      #expect(await name(EchoService.name, EchoService.path) == ErrorName.unknownMethod)
      #expect(await name(EchoService.name, "/elsewhere") == ErrorName.unknownObject)
      #expect(await name("org.example.Nobody", "/") == ErrorName.serviceUnknown)
      #expect(await name(":1.99999", "/") == ErrorName.serviceUnknown)
    }
  }

  @Test("without a reply end at their time limit, and a late reply is dropped")
  func deadline() async throws {
    try await withEcho { client, service in
      await #expect(throws: BusError.deadline) {
        try await client.echo("Never", deadline: .milliseconds(30))
      }
      #expect(service.unanswered.count == 1)
      try service.unanswered.removeFirst().reply("too late")
      #expect(try await client.echo("Echo", ["next"]) == ["next"])
    }
  }

  @Test("end immediately when cancelled")
  func cancel() async throws {
    try await withEcho { client, service in
      let task = client.loop.spawn(returning: { try await client.echo("Never") })
      while service.unanswered.isEmpty { _ = try await client.echo() }
      task.cancel()
      await #expect(throws: BusError.cancelled) { try await task.value }
      service.unanswered = []
      #expect(try await client.echo("Echo", [.byte(1)]) == [.byte(1)])
    }
  }

  @Test("complete exactly once, also with a callback")
  func callback() async throws {
    try await withEcho { client, service in
      let outcomes = Recorder<String>()
      func start(_ member: String) throws -> PendingCall {
        let message = try Message.methodCall(
          destination: EchoService.name, path: EchoService.path, interface: nil, member: member)
        return try client.call(message) { result in
          switch result {
          case .success: outcomes.note("\(member) answered")
          case .failure(let error): outcomes.note("\(member) \(error)")
          }
        }
      }
      let echo = try start("Echo")
      let never = try start("Never")
      #expect(outcomes.entries == [])
      while service.unanswered.isEmpty || echo.isPending { _ = try await client.echo() }
      never.cancel()
      never.cancel()
      echo.cancel()
      service.unanswered = []
      _ = try await client.echo()
      #expect(outcomes.entries == ["Echo answered", "Never cancelled"])
    }
  }

  @Test("accept replies only from their destination")
  func forgedAnswer() async throws {
    try await withEcho { client, service in
      let forger = try await fixture.connect()
      let call = client.loop.spawn(returning: {
        try await client.call(
          to: service.connection.uniqueName ?? "", path: EchoService.path, interface: EchoService.interface,
          member: "Never"
        )
        .body()
      })
      while service.unanswered.isEmpty { _ = try await client.echo() }
      try forger.send(.reply(to: service.unanswered[0].message, ["forged"]))
      _ = try await forger.echo()
      _ = try await client.echo()
      try service.unanswered.removeFirst().reply("real")
      #expect(try await call.value == ["real"])
      forger.close()
    }
  }

  @Test("that are pending when the bus ends all fail, then the loss is reported once")
  func busDies() async throws {
    try await withEcho { client, service in
      let events = Recorder<String>()
      let lost = Completion<Void, CancellationError>()
      client.onDisconnected = {
        events.note("lost")
        lost.succeed(())
      }
      for number in 0..<10 {
        let message = try Message.methodCall(
          destination: EchoService.name, path: EchoService.path, interface: nil, member: "Never")
        try client.call(message) { result in
          if case .failure(.disconnected) = result { events.note("call \(number)") }
        }
      }
      _ = try await client.echo()
      fixture.bus.kill()
      try await lost.value()
      #expect(events.entries == (0..<10).map { "call \($0)" } + ["lost"])
      #expect(!client.isOpen)
      await #expect(throws: BusError.disconnected) { try await client.echo() }
      client.close()
      #expect(events.entries.count == 11)
      service.unanswered = []
    }
  }

  @Test("that are pending at close() fail, and no loss is reported")
  func ownClose() async throws {
    try await withEcho { client, service in
      var reported = false
      client.onDisconnected = { reported = true }
      let task = client.loop.spawn(returning: { try await client.echo("Never") })
      while service.unanswered.isEmpty { _ = try await client.echo() }
      client.close()
      await #expect(throws: BusError.disconnected) { try await task.value }
      await #expect(throws: BusError.disconnected) { try await client.echo() }
      #expect(!reported)
    }
  }

  @Test("may close their connection from inside their completion")
  func closeInside() async throws {
    try await withEcho { client, _ in
      let closed = Completion<Void, CancellationError>()
      let message = try Message.methodCall(
        destination: EchoService.name, path: EchoService.path, interface: nil, member: "Echo")
      for _ in 0..<5 {
        try client.call(message) { _ in
          client.close()
          closed.succeed(())
        }
      }
      try await closed.value()
      #expect(!client.isOpen)
    }
  }

  @Test("ten thousand leave no descriptors or entries")
  func flat() async {
    // In a separate process, because other tests open descriptors.
    await #expect(processExitsWith: .success) {
      try await CallTests().withEcho { client, _ in
        _ = try await client.echo()
        let before = descriptorCount()
        for round in 0..<100 {
          let calls = (0..<100).map { number in
            client.loop.spawn(returning: {
              let value = Value.uint32(UInt32(round * 100 + number))
              guard try await client.echo("Echo", [value]) == [value] else { throw BusError.unexpectedAnswer("echo") }
            })
          }
          for call in calls { try await call.value }
        }
        #expect(descriptorCount() < before + 10)
        #expect(client.outstandingCallCount == 0)
      }
    }
  }
}

@Suite("Calls that differ in their bytes")
struct BytesCallTests {
  static let path = "/org/bluez/hci0/dev_00_11_22_33_44_55/service0010/char0011"
  static let options: [Value] = [.properties(["type": .string("request")])]

  static func written(to destination: String, _ bytes: [UInt8]) throws -> Message {
    try .methodCall(
      destination: destination, path: path, interface: "org.bluez.GattCharacteristic1", member: "WriteValue",
      [.bytes(bytes)] + options)
  }

  @Test("Each is sent as if it had been written like the first one")
  func asWritten() throws {
    var calls = BytesCall(
      path: Self.path, interface: "org.bluez.GattCharacteristic1", member: "WriteValue", others: Self.options)
    let long = Array(0...255 as ClosedRange<UInt8>)
    for destination in [":1.5", ":1.6"] {
      for bytes in [[1, 2, 3], [4, 5, 6], [7, 8, 9], [], [], [9], [8], long, long.reversed()] as [[UInt8]] {
        let call = try calls.message(to: destination, bytes)
        #expect(call.serial == 0)
        #expect(call.destination == destination)
        #expect(frameBytes(call) == frameBytes(try Self.written(to: destination, bytes)))
      }
    }
  }

  @Test("An earlier call keeps its bytes, although a later one is made of it")
  func independent() throws {
    var calls = BytesCall(path: Self.path, interface: "org.example.Test", member: "Write", others: [])
    let first = try calls.message(to: ":1.5", [1, 2])
    let second = try calls.message(to: ":1.5", [3, 4])
    #expect(first.body() == [.bytes([1, 2])])
    #expect(second.body() == [.bytes([3, 4])])
  }
}
