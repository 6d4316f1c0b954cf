import EventLoop

@testable import TagSimulator

extension Target {
  /// A scenario and lines for the control socket, played for a minute.
  static let scenarios = Target(name: "scenarios") { input in
    let text = String(decoding: input, as: UTF8.self)
    let time = VirtualClock()
    let loop = try EventLoop(clock: .virtual(time))
    let world = SimulatedWorld(clock: SimulationClock(loop), tagCount: 2)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { _ = try? world.control(String(line)) }
    if let scenario = try? Scenario(parsing: text) { try? world.play(scenario) }
    // Advances in larger steps, because a minute of actions every 100 us takes too long.
    for tag in world.tags { tag.linkUp(capacity: 61) }
    for _ in 0..<60 {
      time.advance(by: .milliseconds(10))
      try loop.dispatch()
    }
    _ = try? world.control("stats")
    loop.close()
    loop.drain()
  }
}
