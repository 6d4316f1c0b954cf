import EventLoop
import Glibc

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
      repeat {
        if condition() { return true }
        try? loop.dispatch()
        bench.settle()
      } while isReadable
      if condition() { return true }
      guard bench.now < end else { return false }
      let step = min(
        loop.nextDeadline.map(time.now.duration(to:)) ?? .seconds(1),
        bench.loop.nextDeadline.map(bench.now.duration(to:)) ?? .seconds(1), bench.now.duration(to: end))
      time.advance(by: max(step, .zero))
      bench.stepped.pass(max(step, .zero))
    }
  }

  private var isReadable: Bool {
    var file = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&file, 1, 0) > 0
  }
}
