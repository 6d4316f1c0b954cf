import TagSimulator
import Testing

@testable import Jacquard

/// A tag whose services were withdrawn during a link. BlueZ lists the remaining ones, like those of another device.
extension FalseWitnessTests {
  /// The tag does not respond to hello, and its services are withdrawn.
  private func loseServices(bindingWith binding: Binding? = nil) throws {
    try fixture.happen("sleep-after 1000s")
    try fixture.happen("on request hello once: drop")
    let watch =
      try binding.map { ConnectionWatch(try fixture.manager.bind(WorldFixture.identifier, $0)) }
      ?? fixture.connect()
    fixture.run(until: { watch.phases.contains(.initializing) })
    fixture.stepped.pass(.seconds(1))
    try fixture.happen("services removed")
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
  }

  private func connectInAnotherProgram() throws -> ConnectionWatch {
    ConnectionWatch(try fixture.anotherManager().connect(WorldFixture.identifier, unlimited))
  }

  @Test(
    "a tag whose services are withdrawn during a link is a tag for the next program too", arguments: [false, true])
  func servicesWithdrawn(whileAnotherProgramScans: Bool) throws {
    let scan = whileAnotherProgramScans ? try fixture.anotherManager().scan(onFound: { _ in }, onEnd: { _, _ in }) : nil
    try loseServices()
    let second = try connectInAnotherProgram()
    fixture.stepped.pass(.seconds(60))
    #expect(!second.hasEnded)
    scan?.stop()
    // BlueZ forgets the device when nothing has scanned for 30 s.
    expectConnection(second, within: .seconds(150))
  }

  @Test("discovery ends with the search for a tag that bluetoothd has forgotten while it was away")
  func awayWhileServicesAreWithdrawn() throws {
    try loseServices()
    try fixture.happen("out-of-range")
    let second = try connectInAnotherProgram()
    fixture.stepped.pass(.seconds(100))
    #expect(!second.hasEnded)
    try fixture.happen("in-range")
    expectConnection(second)
    fixture.stepped.pass(.seconds(1))
    #expect(!fixture.daemon.whatClientsKeep.contains { $0.hasPrefix("discovery") })
  }

  @Test(
    "a tag whose service was found on a link is one, though its services are withdrawn and another program scans",
    arguments: [false, true])
  func servicesWithdrawnInThisProcess(whileBinding: Bool) throws {
    let scan = try fixture.anotherManager().scan(onFound: { _ in }, onEnd: { _, _ in })
    defer { scan.stop() }
    try loseServices(bindingWith: whileBinding ? try Binding(code: fixture.tag.profile.serial) : nil)
    #expect(!isBonded)
    expectConnection(try fixture.connect())
  }
}
