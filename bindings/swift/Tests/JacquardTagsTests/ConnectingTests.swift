import JacquardTags
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct ConnectingTests {
  @Test func aTagIsConnected() async throws {
    try await withTag { connection, tag in
      let info = try tag.info
      #expect(info.identifier == connection.identifier && info.vendor == "Google Inc.")
      #expect(info.firmware == Version(1, 96, 0) && connection.phase == .connected)
      #expect(try tag.components.count == 1 && tag.component.info.capabilities.contains(.led))
      let listed = try await connection.manager.connectedTags()
      #expect(listed.map(\.identifier) == [connection.identifier] && listed[0].isConnected)
      #expect(try connection.counters().links == 1)
    }
  }

  @Test func disconnectedIsTheLastState() async throws {
    let manager = try Manager()
    let connection = try manager.connect(try await manager.find(timeout: .seconds(20)))
    let states = try connection.states()
    let all = try manager.connectionStates()
    _ = try await connection.tag()
    try await connection.disconnect()
    var phases: [Phase] = []
    for try await state in states { phases.append(state.phase) }
    #expect(phases.first == .preparing && phases.contains(.connected) && phases.last == .disconnected)
    for try await state in all where state.phase == .disconnected { break }
    #expect(await failure { _ = try await connection.tag() }?.code == .closed)
    try await connection.disconnect()
  }

  @Test func aTagHasOneConnection() async throws {
    try await withTag { connection, tag in
      let manager = connection.manager
      #expect(await failure { _ = try manager.connect(connection.identifier) }?.code == .alreadyConnected)
      let other = try manager.connection(to: connection.identifier)
      #expect(other !== connection)
      #expect(try await other.tag() == tag)
    }
    let manager = try Manager()
    let unknown = "00000000-0000-0000-0000-000000000000"
    #expect(await failure { _ = try manager.connection(to: unknown) }?.code == .notFound)
    #expect(await failure { _ = try manager.connect("nonsense") }?.code == .invalidArgument)
  }

  @Test func aTimeLimitEndsAConnection() async throws {
    let manager = try Manager()
    let found = try await manager.find(timeout: .seconds(20))
    tell("connect hangs once")
    let connection = try manager.connect(found, limit: .after(.milliseconds(300)))
    let error = await failure { _ = try await connection.tag() }
    #expect(error != nil && error?.code != .closed)
    tell("connect works")
  }

  @Test func eventsThrowWhatEndedTheConnection() async throws {
    try await withTag { connection, _ in
      let gestures = try connection.gestures()
      tell("adapter off")
      #expect(await failure { for try await _ in gestures {} }?.code == .poweredOff)
      tell("adapter on")
      for try await adapter in try connection.manager.adapterStates() where adapter.state == .poweredOn { break }
    }
  }

  @Test func aTagIsBoundWithItsCode() async throws {
    let manager = try Manager()
    let found = try await manager.find(timeout: .seconds(20))
    let refused = try manager.bind(found.identifier, code: "9999")
    let error = await failure { _ = try await refused.tag() }
    #expect(error?.code == .wrongCode && error?.advice.isEmpty == false)
    #expect(try await manager.knownTags().isEmpty)

    var options = BindOptions()
    options.owner = "me"
    options.profile = ["colour": "teal", "size": "M"]
    let connection = try manager.bind(found.identifier, code: "01ZK", options)
    _ = try await connection.tag()
    let known = try await manager.knownTags(found.identifier)
    #expect(known.map(\.owner) == ["me"] && known[0].profile == options.profile && known[0].boundAt > 0)
    try await manager.updateKnownTag(found.identifier, profile: ["size": "L"])
    #expect(try await manager.knownTags().map(\.profile) == [["size": "L"]])
    try await manager.unbind(found.identifier)
    #expect(try await manager.knownTags().isEmpty)
    #expect(await failure { try await manager.updateKnownTag(found.identifier, profile: [:]) }?.code == .notFound)
  }

  @Test func aRenamedTagIsAnotherTag() async throws {
    try await withTag { connection, tag in
      let names = try connection.names()
      try await tag.rename("Hugo")
      let renamed = try await connection.tag()
      #expect(renamed != tag)
      #expect(try renamed.info.name == "Hugo")
      #expect(await failure { try await renamed.rename("Hugo") }?.code == .unchanged)
      #expect(await failure { _ = try await tag.battery() }?.code == .staleTag)
      for try await name in names where name == "Hugo" { break }
      try await renamed.rename("Jacquard-01ZK")
      _ = try await connection.tag()
    }
  }
}
