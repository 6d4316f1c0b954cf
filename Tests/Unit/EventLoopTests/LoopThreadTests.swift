import EventLoop
import Glibc
import Testing

@Suite("A loop thread")
struct LoopThreadTests {
  @Test("runs posted work until stopped, and not after")
  func stop() async throws {
    let loop = try EventLoop()
    let thread = try LoopThread(loop)
    await loop.run {}
    thread.stop()
    thread.stop()
    var ran = false
    loop.postHere { ran = true }
    #expect(!ran)
    try loop.dispatch()
    #expect(ran)
  }

  @Test("may be stopped from a handler and joined from elsewhere")
  func stopInside() async throws {
    let loop = try EventLoop()
    let thread = try LoopThread(loop)
    await loop.run { thread.stop() }
    thread.stop()
    try loop.dispatch()
  }

  @Test("has a name, and blocks all signals")
  func manners() async throws {
    let loop = try EventLoop()
    let before = blockedSignals()
    let thread = try LoopThread(loop)
    #expect(blockedSignals() == before)
    let (name, blocked) = await loop.run {
      (contents("/proc/thread-self/comm"), blockedSignals())
    }
    #expect(name == "jacquard\n")
    #expect(blocked.isSuperset(of: [SIGINT, SIGTERM, SIGCHLD, SIGUSR1, SIGPIPE]))
    thread.stop()
  }
}

private func contents(_ path: String) -> String {
  let file = open(path, O_RDONLY)
  defer { close(file) }
  var bytes = [UInt8](repeating: 0, count: 64)
  let count = read(file, &bytes, bytes.count)
  return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
}

private func blockedSignals() -> Set<Int32> {
  var mask = sigset_t()
  pthread_sigmask(SIG_BLOCK, nil, &mask)
  return Set((1..<32).filter { sigismember(&mask, $0) == 1 })
}
