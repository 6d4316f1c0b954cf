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
    let (one, other) = (file(), file())
    #expect(try one.take())
    #expect(try one.take())
    #expect(try !other.take())
    #expect(other.holder == getpid())
    one.release()
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

  @Test("shows its release to a watch of its path")
  func watched() throws {
    let loop = try EventLoop()
    let (one, other) = (file(), file())
    _ = try one.take()
    var changes = 0
    let watch = try FileWatch(loop, one.path) { changes += 1 }
    #expect(try !other.take())
    try loop.dispatch()
    #expect(changes == 0)
    one.release()
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
}
