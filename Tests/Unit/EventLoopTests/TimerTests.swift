import EventLoop
import Glibc
import Testing
import TestWorld

@Suite("Timers")
struct TimerTests {
  @Test("fire in the order of their deadlines, equal ones in the order of scheduling")
  func order() throws {
    let clock = VirtualClock()
    let loop = try EventLoop(clock: .virtual(clock))
    let record = Recorder<Int>()
    for (index, delay) in [30, 10, 20, 10, 0, 30].enumerated() {
      loop.schedule(after: .milliseconds(delay)) { record.note(index) }
    }
    clock.advance(by: .milliseconds(30))
    #expect(record.entries == [4, 1, 3, 2, 0, 5])
  }

  @Test("a thousand, half of them cancelled, fire as a sorted list would")
  func heap() throws {
    let clock = VirtualClock()
    let loop = try EventLoop(clock: .virtual(clock))
    let record = Recorder<Int>()
    var random = SeededRandom(seed: 1)
    let delays = (0..<1000).map { _ in Int.random(in: 0..<500, using: &random) }
    let timers = delays.enumerated().map { index, delay in
      loop.schedule(after: .seconds(delay)) { record.note(index) }
    }
    for index in stride(from: 0, to: 1000, by: 2) { timers[index].cancel() }
    clock.advance(by: .seconds(500))
    let expected = stride(from: 1, to: 1000, by: 2).sorted { (delays[$0], $0) < (delays[$1], $1) }
    #expect(record.entries == expected)
  }

  @Test("virtual time shows each timer its own deadline")
  func virtualNow() throws {
    let clock = VirtualClock()
    let loop = try EventLoop(clock: .virtual(clock))
    let start = loop.now
    let record = Recorder<Duration>()
    for delay in [5, 1, 3] { loop.schedule(after: .seconds(delay)) { record.note(start.duration(to: loop.now)) } }
    clock.advance(by: .seconds(4))
    #expect(record.entries == [.seconds(1), .seconds(3)])
    #expect(start.duration(to: loop.now) == .seconds(4))
    clock.advance(by: .seconds(1))
    #expect(record.entries.last == .seconds(5))
  }

  @Test("one handler may cancel a timer that is due in the same dispatch")
  func cancelInHandler() throws {
    let clock = VirtualClock()
    let loop = try EventLoop(clock: .virtual(clock))
    let record = Recorder<String>()
    var second: LoopTimer?
    loop.schedule(after: .seconds(1)) {
      record.note("first")
      second?.cancel()
    }
    second = loop.schedule(after: .seconds(1)) { record.note("second") }
    clock.advance(by: .seconds(2))
    #expect(record.entries == ["first"])
  }

  @Test("a handler may cancel its own timer and schedule the next")
  func reschedule() throws {
    let clock = VirtualClock()
    let loop = try EventLoop(clock: .virtual(clock))
    var ticks = 0
    var timer: LoopTimer?
    func tick() {
      ticks += 1
      timer?.cancel()
      timer = loop.schedule(after: .seconds(1), tick)
    }
    tick()
    clock.advance(by: .seconds(10))
    #expect(ticks == 11)
    loop.close()
  }

  @Test("on the system's clock, make the descriptor readable when due and not before")
  func systemClock() throws {
    let loop = try EventLoop()
    var fired = false
    let start = loop.now
    let timer = loop.schedule(after: .milliseconds(20)) { fired = true }
    let early = isReadable(loop)
    // On a busy machine the check itself may last until the deadline.
    if loop.now < timer.deadline { #expect(!early) }
    try dispatch(loop) { fired }
    #expect(start.duration(to: loop.now) >= .milliseconds(20))
    #expect(!isReadable(loop))
  }

  @Test("once cancelled or fired, cause no wake-up: an idle loop stays unreadable")
  func idle() throws {
    let loop = try EventLoop()
    loop.schedule(after: .milliseconds(10)) {}.cancel()
    var fired = false
    loop.schedule(after: .milliseconds(1)) { fired = true }
    try dispatch(loop) { fired }
    #expect(!isReadable(loop, waitingMilliseconds: 60))
  }

  @Test("an expiry that was cancelled before a dispatch is cleared")
  func takenBack() throws {
    let loop = try EventLoop()
    let timer = loop.schedule(after: .zero) {}
    #expect(isReadable(loop, waitingMilliseconds: 1000))
    timer.cancel()
    #expect(!isReadable(loop))
  }

  @Test("more timers than one dispatch may run keep the descriptor readable until all have fired")
  func bounded() throws {
    let loop = try EventLoop()
    var fired = 0
    for _ in 0..<1000 { loop.schedule(after: .zero) { fired += 1 } }
    #expect(isReadable(loop, waitingMilliseconds: 1000))
    try loop.dispatch()
    #expect(fired < 1000)
    #expect(isReadable(loop))
    try settle(loop)
    #expect(fired == 1000)
  }

  @Test("absurd durations neither trap nor fire", arguments: [Duration.seconds(Int64.max), .seconds(Int64.max / 10)])
  func absurd(_ duration: Duration) throws {
    let loop = try EventLoop()
    var fired = false
    let timer = loop.schedule(after: duration) { fired = true }
    try loop.dispatch()
    #expect(!fired)
    #expect(timer.isPending)
    loop.schedule(after: .seconds(Int64.min)) { fired = true }
    try dispatch(loop) { fired }
  }

  @Test("the loop reports when the earliest of them is due")
  func nextDeadline() throws {
    let clock = VirtualClock()
    let loop = try EventLoop(clock: .virtual(clock))
    #expect(loop.nextDeadline == nil)
    loop.schedule(after: .seconds(2)) {}
    let earliest = loop.schedule(after: .seconds(1)) {}
    #expect(loop.nextDeadline == clock.now.advanced(by: .seconds(1)))
    earliest.cancel()
    #expect(loop.nextDeadline == clock.now.advanced(by: .seconds(2)))
    clock.advance(by: .seconds(2))
    #expect(loop.nextDeadline == nil)
  }

  @Test("of a loop on another thread follow the virtual clock as well")
  func virtualThread() async throws {
    let clock = VirtualClock()
    let loop = try EventLoop(clock: .virtual(clock))
    let thread = try LoopThread(loop)
    for _ in 0..<1000 {
      let fired = Completion<Void, CancellationError>()
      await loop.run { _ = loop.schedule(after: .seconds(1)) { fired.succeed(()) } }
      clock.advance(by: .seconds(1))
      try await fired.value()
    }
    thread.stop()
  }
}
