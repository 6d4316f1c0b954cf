import EventLoop
import Glibc
import TagSimulator
import Testing

@testable import Jacquard

@Suite("Restoration")
struct RestorationTests {
  private let fixture: WorldFixture

  init() throws { fixture = try WorldFixture(restoreID: "app") }

  private func wanted(by restoreID: String? = "app") throws -> [TagIdentifier] {
    let next = try fixture.anotherManager(restoreID: restoreID)
    return try fixture.outcome { try await next.restorations() }.get().map(\.identifier)
  }

  private func finish(_ watch: ConnectionWatch) {
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
  }

  @Test("a tag with a connection is wanted at the next start, whether or not it was connected")
  func wantedTag() throws {
    try fixture.happen("out-of-range")
    let watch = try fixture.connect()
    fixture.settle()
    fixture.manager.close()
    #expect(try wanted() == [WorldFixture.identifier])
    withExtendedLifetime(watch) {}
  }

  @Test("wanted tags that are bound have their record")
  func known() throws {
    let binding = try Binding(code: "01ZK", owner: "me")
    let watch = ConnectionWatch(try fixture.manager.bind(WorldFixture.identifier, binding))
    fixture.run(until: { watch.isConnected })
    fixture.manager.close()
    let next = try fixture.anotherManager(restoreID: "app")
    let restorations = try fixture.outcome { try await next.restorations() }.get()
    #expect(restorations.map(\.known?.owner) == ["me"])
    #expect(restorations.first?.known?.isWanted == true)
    withExtendedLifetime(watch) {}
  }

  @Test("a disconnected tag is no longer wanted; the tag of a released connection still is")
  func disconnected() throws {
    finish(try fixture.connected())
    #expect(try wanted() == [])
    let watch = try fixture.connected()
    watch.connection.end(.closed)
    fixture.run(until: { watch.hasEnded })
    #expect(try wanted() == [WorldFixture.identifier])
  }

  @Test("an unbound tag is not wanted")
  func unbound() throws {
    let watch = ConnectionWatch(try fixture.manager.bind(WorldFixture.identifier, try Binding(code: "01ZK")))
    fixture.run(until: { watch.isConnected })
    try fixture.outcome { [fixture] in try await fixture.manager.unbind(WorldFixture.identifier) }.get()
    #expect(try wanted() == [])
  }

  @Test("a tag with an error that only the user can resolve is not wanted; others still are")
  func errors() throws {
    let wrong = ConnectionWatch(try fixture.manager.bind(WorldFixture.identifier, try Binding(code: "T001")))
    fixture.run(until: { wrong.hasEnded })
    #expect(try wanted() == [])
    try fixture.happen("out-of-range")
    let absent = try fixture.connect()
    fixture.run(until: { absent.hasEnded }, within: .seconds(120))
    #expect(absent.connection.state.reason?.code == .timeout)
    #expect(try wanted() == [WorldFixture.identifier])
  }

  @Test("a manager that ends immediately after a disconnect stores it")
  func disconnectedAtTheEnd() throws {
    let watch = try fixture.connected()
    fixture.manager.close(noLongerWanted: [WorldFixture.identifier])
    #expect(try wanted() == [])
    withExtendedLifetime(watch) {}
  }

  @Test("each restore ID has its own wanted tags, in order")
  func restoreIDs() throws {
    let fixture = try WorldFixture(tags: 3, restoreID: "one")
    let identifiers = fixture.world.tags.map { TagIdentifier(address: $0.profile.address) }
    let other = try fixture.anotherManager(restoreID: "two")
    let watches = [
      try fixture.manager.connect(identifiers[2]), try fixture.manager.connect(identifiers[0]),
      try other.connect(identifiers[1]),
    ]
    fixture.settle()
    func wanted(_ restoreID: String?) throws -> [TagIdentifier] {
      let next = try fixture.anotherManager(restoreID: restoreID)
      return try fixture.outcome { try await next.restorations() }.get().map(\.identifier)
    }
    #expect(try wanted("one") == [identifiers[2], identifiers[0]])
    #expect(try wanted("two") == [identifiers[1]])
    #expect(try wanted("three") == [])
    #expect(try wanted(nil) == [])
    withExtendedLifetime(watches) {}
  }

  @Test("without a restore ID nothing is stored")
  func notAsked() throws {
    let fixture = try WorldFixture()
    _ = try fixture.connected()
    #expect(fixture.stateFiles == [])
  }

  @Test("an unreadable state file is an error here, and a warning when only connecting")
  func unreadable() throws {
    try fixture.obstructState()
    let next = try fixture.anotherManager(restoreID: "app")
    #expect(code(fixture.outcome { try await next.restorations() }) == .stateFile)
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    #expect(fixture.log.entries.contains { $0.hasPrefix("warning state: ") })
  }

  @Test("a tag that could not be recorded as wanted is recorded when a tag is connected or the manager is closed")
  func recordedLater() throws {
    try fixture.obstructState()
    let watch = try fixture.connect()
    fixture.settle()
    #expect(fixture.log.entries.contains { $0.hasPrefix("warning state") })
    #expect(rmdir(fixture.stateDirectory + "/state.json") == 0)
    fixture.run(until: { watch.isConnected })
    fixture.manager.close()
    #expect(try wanted() == [WorldFixture.identifier])
  }

  @Test("a truncated state file is an error, and only binding a tag replaces it")
  func truncated() throws {
    let fixture = try WorldFixture(restoreID: "app")
    mkdir(fixture.stateDirectory, 0o700)
    let file = fixture.stateDirectory + "/state.json"
    let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
    #expect(write(descriptor, "{\"version\":1", 12) == 12)
    close(descriptor)
    let manager = fixture.manager!
    for _ in 0..<2 {
      #expect(code(fixture.outcome { try manager.knownTags() }) == .stateFile)
      #expect(code(fixture.outcome { try await manager.restorations() }) == .stateFile)
      #expect(code(fixture.outcome { try await manager.unbind(WorldFixture.identifier) }) == .stateFile)
    }
    let watch = try fixture.connected()
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
    #expect(!fixture.stateFiles.contains { $0.contains("corrupt") })
    #expect(fixture.log.entries.contains { $0.hasPrefix("warning state: ") && $0.contains("cannot be parsed") })
    let bound = try manager.bind(WorldFixture.identifier, try Binding(code: "0000AAAAA001ZK"))
    fixture.run(until: { bound.state.phase == .connected })
    #expect(try manager.knownTags().count == 1)
    #expect(fixture.stateFiles.contains("state.json.corrupt-1"))
  }

  @Test("a restored connection waits for the adapter, without a time limit")
  func restored() throws {
    try fixture.happen("adapter off")
    try fixture.happen("out-of-range")
    let watch = ConnectionWatch(try fixture.manager.connect(WorldFixture.identifier, .restored))
    fixture.stepped.pass(.seconds(3600))
    #expect(!watch.hasEnded)
    try fixture.happen("adapter on")
    try fixture.happen("in-range")
    fixture.run(until: { watch.isConnected }, within: .seconds(120))
    #expect(watch.isConnected)
  }
}
