import EventLoop
import Glibc
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

extension TagLockTests {
  static let bus = "0123456789abcdef0123456789abcdef"

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

  /// Another user that holds the name: any user can take it.
  func holder(_ name: String) throws -> OtherUser {
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
