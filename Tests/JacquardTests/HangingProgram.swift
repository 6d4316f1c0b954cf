import EventLoop

@testable import Jacquard

/// A program that shares a tag, on a loop of its own. It hangs while that is not dispatched.
final class HangingProgram {
  private let time = VirtualClock()
  private var lastRun: LoopInstant
  let loop: EventLoop
  let manager: Manager
  let watch: ConnectionWatch
  private let bench: WorldFixture

  init(_ bench: WorldFixture) throws {
    self.bench = bench
    lastRun = bench.now
    loop = try EventLoop(clock: .virtual(time))
    var options = Manager.Options()
    options.busAddress = bench.stepped.bus.address
    options.stateDirectory = bench.stateDirectory
    options.sharing = true
    options.runtimeDirectory = bench.scratch.path + "/run"
    manager = try Manager(options, loop: loop)
    manager.start()
    watch = ConnectionWatch(try manager.connect(WorldFixture.identifier))
  }

  deinit {
    manager.close()
    loop.close()
    loop.drain()
  }

  /// Continues, late for the timers that have become due since, and stops as soon as the condition holds. Returns
  /// whether it holds.
  @discardableResult
  func run(until condition: () -> Bool, within limit: Duration = .seconds(30)) -> Bool {
    time.jump(to: time.now.advanced(by: lastRun.duration(to: bench.now)))
    defer { lastRun = bench.now }
    let end = bench.now.advanced(by: limit)
    while true {
      for _ in 0..<20 {
        if condition() { return true }
        try? loop.dispatch()
        bench.settle()
      }
      guard bench.now < end else { return false }
      time.advance(by: .milliseconds(5))
      bench.stepped.pass(.milliseconds(5))
    }
  }
}
