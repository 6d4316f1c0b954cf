import EventLoop
import Glibc
import TestWorld
import Testing

@testable import Sharing

@Suite("The lock file of a tag")
struct TagLockFileTests {
  private let scratch: ScratchDirectory
  private let directory: RuntimeDirectory

  init() throws {
    scratch = try ScratchDirectory()
    directory = try RuntimeDirectory(in: scratch.path)
  }

  private func file(_ tag: String = "tag", bus: String = "bus") -> TagLockFile {
    TagLockFile(directory, bus: bus, tag: tag)
  }

  @Test("belongs to one of two in a process, and names it")
  func exclusion() throws {
    var one: TagLockFile? = file()
    let other = file()
    #expect(try one?.take() == true)
    #expect(try one?.take() == true)
    #expect(try !other.take())
    #expect(other.holder == getpid())
    one = nil
    #expect(try other.take())
  }

  @Test("is another one for another tag, and on another bus")
  func separate() throws {
    let first = file()
    #expect(try first.take())
    let (tag, bus) = (file("other"), file(bus: "other"))
    #expect(try tag.take())
    #expect(try bus.take())
  }

  @Test(
    "is free when its process has ended, whatever the file contains",
    arguments: ["", "0", "-5\n", "abc", "99999999999\n"])
  func leftOver(_ content: String) throws {
    let path = file().path
    let descriptor = OwnedDescriptor(taking: open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    _ = content.withCString { write(descriptor.rawValue, $0, strlen($0)) }
    #expect(file().holder == nil)
    let lock = file()
    #expect(try lock.take())
    #expect(file().holder == getpid())
  }

  private var files: [String] { ScratchDirectory.names(in: directory.path) }

  @Test("exists only while it is locked")
  func removed() throws {
    var one: TagLockFile? = file()
    #expect(files == [])
    #expect(try one?.take() == true)
    let other = file()
    #expect(try !other.take())
    #expect(files == ["bus-tag.lock"])
    one = nil
    #expect(files == [])
    #expect(other.holder == nil)
    other.ask()
    #expect(files == [])
  }

  @Test("that a killed process left is removed with the next lock")
  func leftOverIsRemoved() throws {
    close(open(file().path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o1600))
    var lock: TagLockFile? = file()
    #expect(try lock?.take() == true)
    lock = nil
    #expect(files == [])
  }

  @Test("of another holder is not removed, nor a file that has replaced it")
  func replaced() throws {
    var one: TagLockFile? = file()
    #expect(try one?.take() == true)
    unlink(file().path)
    var other: TagLockFile? = file()
    #expect(try other?.take() == true)
    one = nil
    #expect(files == ["bus-tag.lock"])
    #expect(try !file().take())
    other = nil
    #expect(files == [])
  }

  /// A program may have opened the file before the holder removed it.
  @Test("counts only while it has its name")
  func staleName() throws {
    let held = OwnedDescriptor(taking: open(file().path, O_RDONLY | O_CREAT | O_CLOEXEC, 0o1600))
    #expect(flock(held.rawValue, LOCK_EX | LOCK_NB) == 0)
    #expect(try !file().take())
    unlink(file().path)
    let lock = file()
    #expect(try lock.take())
    #expect(flock(held.rawValue, LOCK_UN) == 0)
  }

  @Test("shows its release to a watch of its path")
  func watched() throws {
    let loop = try EventLoop()
    var one: TagLockFile? = file()
    let other = file()
    #expect(try one?.take() == true)
    var changes = 0
    let watch = try FileWatch(loop, other.path) { changes += 1 }
    #expect(try !other.take())
    try loop.dispatch()
    #expect(changes == 0)
    one = nil
    try loop.dispatch()
    #expect(changes > 0)
    #expect(try other.take())
    watch.cancel()
    loop.close()
    loop.drain()
  }

  @Test("must be a file that only this user can access")
  func foreign() throws {
    symlink("/dev/null", file().path)
    #expect(throws: SharingError.self) { try file().take() }
    unlink(file().path)
    mkdir(file().path, 0o700)
    #expect(throws: SharingError.self) { try file().take() }
  }

  @Test("has a plain name, whatever the bus calls itself")
  func names() throws {
    let lock = file("../../etc", bus: "a/b c")
    #expect(lock.path == directory.path + "/a_b_c-______etc.lock")
    #expect(try lock.take())
  }

  /// Simulates many programs that wait for each other.
  @Test("is held by one of many at a time, and every one that waits gets it")
  func stress() throws {
    let (rounds, count) = (300, 6)
    let shared = Competition()
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (finished, finish) = (ends[0], ends[1])
    let loops = try (0..<count).map { _ in try EventLoop() }
    let threads = try loops.map { try LoopThread($0) }
    for loop in loops {
      loop.post { [directory] in
        loop.spawn {
          for _ in 0..<rounds { await shared.hold(directory, loop) }
          _ = write(finish, "x", 1)
        }
      }
    }
    for _ in 0..<count {
      var (ready, byte) = (pollfd(fd: finished, events: Int16(POLLIN), revents: 0), UInt8(0))
      #expect(poll(&ready, 1, 60_000) == 1 && read(finished, &byte, 1) == 1)
    }
    #expect(shared.most.withLock { $0 } == 1)
    #expect(shared.failures.withLock { $0 } == [])
    for (loop, thread) in zip(loops, threads) {
      loop.post { loop.close() }
      thread.stop()
    }
    #expect(files == [])
    for end in ends { close(end) }
  }
}

/// Programs that take one lock in turn.
private final class Competition: Sendable {
  let most = Locked(0)
  let failures = Locked<[String]>([])
  private let holders = Locked(0)

  /// Waits for the lock as a connection does.
  func hold(_ directory: RuntimeDirectory, _ loop: EventLoop) async {
    var lock: TagLockFile? = TagLockFile(directory, bus: "bus", tag: "tag")
    guard let path = lock?.path else { return }
    var change = Completion<Void, SharingError>()
    let watch = try? FileWatch(loop, path) { change.succeed(()) }
    defer { watch?.cancel() }
    do {
      while true {
        change = Completion()
        if try lock?.take() ?? true { break }
        let timer = loop.schedule(after: .seconds(20)) { change.fail(.cancelled) }
        defer { timer.cancel() }
        try await change.value()
      }
    } catch {
      failures.withLock { $0.append("\(error)") }
      return
    }
    let now = holders.withLock { holders in
      holders += 1
      return holders
    }
    most.withLock { $0 = max($0, now) }
    sched_yield()
    holders.withLock { $0 -= 1 }
    lock = nil
  }
}
