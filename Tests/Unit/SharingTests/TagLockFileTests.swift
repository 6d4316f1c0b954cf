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
}
