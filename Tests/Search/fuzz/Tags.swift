import EventLoop

@testable import TagSimulator

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
