import EventLoop
import Glibc
import Testing

@Suite("A watched path")
final class FileWatchTests {
  let root: String
  let loop: EventLoop
  var changes = 0

  init() throws {
    var template = Array("/tmp/filewatch-XXXXXX".utf8CString)
    root = String(cString: mkdtemp(&template))
    loop = try EventLoop()
  }

  deinit {
    for path in ["/a/b/socket", "/a/b", "/a/other", "/a", "/file", ""] { remove(root + path) }
  }

  func touch(_ path: String) { close(open(root + path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) }

  @Test("reports its creation, even if its parent directories are created later")
  func appears() throws {
    let watch = try FileWatch(loop, root + "/a/b/socket") { self.changes += 1 }
    #expect(!isReadable(loop))
    mkdir(root + "/a", 0o700)
    try settle(loop)
    touch("/a/other")
    mkdir(root + "/a/b", 0o700)
    try settle(loop)
    #expect(changes == 0)
    touch("/a/b/socket")
    try dispatch(loop) { self.changes > 0 }
    watch.cancel()
  }

  @Test("created together with its directories is not missed")
  func race() throws {
    let watch = try FileWatch(loop, root + "/a/b/socket") { self.changes += 1 }
    mkdir(root + "/a", 0o700)
    mkdir(root + "/a/b", 0o700)
    touch("/a/b/socket")
    try dispatch(loop) { self.changes > 0 }
    watch.cancel()
  }

  @Test("is found again after its directory was removed and created again")
  func returns() throws {
    mkdir(root + "/a", 0o700)
    mkdir(root + "/a/b", 0o700)
    let watch = try FileWatch(loop, root + "/a/b/socket") { self.changes += 1 }
    rmdir(root + "/a/b")
    rmdir(root + "/a")
    try settle(loop)
    changes = 0
    mkdir(root + "/a", 0o700)
    mkdir(root + "/a/b", 0o700)
    try settle(loop)
    touch("/a/b/socket")
    try dispatch(loop) { self.changes > 0 }
    watch.cancel()
  }

  @Test("reports nothing about other files or after cancel")
  func quiet() throws {
    let watch = try FileWatch(loop, root + "/socket") { self.changes += 1 }
    touch("/file")
    try settle(loop)
    #expect(changes == 0)
    watch.cancel()
    mkdir(root + "/a", 0o700)
    #expect(!isReadable(loop))
  }

  @Test("below something that is not a directory waits without spinning")
  func notDirectory() throws {
    touch("/file")
    let watch = try FileWatch(loop, root + "/file/socket") { self.changes += 1 }
    #expect(!isReadable(loop))
    watch.cancel()
  }

  @Test("must be absolute", arguments: ["", "relative", "/"])
  func invalid(_ path: String) throws {
    #expect(throws: SystemError(code: EINVAL, call: "inotify_add_watch")) { _ = try FileWatch(loop, path) {} }
  }
}
