import EventLoop
import Glibc
import Testing
import TestWorld

@Suite("Tasks on the loop")
struct TaskTests {
  @Test("run only on the dispatching thread, including their children")
  func onLoop() throws {
    let loop = try EventLoop()
    var finished = 0
    let steps = Recorder<Bool>()
    for _ in 0..<100 {
      loop.spawn {
        for _ in 0..<10 {
          await Task.yield()
          steps.note(loop.isOnLoop)
        }
        async let child = loop.isOnLoop
        steps.note(await child)
        finished += 1
      }
    }
    try dispatch(loop) { finished == 100 }
    #expect(steps.entries.count == 1100)
    #expect(steps.entries.allSatisfy { $0 })
  }

  @Test("start no thread")
  func noThreads() async {
    // In a separate process, because other tests start threads.
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let before = entryCount("/proc/self/task")
      var finished = 0
      for _ in 0..<100 {
        loop.spawn {
          try? await loop.sleep(.nanoseconds(1))
          finished += 1
        }
      }
      try dispatch(loop) { finished == 100 }
      try #require(entryCount("/proc/self/task") <= before)
    }
  }

  @Test("sleep on the loop's clock")
  func sleeps() throws {
    let clock = VirtualClock()
    let loop = try EventLoop(clock: .virtual(clock))
    let record = Recorder<Duration>()
    let start = loop.now
    loop.spawn {
      for _ in 0..<3 {
        try? await loop.sleep(.seconds(10))
        record.note(start.duration(to: loop.now))
      }
    }
    try settle(loop)
    clock.advance(by: .seconds(60))
    #expect(record.entries == [.seconds(10), .seconds(20), .seconds(30)])
  }

  @Test("wake immediately from a sleep when cancelled")
  func cancelSleep() throws {
    let loop = try EventLoop()
    var outcome: (any Error)?
    let task = loop.spawn { do { try await sleepLong(loop) } catch { outcome = error } }
    try settle(loop)
    task.cancel()
    try settle(loop)
    #expect(outcome is CancellationError)
    #expect(!isReadable(loop))
  }

  @Test("do not sleep if already cancelled")
  func cancelledBefore() throws {
    let loop = try EventLoop()
    var outcome: (any Error)?
    loop.spawn { do { try await sleepLong(loop) } catch { outcome = error } }.cancel()
    try settle(loop)
    #expect(outcome is CancellationError)
  }

  private struct TimeIsUp: Error {}

  @Test("a deadline cancels its body and throws")
  func deadline() throws {
    let clock = VirtualClock()
    let loop = try EventLoop(clock: .virtual(clock))
    var outcome: (any Error)?
    var bodyWasCancelled = false
    loop.spawn {
      do {
        try await loop.withDeadline(.seconds(5), expired: TimeIsUp() as any Error) {
          do { try await sleepLong(loop) } catch {
            bodyWasCancelled = error is CancellationError
            throw error
          }
        }
      } catch { outcome = error }
    }
    try settle(loop)
    clock.advance(by: .seconds(4))
    #expect(outcome == nil)
    clock.advance(by: .seconds(1))
    #expect(outcome is TimeIsUp)
    #expect(bodyWasCancelled)
  }

  @Test("a body that ends in time keeps its result and leaves no timer")
  func inTime() throws {
    let loop = try EventLoop()
    var result: Int?
    loop.spawn {
      result = try? await loop.withDeadline(.seconds(3600), expired: TimeIsUp()) { () throws(TimeIsUp) in 42 }
    }
    try settle(loop)
    #expect(result == 42)
    #expect(!isReadable(loop))
  }

  @Test("cancelling a task cancels its body, and does not throw the error for the time limit")
  func cancelDeadline() throws {
    let loop = try EventLoop()
    var outcome: (any Error)?
    let task = loop.spawn {
      do {
        try await loop.withDeadline(.seconds(60), expired: TimeIsUp() as any Error) {
          try await sleepLong(loop)
        }
      } catch { outcome = error }
    }
    try settle(loop)
    task.cancel()
    try settle(loop)
    #expect(outcome is CancellationError)
  }

  @Test("run on a loop thread and return their result to a task elsewhere")
  func acrossThreads() async throws {
    let loop = try EventLoop()
    let thread = try LoopThread(loop)
    let onLoop = await loop.run { loop.isOnLoop }
    #expect(onLoop)
    thread.stop()
  }
}
