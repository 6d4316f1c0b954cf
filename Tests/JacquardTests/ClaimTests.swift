import EventLoop
import TagSimulator
import Testing

@testable import Jacquard

@Suite("The claim to a tag")
struct ClaimTests {
  private let bench: WorldBench

  init() throws { bench = try WorldBench() }

  private func connect(_ manager: Manager) throws -> ConnectionWatch {
    ConnectionWatch(try manager.connect(WorldBench.identifier))
  }

  @Test("another manager or process is told that the tag is in use, and connects once it is not")
  func inUse() throws {
    let other = try bench.anotherManager()
    let first = try bench.connected()
    let second = try connect(other)
    bench.run(until: { second.hasEnded }, within: .seconds(10))
    #expect(second.connection.state.reason?.code == .inUse)
    #expect(second.connection.state.reason?.advice == JacquardError.Code.inUse.advice)
    #expect(first.isConnected)
    first.connection.disconnect()
    bench.run(until: { first.hasEnded })
    let third = try connect(other)
    bench.run(until: { third.isConnected })
    #expect(third.isConnected)
  }

  @Test("is held also while the tag is away")
  func away() throws {
    let first = try bench.connected()
    try bench.happen("out-of-range")
    bench.stepped.pass(.seconds(600))
    let second = try connect(try bench.anotherManager())
    bench.run(until: { second.hasEnded }, within: .seconds(10))
    #expect(second.connection.state.reason?.code == .inUse)
    #expect(!first.hasEnded)
  }

  @Test("holds for one tag, not for others")
  func otherTag() throws {
    let bench = try WorldBench(tags: 2)
    let first = try bench.connected()
    let address = bench.world.tags[1].profile.address
    let second = ConnectionWatch(try bench.anotherManager().connect(TagIdentifier(address: address)))
    bench.run(until: { second.isConnected })
    #expect(first.isConnected && second.isConnected)
  }

  @Test("ends with the manager")
  func managerEnds() throws {
    let other = try bench.anotherManager()
    let first = try bench.connected()
    bench.manager.close()
    let second = try connect(other)
    bench.run(until: { second.isConnected }, within: .seconds(60))
    #expect(second.isConnected)
    withExtendedLifetime(first) {}
  }

  @Test("is not asked for while there is no bus, and holds again on the next one")
  func busRestarts() throws {
    let first = try bench.connected()
    bench.stepped.killBus()
    bench.settle()
    try bench.stepped.startBus()
    bench.daemon.kill()
    try bench.startDaemon()
    bench.run(until: { first.isConnected && bench.tag.isConnected }, within: .seconds(60))
    #expect(first.isConnected)
    let second = try connect(try bench.anotherManager())
    bench.run(until: { second.hasEnded }, within: .seconds(10))
    #expect(second.connection.state.reason?.code == .inUse)
  }

  @Test("is free once it is given back, and belongs to one bus")
  func claims() throws {
    let bus = "0123456789abcdef0123456789abcdef"
    let claim = Claim(WorldBench.identifier)
    let other = Claim(WorldBench.identifier)
    try claim.take(on: bus)
    try claim.take(on: bus)
    #expect(throws: JacquardError(.inUse, JacquardError.Code.inUse.text)) { try other.take(on: bus) }
    claim.release()
    try other.take(on: bus)
    #expect(throws: JacquardError(.inUse, JacquardError.Code.inUse.text)) { try claim.take(on: bus) }
    try claim.take(on: "another")
  }

  @Test("a bus whose id is too long, or none, does no harm", arguments: ["", String(repeating: "x", count: 4096)])
  func strangeBus(_ bus: String) throws {
    let claim = Claim(WorldBench.identifier)
    try claim.take(on: bus)
    try claim.take(on: bus)
    claim.release()
  }
}
