import EventLoop
import Glibc
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

@Suite("The lock on a tag")
struct TagLockTests {
  private let fixture: WorldFixture

  init() throws { fixture = try WorldFixture() }

  private func connect(_ manager: Manager) throws -> ConnectionWatch {
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

  /// It has lost its link while the service did not run, and another program has the tag now.
  private func waiting(sharing: Bool) throws -> (WorldFixture, waiting: ConnectionWatch, holder: ConnectionWatch) {
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

  private static let bus = "0123456789abcdef0123456789abcdef"

  private func take(_ lock: TagLock, _ bus: String = Self.bus) throws {
    try fixture.stepped.run { try await lock.take(WorldFixture.identifier, on: bus, within: .seconds(5)) }
  }

  private func newLock() -> TagLock { TagLock(fixture.loop, nil) }

  @Test("is free after its release, and belongs to one bus")
  func claims() throws {
    let lock = newLock()
    let other = newLock()
    try take(lock)
    try take(lock)
    #expect(throws: JacquardError.inUse(by: getpid())) { try take(other) }
    lock.release()
    try take(other)
    #expect(throws: JacquardError.inUse(by: getpid())) { try take(lock) }
    try take(lock, "another")
  }

  @Test("waiting for it takes five seconds, however many programs wait")
  func manyAsk() throws {
    let lock = newLock()
    try take(lock)
    let outcomes = Recorder<String>()
    let start = fixture.now
    let count = 256
    for _ in 0..<count {
      let other = newLock()
      fixture.loop.spawn {
        do { try await other.take(WorldFixture.identifier, on: Self.bus, within: .seconds(5)) } catch {
          outcomes.note("\(error)")
        }
      }
    }
    fixture.run(until: { outcomes.entries.count == count }, within: .seconds(20))
    #expect(start.duration(to: fixture.now) == .seconds(5))
    #expect(Set(outcomes.entries) == ["Another manager in this program is using this tag."])
    lock.release()
    try take(newLock())
  }

  /// Takes the name of the lock as any user can, so that no connection succeeds.
  private func occupy(_ bus: String, isListening: Bool) throws -> [SharedDescriptor] {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name: [UInt8] = [0] + name(bus).utf8
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(2 + name.count)
    func call(_ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> (SharedDescriptor, Int32) {
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      let descriptor = SharedDescriptor(taking: socket(AF_UNIX, type, 0))
      let result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(descriptor.rawValue, $0, length) }
      }
      return (descriptor, result)
    }
    let (owner, result) = call { bind($0, $1, $2) }
    #expect(result == 0)
    guard isListening else { return [owner] }
    #expect(listen(owner.rawValue, 0) == 0)
    var sockets = [owner]
    while true {
      let (next, result) = call { Glibc.connect($0, $1, $2) }
      guard result == 0 else { return sockets }
      sockets.append(next)
    }
  }

  @Test("a name without credentials is ignored", arguments: [false, true])
  func withoutCredentials(isListening: Bool) throws {
    let sockets = try occupy(Self.bus, isListening: isListening)
    let start = fixture.now
    let lock = newLock()
    try fixture.stepped.run { try await lock.take(WorldFixture.identifier, on: Self.bus, within: .seconds(5)) }
    #expect(!lock.isHeld)
    #expect(start.duration(to: fixture.now) < .seconds(1))
    withExtendedLifetime(sockets) {}
  }

  @Test(
    "a name without credentials does not prevent a connection, even to a tag that is in use", arguments: [false, true])
  func withoutCredentialsInUse(_ isListening: Bool) throws {
    let sockets = try occupy(try #require(fixture.manager.core.bluez.busID), isListening: isListening)
    let scan = fixture.manager.scan(onFound: { _ in }, onEnd: { _, _ in })
    fixture.stepped.pass(.seconds(1))
    scan.stop()
    try fixture.happen("foreign connect")
    fixture.stepped.pass(.seconds(3))
    try fixture.happen("foreign subscribe")
    fixture.stepped.pass(.seconds(1))
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    #expect(watch.reasons == [.inUse])
    withExtendedLifetime(sockets) {}
  }

  private func name(_ bus: String) -> String { "jacquard/\(bus)/\(WorldFixture.identifier.text)" }

  /// Any user can take the name.
  private func holder(_ name: String) throws -> OtherUser {
    try OtherUser("lock = socket.socket(socket.AF_UNIX)", "lock.bind(chr(0) + \"\(name)\")", "lock.listen(64)")
  }

  /// The tag has a link, and another program receives its notifications.
  private func foreignSubscription() throws {
    let scan = fixture.manager.scan(onFound: { _ in }, onEnd: { _, _ in })
    fixture.stepped.pass(.seconds(1))
    scan.stop()
    try fixture.happen("foreign connect")
    fixture.stepped.pass(.seconds(3))
    try fixture.happen("foreign subscribe")
    fixture.stepped.pass(.seconds(1))
  }

  @Test(
    "a name of another user delays a connection to a tag that is in use, and does not prevent it",
    .enabled(if: geteuid() == 0))
  func otherUser() throws {
    let other = try holder(name(try #require(fixture.manager.core.bluez.busID)))
    try foreignSubscription()
    let start = fixture.now
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    #expect(watch.reasons == [.inUse])
    #expect(watch.states.contains { $0.reason == .inUseByUnknown })
    #expect(start.duration(to: fixture.now) >= .seconds(5))
    #expect(start.duration(to: fixture.now) < .seconds(8))
    withExtendedLifetime(other) {}
  }

  @Test("a name of this user, or of root, prevents a connection to a tag that is in use")
  func ownName() throws {
    let lock = newLock()
    try take(lock, try #require(fixture.manager.core.bluez.busID))
    try foreignSubscription()
    let watch = try fixture.connect()
    fixture.run(until: { watch.hasEnded || watch.isConnected }, within: .seconds(30))
    #expect(watch.connection.state.reason == .inUse(by: getpid()))
  }

  @Test("a name of another user does not count without a runtime directory", .enabled(if: geteuid() == 0))
  func otherUserWithoutDirectory() throws {
    let other = try holder(name(Self.bus))
    let lock = newLock()
    let start = fixture.now
    try take(lock)
    #expect(!lock.isHeld)
    #expect(start.duration(to: fixture.now) < .seconds(1))
    withExtendedLifetime(other) {}
  }

  @Test("a lock that is created while this program asks counts")
  func createdMeanwhile() throws {
    let sockets = try occupy(Self.bus, isListening: false)
    let lock = newLock()
    let outcomes = Recorder<String>()
    fixture.loop.spawn {
      do { try await lock.take(WorldFixture.identifier, on: Self.bus, within: .seconds(5)) } catch {
        outcomes.note("\(error)")
      }
    }
    fixture.settle()
    #expect(listen(sockets[0].rawValue, 1) == 0)
    fixture.stepped.pass(.seconds(6))
    #expect(outcomes.entries == ["Another manager in this program is using this tag."])
  }

  @Test("the error names the program that has the tag")
  func holder() throws {
    #expect(JacquardError.inUse(by: nil).message == "Another program is using this tag.")
    #expect(JacquardError.inUse(by: getpid()).message == "Another manager in this program is using this tag.")
    let parent = JacquardError.inUse(by: getppid()).message
    #expect(parent.hasPrefix("Another program is using this tag: "))
    #expect(parent.hasSuffix(", process \(getppid())."))
    #expect(JacquardError.inUse(by: .max).message == "Another program is using this tag: process \(pid_t.max).")
  }

  @Test("a bus with a too long or missing ID is handled", arguments: ["", String(repeating: "x", count: 4096)])
  func strangeBus(_ bus: String) throws {
    let lock = newLock()
    try take(lock, bus)
    try take(lock, bus)
    lock.release()
  }
}
