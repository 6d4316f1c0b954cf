import EventLoop
import Glibc
import TestWorld
import Testing

@testable import Jacquard

/// Tags whose address changes, and is resolved by BlueZ as soon as there is a bond.
@Suite("A tag with a private address")
struct PrivateAddressTests {
  private let fixture: WorldFixture
  /// The identifier of the address that the tag sends before it is bound.
  private let former: TagIdentifier

  init() throws {
    fixture = try WorldFixture(sharing: true)
    fixture.world.complain = { Issue.record("\($0)") }
    try fixture.happen("address private")
    former = TagIdentifier(address: "40:00" + fixture.tag.profile.address.dropFirst(5))
  }

  private func bound(_ manager: Manager) throws -> ConnectionWatch {
    let watch = ConnectionWatch(try manager.bind(former, Binding(code: "0000AAAAA0" + fixture.tag.profile.serial)))
    fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(60))
    #expect(watch.isConnected)
    return watch
  }

  private func lose(_ watch: ConnectionWatch) throws {
    try fixture.happen("drop link")
    fixture.run(until: { !watch.isConnected }, within: .seconds(10))
    fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(60))
  }

  @Test(
    "is bound, and connected again after each loss; it has one record and one identifier", arguments: [true, false])
  func losses(sharing: Bool) throws {
    if !sharing { fixture.endService() }
    let watch = try bound(fixture.manager)
    for _ in 0..<20 { try lose(watch) }
    #expect(watch.isConnected)
    #expect(try fixture.manager.knownTags().map(\.identifier) == [WorldFixture.identifier])
    #expect(fixture.tag.violations == [])
  }

  @Test("is found by the identifier that a program has stored, after all has been restarted")
  func restarts() throws {
    let first = try bound(fixture.manager)
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    fixture.daemon.kill()
    fixture.endService()
    fixture.stepped.pass(.seconds(3600))
    try fixture.startDaemon()
    try fixture.startService()
    for identifier in [former, WorldFixture.identifier] {
      let watch = ConnectionWatch(try fixture.anotherManager().connect(identifier))
      fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(60))
      #expect(watch.isConnected)
      #expect(watch.tag?.info.identifier == WorldFixture.identifier)
      watch.connection.end(.disconnected)
      fixture.run(until: { watch.hasEnded })
    }
  }

  @Test(
    "is not bound any more when another program has removed its bond, and is bound again by either identifier",
    arguments: [true, false], [true, false])
  func bondRemoved(byItsFormerIdentifier usesFormer: Bool, sharing: Bool) throws {
    let first = try bound(fixture.manager)
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    try fixture.happen("foreign remove")
    fixture.endService()
    fixture.stepped.pass(.seconds(5))
    if sharing { try fixture.startService() }
    let identifier = usesFormer ? former : WorldFixture.identifier
    let second = ConnectionWatch(try fixture.anotherManager().connect(identifier))
    fixture.run(until: { second.hasEnded }, within: .seconds(60))
    #expect(second.hasEnded && second.connection.state.reason?.code == .notBound)
    let third = ConnectionWatch(
      try fixture.manager.bind(identifier, Binding(code: "0000AAAAA0" + fixture.tag.profile.serial)))
    fixture.run(until: { third.isConnected || third.hasEnded }, within: .seconds(60))
    #expect(third.isConnected)
    #expect(try fixture.manager.knownTags().map(\.identifier) == [WorldFixture.identifier])
    #expect(fixture.tag.violations == [])
  }

  @Test("is found again by a program that knows its address, after another has bound and unbound it")
  func unboundByAnother() throws {
    let other = ConnectionWatch(try fixture.anotherManager().connect(former))
    fixture.run(until: { other.isConnected }, within: .seconds(30))
    let watch = try bound(fixture.manager)
    // The new service knows the tag by its resolved address only.
    fixture.endService()
    fixture.run(until: { !watch.isConnected && !other.isConnected }, within: .seconds(10))
    try fixture.startService()
    fixture.run(until: { watch.isConnected && other.isConnected }, within: .seconds(60))
    #expect(fixture.outcome { try await fixture.manager.unbind(former) }.isSuccess)
    fixture.run(until: { watch.hasEnded && !other.isConnected }, within: .seconds(10))
    fixture.run(until: { other.isConnected || other.hasEnded }, within: .seconds(60))
    #expect(other.isConnected)
    #expect(fixture.tag.violations == [])
  }

  @Test("has one link, whichever identifier programs use")
  func oneLink() throws {
    let first = try bound(fixture.manager)
    let second = ConnectionWatch(try fixture.anotherManager().connect(WorldFixture.identifier))
    let third = ConnectionWatch(try fixture.anotherManager().connect(former))
    fixture.run(until: { second.isConnected && third.isConnected }, within: .seconds(30))
    #expect([first, second, third].allSatisfy { $0.isConnected && $0.connection.state.serviceProcess != 0 })
    let busy = ConnectionWatch(try fixture.manager.connect(WorldFixture.identifier))
    fixture.run(until: { busy.hasEnded })
    #expect(busy.reasons == [.alreadyConnected])
  }

  @Test("is shared with a program that waited for its other address when it was bound")
  func waitedFor() throws {
    let other = ConnectionWatch(try fixture.anotherManager().connect(WorldFixture.identifier))
    fixture.stepped.pass(.seconds(1))
    let watch = try bound(fixture.manager)
    fixture.run(until: { other.isConnected || other.hasEnded }, within: .seconds(60))
    for each in [watch, other] {
      #expect(each.isConnected && each.connection.state.serviceProcess != 0)
      let tag = try #require(each.tag)
      #expect(fixture.outcome { try await tag.readBattery() }.isSuccess)
    }
    #expect(fixture.tag.violations == [])
  }

  @Test("ends another connection of the same program that waited for its other address")
  func connectedTwice() throws {
    fixture.endService()
    let other = ConnectionWatch(try fixture.manager.connect(WorldFixture.identifier))
    fixture.stepped.pass(.seconds(1))
    let watch = try bound(fixture.manager)
    fixture.run(until: { other.hasEnded }, within: .seconds(60))
    #expect(other.reasons == [.alreadyConnected])
    let tag = try #require(watch.tag)
    #expect(fixture.outcome { try await tag.readBattery() }.isSuccess)
    #expect(fixture.tag.violations == [])
  }

  @Test(
    "is found by a program that has waited for its former address since before its record was written",
    arguments: [true, false])
  func recordedLater(sharing: Bool) throws {
    let first = try bound(fixture.manager)
    let state = fixture.stateDirectory + "/state.json"
    rename(state, state + ".aside")
    fixture.daemon.kill()
    fixture.endService()
    fixture.run(until: { !first.isConnected }, within: .seconds(10))
    try fixture.startDaemon()
    try fixture.startService()
    let waiting = ConnectionWatch(try fixture.anotherManager(exclusive: !sharing).connect(former))
    fixture.stepped.pass(.seconds(20))
    #expect(!waiting.isConnected && !waiting.hasEnded)
    rename(state + ".aside", state)
    var reason: JacquardError.Code? { waiting.connection.state.reason?.code }
    fixture.run(until: { waiting.isConnected || reason == .inUse }, within: .seconds(30))
    #expect(sharing ? waiting.isConnected : reason == .inUse)
    #expect(first.isConnected)
    #expect(fixture.tag.violations == [])
  }

  @Test(
    "is bound over another program's link, and both find it when the service is started again",
    arguments: [true, false]
  )
  func boundOverAnExistingLink(isOfSameUser: Bool) throws {
    let other = ConnectionWatch(try fixture.anotherManager().connect(former))
    fixture.run(until: { other.isConnected }, within: .seconds(30))
    let watch = try bound(fixture.manager)
    #expect(try fixture.manager.knownTags().map(\.identifier) == [WorldFixture.identifier])
    // Programs of other users do not have the record.
    if !isOfSameUser { unlink(fixture.stateDirectory + "/state.json") }
    try lose(other)
    fixture.endService()
    fixture.run(until: { !watch.isConnected && !other.isConnected }, within: .seconds(10))
    try fixture.startService()
    fixture.run(until: { watch.isConnected && other.isConnected }, within: .seconds(60))
    #expect(watch.isConnected && other.isConnected)
    #expect(fixture.tag.violations == [])
  }

  @Test("excludes programs without the service that use its other identifier")
  func excluded() throws {
    fixture.endService()
    let first = try bound(fixture.manager)
    let second = ConnectionWatch(try fixture.anotherManager().connect(WorldFixture.identifier))
    fixture.run(until: { second.hasEnded }, within: .seconds(120))
    #expect(second.reasons == [.inUse])
    #expect(first.isConnected)
  }

  @Test("is known as a tag by its resolved address too, when its services are withdrawn before it is unbound")
  func unboundWithoutServices() throws {
    let watch = try bound(fixture.manager)
    try fixture.happen("services removed")
    try fixture.happen("out-of-range")
    fixture.run(until: { !watch.isConnected }, within: .seconds(10))
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded }, within: .seconds(30))
    #expect(fixture.daemon.bonds.contains("bonded"))
    #expect(fixture.outcome { try await fixture.manager.unbind(former) }.isSuccess)
    #expect(!fixture.daemon.bonds.contains("bonded"))
  }

  @Test("leaves no record behind when it is unbound by its first identifier, and none more when it is bound again")
  func unbound() throws {
    let first = try bound(fixture.manager)
    #expect(fixture.outcome { try await fixture.manager.unbind(former) }.isSuccess)
    #expect(first.hasEnded)
    #expect(try fixture.manager.knownTags().isEmpty)
    fixture.stepped.pass(.seconds(60))
    _ = try bound(fixture.manager)
    #expect(try fixture.manager.knownTags().count == 1)
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
