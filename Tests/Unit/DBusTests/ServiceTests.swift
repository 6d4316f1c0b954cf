import DBus
import EventLoop
import Testing
import TestWorld

@Suite("Exported objects")
struct ServiceTests {
  let fixture: BusFixture
  init() throws { fixture = try BusFixture() }

  func withPair(_ body: sending @escaping (_ service: BusConnection, _ client: BusConnection) async throws -> Void)
    async throws
  {
    try await fixture.run { [fixture] in
      let service = try await fixture.connect()
      let client = try await fixture.connect()
      defer {
        service.close()
        client.close()
      }
      try await body(service, client)
    }
  }

  @Test("handle calls to their path, and a tree all paths below it without a nearer export")
  func trees() async throws {
    try await withPair { service, client in
      func answer(_ path: String) async throws -> String {
        do {
          return try await client.call(to: service.uniqueName ?? "", path: path, interface: "x.y", member: "Who").body()
            .first?.asString ?? ""
        } catch {
          return error.name ?? "\(error)"
        }
      }
      let exports = [
        try service.export("/a") { try? $0.reply("a") },
        try service.export("/t", tree: true) { try? $0.reply("t") },
        try service.export("/t/u/v", tree: true) { try? $0.reply("v") },
      ]
      #expect(throws: BusError.invalidArgument("object path: already exported")) {
        _ = try service.export("/a") { _ in }
      }
      #expect(try await answer("/a") == "a")
      #expect(try await answer("/a/b") == ErrorName.unknownObject)
      #expect(try await answer("/") == ErrorName.unknownObject)
      #expect(try await answer("/t") == "t")
      #expect(try await answer("/t/u") == "t")
      #expect(try await answer("/t/u/v/w/x") == "v")
      #expect(try await answer("/tt") == ErrorName.unknownObject)
      exports[2].cancel()
      #expect(try await answer("/t/u/v/w/x") == "t")
      let root = try service.export("/", tree: true) { try? $0.reply("root") }
      #expect(try await answer("/tt") == "root")
      root.cancel()
      for export in exports { export.cancel() }
      #expect(try await answer("/a") == ErrorName.unknownObject)
    }
  }

  @Test("may reply later, and only their first reply counts")
  func later() async throws {
    try await withPair { service, client in
      let calls = Recorder<MethodCall>()
      let export = try service.export("/a") { calls.note($0) }
      let answers = (0..<3).map { number in
        client.loop.spawn(returning: {
          try await client.call(
            to: service.uniqueName ?? "", path: "/a", interface: "x.y", member: "M", [.int32(Int32(number))]
          ).body()
        })
      }
      while calls.entries.count < 3 { _ = try await client.owner(of: "org.example.Name") }
      for call in calls.entries.reversed() {
        #expect(call.isCall(of: "x.y", "M"))
        #expect(call.sender == client.uniqueName)
        try call.reply(call.body())
        try call.reply("second")
        call.fail("x.y", "third")
      }
      for (number, answer) in answers.enumerated() { #expect(try await answer.value == [.int32(Int32(number))]) }
      export.cancel()
    }
  }

  @Test("can still reply after an invalid reply")
  func badAnswer() async throws {
    try await withPair { service, client in
      let export = try service.export("/a") { call in
        #expect(throws: BusError.self) { try call.reply(.structure([])) }
        #expect(!call.isAnswered)
        call.fail("no name", "nul\0")
      }
      await #expect(throws: BusError.remote(name: ErrorName.failed, message: "")) {
        _ = try await client.call(to: service.uniqueName ?? "", path: "/a", interface: "x.y", member: "M")
      }
      export.cancel()
    }
  }

  @Test("send no reply if the caller wants none, and survive the caller's end")
  func noReply() async throws {
    try await withPair { service, client in
      let calls = Recorder<MethodCall>()
      let called = Completion<Void, CancellationError>()
      let export = try service.export("/a") {
        calls.note($0)
        called.succeed(())
      }
      let call = client.loop.spawn(returning: {
        try await client.call(to: service.uniqueName ?? "", path: "/a", interface: "x.y", member: "M")
      })
      try await called.value()
      client.close()
      await #expect(throws: BusError.disconnected) { _ = try await call.value }
      try calls.entries.first?.reply("after the caller closed")
      service.close()
      try calls.entries.first?.reply("after the service closed")
      export.cancel()
    }
  }

  @Test("have the interface of every peer at each path")
  func peer() async throws {
    try await withPair { service, client in
      let name = service.uniqueName ?? ""
      let interface = "org.freedesktop.DBus.Peer"
      try await client.call(to: name, path: "/", interface: interface, member: "Ping")
      do {
        let answer = try await client.call(to: name, path: "/a", interface: interface, member: "GetMachineId")
        #expect(answer.body().first?.asString?.count == 32)
      } catch {
        // A machine without an ID.
        #expect((error as? BusError)?.name == "org.freedesktop.DBus.Error.Failed")
      }
      await #expect {
        _ = try await client.call(to: name, path: "/", interface: interface, member: "Pong")
      } throws: {
        ($0 as? BusError)?.name == "org.freedesktop.DBus.Error.UnknownMethod"
      }
    }
  }
}
