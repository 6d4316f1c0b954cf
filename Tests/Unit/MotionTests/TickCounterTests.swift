import Motion
import Testing

@Suite("The tag's clock")
struct TickCounterTests {
  private var counter = TickCounter()

  private func expect(
    _ step: TickCounter.Step, _ expected: TickCounter.Step, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(step == expected, sourceLocation: location)
  }

  private static func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

  @Test("continues when it wraps") mutating func wrap() {
    expect(counter.advance(to: 0xffff_fff0, arrival: 0), .first)
    expect(counter.advance(to: 0x10, arrival: 1_000_000), .forward)
    #expect(counter.ticks == 0x1_0000_0010)
  }

  @Test("continues when it wraps during a lost link, however often") mutating func wraps() {
    let wrap = Double(1 << 32) / 31250
    expect(counter.advance(to: 500, arrival: 0), .first)
    expect(counter.advance(to: 600, arrival: Self.nanoseconds(3 * wrap * 1.0001)), .forward)
    #expect(counter.ticks == 3 << 32 + 600)
  }

  @Test("restarts with the tag", arguments: [10.0, 3600, 100_000]) mutating func restart(after uptime: Double) {
    expect(counter.advance(to: UInt32(uptime * 31250), arrival: 0), .first)
    expect(counter.advance(to: 4 * 31250, arrival: Self.nanoseconds(8)), .restarted)
    #expect(counter.ticks == 4 * 31250)
    expect(counter.advance(to: 4 * 31250 + 156, arrival: Self.nanoseconds(8)), .forward)
  }

  @Test("does not restart when values are late", arguments: [0.0, 1, 30]) mutating func late(_ seconds: Double) {
    expect(counter.advance(to: 91368, arrival: 0), .first)
    expect(counter.advance(to: 91368 + 156, arrival: Self.nanoseconds(seconds)), .forward)
    expect(counter.advance(to: 91368 + 31250 * 30, arrival: Self.nanoseconds(30)), .forward)
  }

  @Test("does not restart when the machine was suspended") mutating func suspended() {
    expect(counter.advance(to: 1_000_000, arrival: 0), .first)
    expect(counter.advance(to: 1_000_000 + 31250 * 3600, arrival: Self.nanoseconds(1)), .forward)
    #expect(counter.ticks == 1_000_000 + 31250 * 3600)
  }

  @Test("does not count a value that arrives again") mutating func repeated() {
    expect(counter.advance(to: 1_000_000, arrival: 0), .first)
    expect(counter.advance(to: 1_000_156, arrival: 0), .forward)
    expect(counter.advance(to: 1_000_000, arrival: 1), .repeated)
    expect(counter.advance(to: 1_000_156, arrival: 1), .repeated)
    #expect(counter.ticks == 1_000_156)
  }

  @Test("in a file advances by less than half a wrap, or restarts") mutating func file() {
    expect(counter.advance(to: 0xffff_fff0), .first)
    expect(counter.advance(to: 0xffff_fff0), .repeated)
    expect(counter.advance(to: 0x10), .forward)
    expect(counter.advance(to: 0x8000_000f), .forward)
    #expect(counter.ticks == 0x1_8000_000f)
    expect(counter.advance(to: 0x10), .restarted)
    #expect(counter.ticks == 0x10)
  }

  @Test("does not restart within a stream when a value of its first seconds arrives again or late")
  mutating func repeatedEarly() {
    expect(counter.advance(to: 3 * 31250, arrival: 0), .first)
    expect(counter.advance(to: 4 * 31250, arrival: Self.nanoseconds(1)), .forward)
    expect(counter.advance(to: 3 * 31250, arrival: Self.nanoseconds(1.1)), .repeated)
    expect(counter.advance(to: 31250, arrival: Self.nanoseconds(4)), .repeated)
    #expect(counter.ticks == 4 * 31250)
  }

  @Test("restarts between two streams, also within its first seconds") mutating func restartedEarly() {
    expect(counter.advance(to: 4 * 31250, arrival: 0), .first)
    counter.streamBegins()
    expect(counter.advance(to: 2 * 31250, arrival: Self.nanoseconds(3)), .restarted)
    expect(counter.advance(to: 2 * 31250 - 156, arrival: Self.nanoseconds(3)), .repeated)
    #expect(counter.ticks == 2 * 31250)
  }
}
