import JacquardWire
import Testing
import TestWorld
import WireFormat

@testable import TagSimulator

extension SoftwareTagTests {
  // MARK: - Gear

  @Test("gives gear a new component ID each time, and drops the old one") func componentIDs() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.attach(Gear.known[2], component: nil))
    try fixture.tag.perform(.detach)
    try fixture.tag.perform(.attach(Gear.known[2], component: nil))
    let attached = try notifications(fixture).map(\.attached)
    #expect(attached.map(\.attachState) == [true, false, true])
    #expect(attached.map(\.componentID) == [101, 0, 102])
    let late = try ask(fixture, 8, 4, component: 101) { $0.deviceInfo.component = 101 }
    #expect(late?.status == 6)
    #expect(fixture.breaches.isEmpty, "gear may be pulled out at any time")
    let info = try #require(try ask(fixture, 8, 4, component: 102) { $0.deviceInfo.component = 102 })
    #expect(info.componentID == 102 && info.deviceInfo.vendorID == 0xfb57_a112)
  }

  @Test("plays LED patterns and vibrations, and records them") func lightsAndHaptics() throws {
    let fixture = try SoftwareTagFixture()
    try fixture.tag.perform(.attach(Gear.known[2], component: 101))
    fixture.setUp()
    fixture.command(
      "80 4f 08 08 10 05 18 0b 20 65 b2 07 44 10 07 1a 0c 0a 07 08 ff 01 10 00 18 00 10 fa 01 1a 0c 0a 07 08 00 10 ff "
        + "01 18 00 10 fa 01 1a 0c 0a 07 08 00 10 00 18 ff 01 10 fa 01 1a 0b 0a 06")
    fixture.command("41 08 00 10 00 18 00 10 fa 01 28 f0 2e 30 64 40 01 48 00 50 00")
    fixture.command("c0 18 08 08 10 06 18 0c 20 65 d2 38 0d 0a 0b 08 aa 01 10 1e 18 01 20 3c 28 01")
    #expect(fixture.breaches.isEmpty)
    let light = try #require(fixture.tag.journal.lights.first)
    #expect(light.component == 101 && light.pattern == 7 && light.durationMilliseconds == 6000)
    #expect(
      light.frames.map { [$0.red, $0.green, $0.blue] } == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0]])
    #expect(
      fixture.tag.journal.haptics == [
        .init(onMilliseconds: 170, offMilliseconds: 30, pattern: 1, amplitude: 60, repeats: 1)
      ])
  }

  @Test("refuses LED patterns on gear without LEDs") func noLight() throws {
    let fixture = try SoftwareTagFixture()
    try fixture.tag.perform(.attach(Gear.known[0], component: 101))
    fixture.setUp()
    let response = try ask(fixture, 8, 5, component: 101) {
      $0.ledPatternRequest.patternType = .solid
      $0.ledPatternRequest.haltAll = true
    }
    #expect(response?.status == 1)
    #expect(fixture.breaches.isEmpty)
  }

  @Test("refuses touches without gear") func noGear() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    #expect(throws: TagActionError("no gear is attached")) { try fixture.tag.perform(.gesture(1)) }
  }

  @Test("keeps the newest notifications, up to the configured number") func queueDepth() throws {
    let fixture = try SoftwareTagFixture()
    try fixture.tag.perform(.attach(Gear.known[0], component: 101))
    fixture.setUp()
    fixture.command(Example.continuousMode)
    fixture.command("c0 0d 08 00 10 0b 18 08 ea 44 04 12 02 50 02")
    _ = fixture.values(.response)
    fixture.tag.outbox.airTime = .milliseconds(10)
    for _ in 0..<20 { try fixture.tag.perform(.touchSweep) }
    fixture.time.advance(by: .seconds(1))
    let sequences = try notifications(fixture).map(\.data.touchData.sequence)
    #expect(sequences == [1, 19, 20])
    #expect(fixture.tag.journal.overflowed == 17)
  }
}
