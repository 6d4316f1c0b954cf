import EventLoop
import Glibc
import Testing

@Suite("Posted work")
struct PostTests {
  @Test("posted work runs before the handlers of what may have arrived later")
  func workComesFirst() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    let (read, write) = try makePipe()
    nonisolated(unsafe) var order: [String] = []
    let watch = try loop.watch(read.rawValue, for: .readable) { _ in order.append("handler") }
    loop.post { order.append("work") }
    #expect(Glibc.write(write.rawValue, "x", 1) == 1)
    try loop.dispatch()
    #expect(order == ["work", "handler"])
    watch.cancel()
  }

  @Test("runs in the order of posting, per thread, without losses")
  func order() throws {
    let loop = try EventLoop()
    let record = Locked<[(thread: Int, number: Int)]>([])
    let threads = try (0..<4).map { thread in
      try startThread {
        for number in 0..<1000 { loop.post { record.withLock { $0.append((thread, number)) } } }
      }
    }
    let entries = { record.withLock { $0 } }
    try dispatch(loop) { entries().count == 4000 }
    for thread in threads { pthread_join(thread, nil) }
    for thread in 0..<4 {
      #expect(entries().filter { $0.thread == thread }.map(\.number) == Array(0..<1000))
    }
  }

  @Test("does not run before the next dispatch, and makes the descriptor readable")
  func wakes() throws {
    let loop = try EventLoop()
    #expect(!isReadable(loop))
    var ran = false
    loop.postHere { ran = true }
    #expect(!ran)
    #expect(isReadable(loop))
    try loop.dispatch()
    #expect(ran)
    #expect(!isReadable(loop))
  }

  @Test("that posts itself repeatedly does not prevent a dispatch from returning")
  func bounded() throws {
    let loop = try EventLoop()
    var count = 0
    func again() {
      count += 1
      loop.postHere(again)
    }
    again()
    try loop.dispatch()
    let afterFirst = count
    #expect(afterFirst < 10_000)
    #expect(isReadable(loop))
    try loop.dispatch()
    #expect(count > afterFirst)
    loop.close()
  }

  @Test("a dispatch inside a dispatch is refused")
  func reentrant() throws {
    let loop = try EventLoop()
    var refusal: SystemError?
    loop.postHere { do { try loop.dispatch() } catch { refusal = error as? SystemError } }
    try loop.dispatch()
    #expect(refusal?.code == EDEADLK)
  }

  @Test("a dispatch while another thread dispatches is refused")
  func concurrent() throws {
    let loop = try EventLoop()
    let refusal = Locked<SystemError?>(nil)
    loop.post {
      let other = try? startThread {
        do { try loop.dispatch() } catch { refusal.withLock { $0 = error as? SystemError } }
      }
      if let other { pthread_join(other, nil) }
    }
    try loop.dispatch()
    #expect(refusal.withLock { $0?.code } == EBUSY)
  }

  @Test("is on the loop while it runs, and only then")
  func isolation() throws {
    let loop = try EventLoop()
    var inside = false
    let elsewhere = Locked(true)
    loop.postHere {
      loop.assertIsolated()
      inside = loop.isOnLoop
      if let other = try? startThread({ elsewhere.withLock { $0 = loop.isOnLoop } }) { pthread_join(other, nil) }
    }
    try loop.dispatch()
    #expect(inside)
    #expect(!elsewhere.withLock { $0 })
    #expect(!loop.isOnLoop)
  }
}

/// A plain thread, for calls from outside the loop.
func startThread(_ body: @escaping @Sendable () -> Void) throws -> pthread_t {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    {
      Unmanaged<Box>.fromOpaque($0!).takeRetainedValue().body()
      return nil
    }, Unmanaged.passRetained(Box(body)).toOpaque())
  guard status == 0 else { throw SystemError(code: status, call: "pthread_create") }
  return thread
}
