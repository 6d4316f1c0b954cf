import BlueZ
import DBus
import EventLoop
import TagSimulator
import Testing

@testable import Jacquard

extension BindingTests {
  // MARK: Owners

  @Test("a tag is refused to another owner until it is unbound")
  func otherOwner() throws {
    finish(try bound(owner: "me"))
    #expect(failure(of: try bind(owner: "you")) == .otherOwner)
    var options = Connection.Options()
    options.owner = "you"
    #expect(failure(of: try fixture.connect(options)) == .otherOwner)
    #expect(fixture.tag.journal.links == 1)
    options.owner = "me"
    finish(try fixture.connected(options))
    try unbind().get()
    #expect(try bound(owner: "you").isConnected)
    #expect(try knownTags().map(\.owner) == ["you"])
  }

  @Test("binding without an owner keeps the current owner, if any")
  func noOwner() throws {
    finish(try bound())
    #expect(try knownTags().map(\.owner) == [nil])
    finish(try bound(owner: "me", profile: [ProfileEntry("a", "1")]))
    finish(try bound())
    #expect(try knownTags().map(\.owner) == ["me"])
    #expect(try knownTags().map(\.profile) == [[ProfileEntry("a", "1")]])
  }

  // MARK: Updating and unbinding

  @Test("a profile is replaced")
  func updating() throws {
    finish(try bound(profile: [ProfileEntry("a", "1")]))
    try update(WorldFixture.identifier, [ProfileEntry("b", "2")]).get()
    #expect(try knownTags().map(\.profile) == [[ProfileEntry("b", "2")]])
    let stranger = TagIdentifier(address: "00:00:00:00:00:01")
    #expect(code(update(stranger, [])) == .notFound)
  }

  @Test("unbinding removes the tag here and from BlueZ")
  func unbinding() throws {
    finish(try bound())
    try unbind().get()
    #expect(device == nil)
    #expect(try knownTags() == [])
    #expect(code(unbind()) == .notFound)
  }

  @Test("unbinding ends the connection first")
  func unbindConnected() throws {
    let watch = try bound()
    try unbind().get()
    #expect(watch.hasEnded)
    #expect(watch.connection.state.reason == nil)
    #expect(!fixture.tag.isConnected)
    #expect(device == nil)
    #expect(try knownTags() == [])
  }

  @Test("unbinding without a bluetoothd changes nothing, not even the connection")
  func unbindWithoutDaemon() throws {
    let watch = try bound()
    try fixture.happen("bluetoothd kill")
    let outcome = unbind()
    #expect(code(outcome) == .bluezUnavailable)
    #expect(!watch.hasEnded)
    #expect(try knownTags().count == 1)
  }

  @Test("unbinding with the adapter powered off fails and changes nothing")
  func unbindPoweredOff() throws {
    finish(try bound())
    try fixture.happen("adapter off")
    let outcome = unbind()
    #expect(code(outcome) == .poweredOff)
    #expect(try knownTags().count == 1)
  }

  @Test("unbinding a tag that is only bonded removes it from BlueZ")
  func unbindBonded() throws {
    finish(try bound())
    _ = try fixture.outcome { [fixture] in try await fixture.manager.core.knownTags.forget(WorldFixture.identifier) }
      .get()
    #expect(device?.isBonded == true)
    try unbind().get()
    #expect(device == nil)
  }

  @Test("a manager that neither binds nor lists writes no files")
  func noTrace() throws {
    finish(try fixture.connected())
    #expect(try knownTags() == [])
    #expect(fixture.stateFiles == [])
  }
}
