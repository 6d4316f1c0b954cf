import Glibc
import JacquardTags
import Synchronization
import Testing

/// The last reference to a tag, which any thread may drop.
private final class Kept: Sendable {
  let tag = Mutex<Tag?>(nil)
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct LifetimeTests {
  @Test func everythingIsFreedAfterTheLastReference() async throws {
    weak var manager: Manager?
    weak var connection: Connection?
    weak var tag: Tag?
    do {
      let kept = try await connected()
      (manager, connection, tag) = (kept.connection.manager, kept.connection, kept)
      let states = try kept.connection.states()
      _ = try await states.first(1)
      #expect(tag != nil && connection != nil && manager != nil)
    }
    #expect(tag == nil && connection == nil && manager == nil)
  }

  @Test func aTagKeepsItsConnection() async throws {
    let tag = try await connected()
    #expect(try await tag.battery().percent == 80)
  }

  @Test func anIterationKeepsItsConnection() async throws {
    let batteries = try await connected().connection.batteries()
    tell("battery 81")
    for try await battery in batteries where battery.percent == 81 { break }
    tell("battery 80")
  }

  @Test func theLastReferenceIsDroppedInACallback() async throws {
    let kept = Kept()
    let tag = try await connected()
    try await tag.prepareMotion()
    tell("session last samples 200")
    let session = try #require(try await tag.sessions().last)
    kept.tag.withLock { $0 = tag }
    let connection = tag.connection
    try await connection.download(session, to: "/dev/shm/jacquard-swift-\(getpid())") { _ in
      _ = kept.tag.withLock { tag in
        defer { tag = nil }
        return tag
      }
    }
    unlink("/dev/shm/jacquard-swift-\(getpid())")
    #expect(kept.tag.withLock { $0 == nil })
    try await connection.tag().eraseAllSessions()
  }

  @Test func theLastReferenceIsDroppedOnAnotherThread() async throws {
    weak var manager: Manager?
    let kept = Kept()
    do {
      let tag = try await connected()
      kept.tag.withLock { $0 = tag }
    }
    manager = kept.tag.withLock { $0?.connection.manager }
    let task = Task.detached {
      let tag = kept.tag.withLock { tag in
        defer { tag = nil }
        return tag
      }
      _ = tag?.connection.phase
    }
    await task.value
    #expect(manager == nil)
  }

  @Test func connectionsLeaveNothingBehind() async throws {
    let manager = try Manager()
    let found = try await manager.find(timeout: .seconds(20))
    for _ in 0..<3 { try await connectOnce(manager, found) }
    let before = descriptors()
    for _ in 0..<10 { try await connectOnce(manager, found) }
    #expect(descriptors() <= before)
  }

  private func connectOnce(_ manager: Manager, _ found: Advertisement) async throws {
    let connection = try manager.connect(found)
    let gestures = try connection.gestures()
    _ = try await connection.tag().battery()
    try await connection.disconnect()
    for try await _ in gestures {}
  }

  private func connected() async throws -> Tag {
    let manager = try Manager()
    return try await manager.connect(try await manager.find(timeout: .seconds(20))).tag()
  }

  private func descriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }
}
