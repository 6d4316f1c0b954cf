import EventLoop
import Testing

@testable import TagSimulator

@Suite("Playing a scenario") struct ScenarioPlayerTests {
  private let time = VirtualClock()
  private let world: SimulatedWorld
  private let events = Events()

  private final class Events {
    var lines: [String] = []
  }

  init() throws {
    world = SimulatedWorld(clock: SimulationClock(try EventLoop(clock: .virtual(time))), tagCount: 2)
    world.complain = { [events] in events.lines.append($0) }
    for tag in world.tags { tag.dropLink = { [unowned tag] in tag.linkDown() } }
  }

  private var battery: [UInt32] { world.tags.map(\.battery.level) }

  @Test("executes steps at their times, for all tags or for one") func times() throws {
    try world.play(Scenario(parsing: "battery 50\nat 1s battery 40\ntag 2 at 1.5s battery 30"))
    #expect(battery == [50, 50])
    time.advance(by: .milliseconds(999))
    #expect(battery == [50, 50])
    time.advance(by: .milliseconds(1))
    #expect(battery == [40, 40])
    time.advance(by: .seconds(1))
    #expect(battery == [40, 30])
  }

  @Test("waits for events, each time or once") func events_() throws {
    try world.play(Scenario(parsing: "after connected 1s rssi -70\nafter disconnected once battery 5"))
    world.tags[0].linkUp(capacity: 61)
    time.advance(by: .seconds(1))
    #expect(world.tags.map(\.rssi) == [-70, -60])
    world.tags[0].linkDown()
    time.advance(by: .zero)
    #expect(battery == [5, 80])
    try world.tags[0].perform(.battery(90, charging: nil))
    world.tags[0].linkUp(capacity: 61)
    world.tags[0].linkDown()
    time.advance(by: .zero)
    #expect(battery == [90, 80])
  }

  @Test("waits for the nth event, counted per tag") func nthEvent() throws {
    try world.play(Scenario(parsing: "after connected 2nd 1s battery 7"))
    for tag in world.tags { tag.linkUp(capacity: 61) }
    time.advance(by: .seconds(2))
    #expect(battery == [80, 80])
    for _ in 0..<2 {
      world.tags[1].linkDown()
      world.tags[1].linkUp(capacity: 61)
      time.advance(by: .seconds(1))
      #expect(battery == [80, 7])
      try world.tags[1].perform(.battery(7, charging: nil))
    }
  }

  @Test("keeps the order of lines with the same time") func order() throws {
    try world.play(Scenario(parsing: "after connected battery 3\nafter connected once battery 2"))
    world.tags[0].linkUp(capacity: 61)
    time.advance(by: .zero)
    #expect(battery == [2, 80])
  }

  @Test("repeats, and stops") func repetition() throws {
    try world.play(Scenario(parsing: "gear attach levis-trucker\nevery 100ms touch sweep for 1s"))
    time.advance(by: .seconds(5))
    #expect(world.tags[0].attachment?.touchSequence == 10)
  }

  @Test("repeats several steps concurrently, also from one-line scripts") func repetitions() throws {
    _ = try world.control("gear attach levis-trucker")
    _ = try world.control("every 100ms touch sweep for 1s")
    _ = try world.control("every 200ms touch sweep for 1s")
    time.advance(by: .seconds(5))
    #expect(world.tags[0].attachment?.touchSequence == 15)
  }

  @Test("restarts a repetition when its event occurs again") func repetitionAgain() throws {
    try world.play(Scenario(parsing: "gear attach levis-trucker\nafter connected every 100ms touch sweep for 1s"))
    for _ in 0..<2 {
      world.tags[0].linkUp(capacity: 61)
      time.advance(by: .milliseconds(450))
      world.tags[0].linkDown()
    }
    time.advance(by: .seconds(5))
    #expect(world.tags[0].attachment?.touchSequence == 15)
  }

  @Test("undoes temporary actions") func lasting() throws {
    try world.play(Scenario(parsing: "at 1s out-of-range for 5s"))
    time.advance(by: .seconds(1))
    #expect(!world.tags[0].isReachable)
    time.advance(by: .seconds(5))
    #expect(world.tags[0].isReachable)
  }

  @Test("undoes a temporary action each time that it is repeated") func lastingAgain() throws {
    try world.play(Scenario(parsing: "at 10s every 10s out-of-range for 5s"))
    time.advance(by: .seconds(5))
    for _ in 0..<3 {
      time.advance(by: .seconds(5))
      #expect(!world.tags[0].isReachable)
      time.advance(by: .seconds(5))
      #expect(world.tags[0].isReachable)
    }
  }

  @Test("reports impossible steps, and continues") func nonsense() throws {
    try world.play(Scenario(parsing: "at 1s gesture cover\nat 2s battery 3\nat 1s bluetoothd kill"))
    time.advance(by: .seconds(3))
    #expect(
      events.lines == [
        "line 1: no gear is attached", "line 3: there is no simulated Bluetooth daemon or adapter here",
      ])
    #expect(battery == [3, 3])
  }

  @Test("refuses an unknown tag") func unknownTag() throws {
    #expect(throws: ScenarioError(line: 1, message: "there is no tag 3")) {
      try world.play(Scenario(parsing: "tag 3 battery 1"))
    }
  }

  @Test("runs faster with a scaled clock") func scale() throws {
    let loop = try EventLoop(clock: .virtual(time))
    let world = SimulatedWorld(clock: SimulationClock(loop, scale: 10))
    try world.play(Scenario(parsing: "at 10s battery 1"))
    time.advance(by: .seconds(1))
    #expect(world.tags[0].battery.level == 1)
    #expect(world.clock.now == .seconds(10))
  }

  @Test("accepts the built-in scenarios", arguments: BuiltInScenarios.all.map(\.name)) func builtIn(name: String) throws
  {
    let text = try #require(BuiltInScenarios.named(name))
    world.perform = { _ in }
    try world.play(Scenario(parsing: text))
    for tag in world.tags {
      tag.linkUp(capacity: 61)
      for characteristic in TagCharacteristic.notifying { tag.setNotifying(true, on: characteristic) }
      for request in Example.setUp {
        tag.write(bytes(hex: request)!, to: .command, type: .request)
        time.advance(by: .zero)
      }
    }
    time.advance(by: .seconds(20))
    #expect(events.lines.isEmpty)
  }

  @Test("executes control lines and replies with the state") func control() throws {
    #expect(try world.control("battery 44") == "")
    #expect(battery == [44, 44])
    #expect(try world.control("stats").hasPrefix("01ZK links=0 requests=0"))
    #expect(try world.control("  # nothing") == "")
    #expect(throws: TagActionError("no gear is attached")) { try world.control("gesture cover") }
  }
}
