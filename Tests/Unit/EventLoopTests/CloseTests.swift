import EventLoop
import Glibc
import Testing
import TestWorld

@Suite("A closed loop", .serialized)
struct CloseTests {
  @Test("accepts no more work and reports it")
  func refuses() throws {
    let loop = try EventLoop()
    var ran = false
    loop.postHere { ran = true }
    loop.close()
    #expect(!loop.postHere { ran = true })
    #expect(throws: SystemError(code: EBADF, call: "dispatch")) { try loop.dispatch() }
    #expect(throws: SystemError(code: EBADF, call: "watch")) { _ = try loop.watch(0, for: .readable) { _ in } }
    #expect(!loop.schedule(after: .zero) { ran = true }.isPending)
    loop.drain()
    loop.close()
    #expect(!ran)
    #expect(loop.fileDescriptor < 0)
  }

  @Test("cancels its tasks and lets them finish: sleeping and waiting tasks are woken")
  func drains() throws {
    let loop = try EventLoop()
    var outcome: (any Error)?
    var waited = false
    let never = Completion<Void, CancellationError>()
    loop.spawn { do { try await sleepLong(loop) } catch { outcome = error } }
    loop.spawn {
      try? await never.value()
      await Task.yield()
      waited = true
    }
    try settle(loop)
    loop.close()
    loop.drain()
    #expect(outcome is CancellationError)
    #expect(waited)
  }

  @Test("from inside a handler, ends that dispatch in order")
  func insideHandler() throws {
    let loop = try EventLoop()
    let record = Recorder<String>()
    let (read, write) = try makePipe()
    _ = try loop.watch(read.rawValue, for: .readable) { _ in
      record.note("watch")
      loop.postHere { record.note("posted") }
      loop.close()
    }
    Glibc.write(write.rawValue, "x", 1)
    loop.schedule(after: .zero) { record.note("timer") }
    try loop.dispatch()
    #expect(record.entries.filter { $0 == "watch" }.count == 1)
    #expect(!record.entries.contains("posted"))
    #expect(loop.fileDescriptor < 0)
  }

  @Test("releases objects held by its handlers")
  func releases() throws {
    final class Resource {}
    weak var held: Resource?
    let loop = try EventLoop()
    let (read, _) = try makePipe()
    do {
      let resource = Resource()
      held = resource
      _ = try loop.watch(read.rawValue, for: .readable) { _ in _ = resource }
      loop.schedule(after: .seconds(60)) { _ = resource }
      loop.postHere { _ = resource }
    }
    #expect(held != nil)
    loop.close()
    #expect(held == nil)
  }

  @Test("ends its thread")
  func endsThread() throws {
    let loop = try EventLoop()
    let thread = try LoopThread(loop)
    loop.close()
    thread.stop()
    #expect(loop.isClosed)
  }
}
