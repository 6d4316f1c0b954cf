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

extension Target {
  /// Values that a host writes to the software tag. Any device in range can be the host.
  static let tags = Target(name: "tags") { input in
    var choices = Choices(input)
    let time = VirtualClock()
    let loop = try EventLoop(clock: .virtual(time))
    let world = SimulatedWorld(clock: SimulationClock(loop))
    let tag = world.tags[0]
    tag.linkUp(capacity: 20 + choices.index(below: 235))
    for characteristic in TagCharacteristic.notifying { tag.setNotifying(true, on: characteristic) }
    while !choices.isEmpty {
      switch choices.index(below: 8) {
      case 0: tag.linkDown()
      case 1: tag.linkUp(capacity: 20 + choices.index(below: 235), encrypted: true)
      case 2: time.advance(by: .milliseconds(Int(choices.byte()) * 10))
      default:
        tag.write(
          choices.bytes(), to: choices.pick([.command, .command, .rawData, .response]),
          type: choices.pick([.request, .command]))
      }
      try loop.dispatch()
    }
    _ = try? world.control("journal requests") + tag.summary
    loop.close()
    loop.drain()
  }
}
