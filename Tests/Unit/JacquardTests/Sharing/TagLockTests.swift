import EventLoop
import Glibc
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

@Suite("The lock on a tag")
struct TagLockTests {
  let fixture: WorldFixture

  init() throws { fixture = try WorldFixture() }

  func connect(_ manager: Manager) throws -> ConnectionWatch {
    ConnectionWatch(try manager.connect(WorldFixture.identifier))
  }

  @Test("another manager or process gets IN_USE, and connects after the release")
  func inUse() throws {
    let other = try fixture.anotherManager()
    let first = try fixture.connected()
    let second = try connect(other)
    fixture.run(until: { second.hasEnded }, within: .seconds(10))
    #expect(second.connection.state.reason?.code == .inUse)
    #expect(second.connection.state.reason?.message == "Another manager in this program is using this tag.")
    #expect(second.connection.state.reason?.advice == JacquardError.Code.inUse.advice)
    #expect(first.isConnected)
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    let third = try connect(other)
    fixture.run(until: { third.isConnected })
    #expect(third.isConnected)
  }

  @Test("is also held while the tag is absent")
  func away() throws {
    let first = try fixture.connected()
    try fixture.happen("out-of-range")
    fixture.stepped.pass(.seconds(600))
    let second = try connect(try fixture.anotherManager())
    fixture.run(until: { second.hasEnded }, within: .seconds(10))
    #expect(second.connection.state.reason?.code == .inUse)
    #expect(!first.hasEnded)
  }

  @Test("holds for one tag, not for others")
  func otherTag() throws {
    let fixture = try WorldFixture(tags: 2)
    let first = try fixture.connected()
    let address = fixture.world.tags[1].profile.address
    let second = ConnectionWatch(try fixture.anotherManager().connect(TagIdentifier(address: address)))
    fixture.run(until: { second.isConnected })
    #expect(first.isConnected && second.isConnected)
  }

  @Test("ends with the manager")
  func managerEnds() throws {
    let other = try fixture.anotherManager()
    let first = try fixture.connected()
    fixture.manager.close()
    let second = try connect(other)
    fixture.run(until: { second.isConnected }, within: .seconds(60))
    #expect(second.isConnected)
    withExtendedLifetime(first) {}
  }

  @Test("is not requested without a bus, and is held again on the next one")
  func busRestarts() throws {
    let first = try fixture.connected()
    fixture.stepped.killBus()
    fixture.settle()
    try fixture.stepped.startBus()
    fixture.daemon.kill()
    try fixture.startDaemon()
    fixture.run(until: { first.isConnected && fixture.tag.isConnected }, within: .seconds(60))
    #expect(first.isConnected)
    let second = try connect(try fixture.anotherManager())
    fixture.run(until: { second.hasEnded }, within: .seconds(10))
    #expect(second.connection.state.reason?.code == .inUse)
  }

  @Test(
    "is handed over: a program waits while the other one drops its link, and connects",
    arguments: [2, 4])
  func handOver(_ seconds: Int) throws {
    try fixture.happen("disconnect takes \(seconds)s")
    let other = try fixture.anotherManager()
    let first = try fixture.connected()
    first.connection.end(.disconnected)
    let start = fixture.now
    let second = try connect(other)
    fixture.run(until: { second.isConnected || second.hasEnded }, within: .seconds(10))
    #expect(second.isConnected)
    #expect(second.reasons == [])
    #expect(first.hasEnded)
    #expect(start.duration(to: fixture.now) < .seconds(seconds + 1))
  }

  @Test("a waiting connection ends immediately on request, without the lock")
  func endedWhileWaiting() throws {
    let other = try fixture.anotherManager()
    let first = try fixture.connected()
    let second = try connect(other)
    fixture.stepped.pass(.seconds(1))
    #expect(!second.hasEnded)
    second.connection.end(.disconnected)
    fixture.settle()
    #expect(second.hasEnded)
    #expect(second.connection.state.reason == nil)
    let third = try connect(other)
    fixture.stepped.pass(.seconds(1))
    other.close()
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    let fourth = try connect(try fixture.anotherManager())
    fixture.run(until: { fourth.isConnected }, within: .seconds(3))
    #expect(fourth.isConnected)
    withExtendedLifetime(third) {}
  }

  @Test("passes from one program to the next if many wait for it")
  func queue() throws {
    let first = try fixture.connected()
    let others = try (0..<4).map { _ in try connect(try fixture.anotherManager()) }
    for other in others {
      other.onState = { [unowned other] in if $0.phase == .connected { other.connection.end(.disconnected) } }
    }
    first.connection.end(.disconnected)
    fixture.run(until: { others.allSatisfy(\.hasEnded) }, within: .seconds(30))
    // Each has its link for two seconds, and the others wait for five.
    #expect(others.filter { $0.connection.state.reason == nil }.count >= 2)
    #expect(others.compactMap(\.connection.state.reason).allSatisfy { $0.code == .inUse })
  }

  /// A connection that has lost its link while the service did not run; another program has the tag now.
  func waiting(sharing: Bool) throws -> (WorldFixture, waiting: ConnectionWatch, holder: ConnectionWatch) {
    let fixture = try WorldFixture(sharing: true, timeMoves: true)
    try fixture.happen("sleep-after 1000000s")
    let waiting = try fixture.connected()
    #expect(waiting.connection.state.serviceProcess != 0)
    fixture.endService()
    let holder = try connect(try fixture.anotherManager(exclusive: true))
    fixture.run(until: { holder.isConnected }, within: .seconds(30))
    if sharing { try fixture.startService() }
    fixture.run(until: { waiting.connection.state.reason?.code == .inUse }, within: .seconds(60))
    fixture.stepped.pass(.seconds(30))
    #expect(holder.isConnected && !waiting.hasEnded)
    return (fixture, waiting, holder)
  }

  @Test("a connection that waits for another program tries again every ten minutes", arguments: [true, false])
  func costOfWaiting(sharing: Bool) throws {
    let (fixture, waiting, holder) = try waiting(sharing: sharing)
    let (wakeUps, states) = (fixture.stepped.wakeUps, waiting.states.count)
    fixture.stepped.pass(.seconds(3600))
    // Six attempts, with those of the service.
    #expect(fixture.stepped.wakeUps - wakeUps <= 36)
    #expect(waiting.states.count - states <= 24)
    #expect(waiting.connection.state.phase == .preparing && holder.isConnected)
  }

  @Test("a connection that waits takes the tag within a second of its release", arguments: [true, false])
  func released(sharing: Bool) throws {
    let (fixture, waiting, holder) = try waiting(sharing: sharing)
    fixture.stepped.pass(.seconds(300))
    holder.connection.end(.disconnected)
    fixture.run(until: { holder.hasEnded })
    fixture.run(until: { waiting.connection.state.phase != .preparing }, within: .seconds(1))
    #expect(waiting.connection.state.phase == .connecting)
    fixture.run(until: { waiting.isConnected }, within: .seconds(5))
    #expect(waiting.isConnected)
  }

  @Test("a connection that waits for another program still sees the adapter")
  func adapterWhileWaiting() throws {
    let (fixture, waiting, holder) = try waiting(sharing: false)
    try fixture.happen("adapter off")
    fixture.run(until: { waiting.hasEnded }, within: .seconds(5))
    #expect(waiting.connection.state.reason?.code == .poweredOff)
    withExtendedLifetime(holder) {}
  }
}
