import JacquardWire
import Testing
import TouchTracking

@testable import TagSimulator

extension PersonTests {
  // MARK: - The tag

  func tag(_ mode: String) throws -> SoftwareTagFixture {
    let fixture = try SoftwareTagFixture()
    try fixture.tag.perform(.attach(Gear.known[0], component: 101))
    fixture.setUp()
    fixture.command(mode)
    fixture.heard = []
    return fixture
  }

  private func data(_ fixture: SoftwareTagFixture) throws -> [WireDataChannelNotification] {
    try notifications(fixture).map(\.data)
  }

  @Test("is sensed by a tag in touch mode, at the times of the samples") func touchMode() throws {
    let fixture = try tag(Example.continuousMode)
    let expected = Person(2).perform([.swipeOut], seed: 7).samples
    try fixture.tag.perform(.stroke([.swipeOut], person: 2, seed: 7))
    var heard: [WireDataChannelNotification] = []
    var times: [Double] = []
    for step in 1...1000 {
      fixture.time.advance(by: .milliseconds(1))
      let new = try data(fixture)
      heard += new
      times += new.map { _ in Double(step) / 1000 }
    }
    #expect(heard.map(\.touchData.sequence) == expected.map(\.sequence))
    #expect(heard.map(\.touchData.diffDataScaled) == expected.map(\.values))
    #expect(zip(times, expected).allSatisfy { abs($0 - $1.time) < 0.0011 })
    #expect(heard.allSatisfy { !$0.hasInferenceData })
    #expect(fixture.breaches.isEmpty)
  }

  @Test(
    "is recognised by a tag in gesture mode only for its own gestures, at their end", arguments: Stroke.allCases)
  func gestureMode(_ stroke: Stroke) throws {
    let fixture = try tag(Example.gestureMode)
    try fixture.tag.perform(.stroke([stroke], person: 1, seed: 1))
    let length = Person(1).perform([stroke], seed: 1).length
    fixture.time.advance(by: .seconds(length) - .milliseconds(1))
    #expect(try data(fixture).isEmpty)
    fixture.time.advance(by: .seconds(1))
    let known: [Stroke: UInt32] = [.doubleTap: 1, .swipeIn: 2, .swipeOut: 3, .cover: 7]
    let heard = try data(fixture)
    #expect(heard.map(\.inferenceData.event) == known[stroke].map { [$0] } ?? [])
    #expect(heard.allSatisfy { !$0.hasTouchData })
  }

  @Test("makes one stroke at a time, and none on a sleeve without a tag") func oneAtATime() throws {
    let fixture = try tag(Example.continuousMode)
    try fixture.tag.perform(.stroke([.hold], person: 1, seed: nil))
    #expect(throws: TagActionError("the previous stroke has not ended")) {
      try fixture.tag.perform(.stroke([.tap], person: 1, seed: nil))
    }
    fixture.time.advance(by: .milliseconds(100))
    try fixture.tag.perform(.detach)
    fixture.heard = []
    fixture.time.advance(by: .seconds(5))
    #expect(try data(fixture).isEmpty)
    #expect(throws: TagActionError("no gear is attached")) {
      try fixture.tag.perform(.stroke([.tap], person: 1, seed: nil))
    }
  }

  @Test("makes a different stroke each time without a seed") func noSeed() throws {
    let fixture = try tag(Example.continuousMode)
    let made = try (0..<2).map { _ in
      try fixture.tag.perform(.stroke([.tap], person: 1, seed: nil))
      fixture.time.advance(by: .seconds(2))
      return try data(fixture).map(\.touchData.diffDataScaled)
    }
    #expect(made[0] != made[1] && !made[0].isEmpty)
  }

  // MARK: - What the tracker has learnt

  @Test(
    "is felt, whatever has touched the sleeve before",
    arguments: [[Stroke.press], [.cover], [.leaning], [.folding], [.leaning, .folding, .rubbing, .cover]])
  func feltAfterwards(strokes: [Stroke]) {
    #expect(tapsFelt(after: strokes) >= 198)
  }
}
