import DBus
import EventLoop
import Glibc
import Testing

/// libdbus would abort the process for any of these.
@Suite("Hostile arguments are refused")
struct HostileTests {
  static let longName = "org." + String(repeating: "a", count: 300)
  static let busNames = ["", ".", "org", "org.", ".org", "org..x", "org.1x", "org.ä", "org.x\0", longName]
  static let paths = ["", "a", "/a/", "//", "/a//b", "/a-b", "/ä", "/a\0", "/\0", "/a b"]
  static let interfaces = ["", "x", "x.", ".x", "x..y", "x.1", "x.y-z", "x.ä", "x.y\0", longName]
  static let members = ["", "a.b", "1a", "a-b", "ä", "a\0", "\0", String(repeating: "a", count: 256)]

  func expectRefusal(_ what: String, _ body: () throws -> Void) {
    #expect("\(what.debugDescription)") {
      try body()
    } throws: {
      if case .invalidArgument = $0 as? BusError { true } else { false }
    }
  }

  func call(
    _ destination: String = "org.x", _ path: String = "/", _ interface: String? = "x.y", _ member: String = "M",
    _ body: [Value] = []
  ) throws -> Message {
    try .methodCall(destination: destination, path: path, interface: interface, member: member, body)
  }

  @Test("as names and paths of calls and signals")
  func names() throws {
    for name in Self.busNames { expectRefusal(name) { _ = try call(name) } }
    for path in Self.paths + ["/org/freedesktop/DBus/Local"] {
      expectRefusal(path) { _ = try call("org.x", path) }
      expectRefusal(path) { _ = try Message.signal(path: path, interface: "x.y", member: "M") }
    }
    for interface in Self.interfaces + ["org.freedesktop.DBus.Local"] {
      expectRefusal(interface) { _ = try call("org.x", "/", interface) }
      expectRefusal(interface) { _ = try Message.signal(path: "/", interface: interface, member: "M") }
    }
    for member in Self.members {
      expectRefusal(member) { _ = try call("org.x", "/", "x.y", member) }
      expectRefusal(member) { _ = try Message.signal(path: "/", interface: "x.y", member: member) }
    }
    expectRefusal("destination") { _ = try Message.signal(path: "/", interface: "x.y", member: "M", destination: "!") }
  }

  @Test("as replies to messages that are not calls")
  func replies() throws {
    let unsent = try call()
    expectRefusal("unsent") { _ = try Message.reply(to: unsent) }
    expectRefusal("unsent") { _ = try Message.error(to: unsent, name: "x.y", message: "") }
    let signal = try Message.signal(path: "/", interface: "x.y", member: "M")
    expectRefusal("signal") { _ = try Message.reply(to: signal) }
  }

  static let unsendable: [Value] = [
    "nul\0inside", .objectPath(""), .objectPath("a"), .objectPath("/a\0"), .signature("("), .signature("a"),
    .signature("z"), .signature("\0"), .signature(String(repeating: "y", count: 256)), .structure([]),
    .array(of: "", []), .array(of: "ii", []), .array(of: "e", []), .array(of: "i", ["text"]),
    .array(of: "s", ["a", .objectPath("/")]), .array(of: "v", ["not a variant"]), .array(of: "{sv}", []),
    .array(of: "i\0", []), .array(of: "(", []), .dictionary(key: "v", value: "s", []),
    .dictionary(key: "ay", value: "s", []), .dictionary(key: "", value: "s", []),
    .dictionary(key: "s", value: "", []), .dictionary(key: "s", value: "ss", []),
    .dictionary(key: "s", value: "s", [.init(.byte(1), "a")]),
    .dictionary(key: "s", value: "s", [.init("a", .byte(1))]), ["nul\0": "x"], ["x": "nul\0"], ["x": .structure([])],
    .variant(.structure([])), .variant(.structure(Array(repeating: .byte(1), count: 254))),
    .structure(Array(repeating: .byte(1), count: 255)), .bytes(Array(repeating: 0, count: 40 << 20)),
    .string(String(repeating: "a", count: 40 << 20)),
    .array(of: "ay", Array(repeating: .bytes(Array(repeating: 0, count: 1 << 20)), count: 32)),
    .descriptor(SharedDescriptor(taking: -1)),
  ]

  @Test("as values", arguments: unsendable.indices)
  func values(_ index: Int) throws {
    let value = Self.unsendable[index]
    expectRefusal("value \(index)") { _ = try call("org.x", "/", nil, "M", [value]) }
    expectRefusal("nested value \(index)") { _ = try call("org.x", "/", nil, "M", [["x": .variant(value)]]) }
  }

  @Test("as nesting of any depth")
  func depth() throws {
    var variant = Value.byte(1)
    var structure = Value.byte(1)
    for _ in 0..<1000 {
      variant = .variant(variant)
      structure = .structure([structure])
    }
    expectRefusal("variants") { _ = try call("org.x", "/", nil, "M", [variant]) }
    expectRefusal("structures") { _ = try call("org.x", "/", nil, "M", [structure]) }
    expectRefusal("array type") {
      _ = try call("org.x", "/", nil, "M", [.array(of: String(repeating: "a", count: 40) + "y", [])])
    }
    expectRefusal("body") { _ = try call("org.x", "/", nil, "M", Array(repeating: .byte(1), count: 256)) }
    _ = try call("org.x", "/", nil, "M", Array(repeating: .byte(1), count: 255))
  }

  @Test("as too many descriptors")
  func descriptors() throws {
    let one = try SharedDescriptor(duplicating: 0)
    _ = try call("org.x", "/", nil, "M", Array(repeating: .descriptor(one), count: 16))
    expectRefusal("17") { _ = try call("org.x", "/", nil, "M", Array(repeating: .descriptor(one), count: 17)) }
  }

  @Test("as match rules, bus names and exports")
  func connection() async throws {
    let fixture = try BusFixture()
    try await fixture.run {
      let connection = try await fixture.connect()
      func refused(_ what: String, _ body: () async throws -> Void) async {
        do {
          try await body()
          Issue.record("\(what.debugDescription) was accepted")
        } catch {
          if case .invalidArgument = error as? BusError { return }
          Issue.record("\(what.debugDescription): \(error)")
        }
      }
      let rules = [
        MatchRule(sender: "x"), MatchRule(path: "a"), MatchRule(pathNamespace: "/a/"), MatchRule(interface: "x"),
        MatchRule(member: "a.b"), MatchRule(argument0: "\0"), MatchRule(argument0Path: "\0"),
        MatchRule(path: "/", pathNamespace: "/"), MatchRule(argument0: String(repeating: "x", count: 2000)),
      ]
      for rule in rules { await refused(rule.description) { _ = try await connection.subscribe(rule) { _ in } } }
      for name in Self.busNames {
        await refused(name) { _ = try await connection.requestName(name) }
        await refused(name) { try await connection.releaseName(name) }
        await refused(name) { _ = try await connection.owner(of: name) }
        await refused(name) { _ = try await connection.watchName(name) { _ in } }
      }
      for path in Self.paths { await refused(path) { _ = try connection.export(path) { _ in } } }
      // An apostrophe is quoted and not refused: the bus accepts the rule.
      try await connection.subscribe(MatchRule(argument0: "it's, 'quoted' \\ path='/x'")) { _ in }.cancel()
      #expect(connection.isOpen)
      connection.close()
    }
  }

  @Test("and the largest allowed values arrive")
  func largest() async throws {
    let fixture = try BusFixture()
    try await fixture.run {
      let service = try await EchoService(fixture.connect())
      let client = try await fixture.connect()
      let bytes = [UInt8](repeating: 0x5A, count: 16 << 20)
      #expect(try await client.echo("Echo", [.bytes(bytes)]) == [.bytes(bytes)])
      client.close()
      service.connection.close()
    }
  }
}
