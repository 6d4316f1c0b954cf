import JacquardWire
import Motion
import TestWorld
import Testing

@Suite("Gaps in a stream")
struct GapDetectorTests {
  private struct Missing: Equatable {
    var reported: Int
    var actual: Int
    var uncertainty: Int
    /// When the sample after the gap was taken, in seconds after the first one.
    var at: Double
    var seconds: Double
  }

  /// The reported gaps of a stream, and the actual ones.
  private func gaps(_ stream: SimulatedStream, seconds: Double) -> [Missing] {
    var stream = stream
    var timeline = StreamTimeline()
    var gaps: [Missing] = []
    var actual: [Missing] = []
    var previous: Int?
    while true {
      let value = stream.next()
      let begin = stream.time(value.indices.lowerBound)
      if let previous, value.indices.lowerBound > previous + 1 {
        let missing = value.indices.lowerBound - previous - 1
        actual.append(
          Missing(
            reported: 0, actual: missing, uncertainty: 0, at: begin,
            seconds: Double(missing) / stream.samplesPerSecond))
      }
      previous = value.indices.upperBound - 1
      value.bytes.withUnsafeBytes {
        timeline.receive($0, at: value.arrival) { event in
          if case .gap(let gap) = event {
            gaps.append(.init(reported: gap.missing, actual: 0, uncertainty: gap.uncertainty, at: 0, seconds: 0))
          }
        }
      }
      if begin > seconds { break }
    }
    #expect(gaps.count == actual.count)
    return zip(gaps, actual).map { gap, actual in
      var gap = gap
      (gap.actual, gap.at, gap.seconds) = (actual.actual, actual.at, actual.seconds)
      return gap
    }
  }

  private static let rates = [25.0, 209, 836]

  @Test("are counted exactly", arguments: rates, [0.001, 0.01, 0.1])
  func losses(_ rate: Double, _ loss: Double) {
    var stream = SimulatedStream(seed: UInt64(rate) + UInt64(loss * 1000))
    stream.samplesPerSecond = rate
    stream.loss = loss
    let gaps = gaps(stream, seconds: max(10_000, 20 / loss) / rate)
    #expect(gaps.count > 1)
    for gap in gaps where gap.at - gap.seconds > 2 && gap.seconds <= 1 {
      #expect(gap.reported == gap.actual && gap.uncertainty == 0, "\(gap)")
    }
  }

  @Test("of up to a second are counted exactly after two seconds", arguments: rates, [0.2, 0.98])
  func seconds(_ rate: Double, _ length: Double) {
    for begin in [2.05, 10] {
      for seed in 1...2 as ClosedRange<UInt64> {
        var stream = SimulatedStream(seed: seed)
        stream.samplesPerSecond = rate
        stream.outage = begin..<begin + length
        let gaps = gaps(stream, seconds: begin + length + 1)
        #expect(gaps.count == 1)
        #expect(gaps.allSatisfy { $0.reported == $0.actual && $0.uncertainty == 0 }, "\(begin): \(gaps)")
      }
    }
  }

  @Test("that last longer are counted within the reported uncertainty", arguments: rates, [1.5, 5, 30])
  func long(_ rate: Double, _ length: Double) throws {
    for seed in 1...2 as ClosedRange<UInt64> {
      var stream = SimulatedStream(seed: seed)
      stream.samplesPerSecond = rate
      stream.outage = 10..<10 + length
      let gaps = gaps(stream, seconds: length + 12)
      #expect(gaps.count == 1)
      for gap in gaps {
        #expect(abs(gap.reported - gap.actual) <= gap.uncertainty, "\(gap)")
        #expect(Double(gap.uncertainty) <= 1 + 0.001 * Double(gap.actual), "\(gap)")
      }
    }
  }

  @Test("are not found in a recording without any") func recording() throws {
    let bytes = try DataFile.bytes("tag-recording-1.bin")
    let samples = try bytes.withUnsafeBytes { try MotionFile($0) }.actions[0].samples
    var detector = GapDetector()
    let gaps = samples.flatMap { detector.add(Int64($0.ticks)) }
    #expect(gaps == [])
    #expect(abs(try #require(detector.period) - 156.65) < 0.05)
  }

  @Test("in a recording are counted exactly", arguments: [1, 2, 10, 50, 100, 199])
  func cutRecording(_ missing: Int) throws {
    let bytes = try DataFile.bytes("tag-recording-1.bin")
    let samples = try bytes.withUnsafeBytes { try MotionFile($0) }.actions[0].samples
    for begin in stride(from: 400, to: 1698 - missing, by: 37) {
      var detector = GapDetector()
      let gaps = (samples[..<begin] + samples[(begin + missing)...]).flatMap { detector.add(Int64($0.ticks)) }
      #expect(gaps.map(\.missing) == [missing])
      #expect(gaps.map(\.uncertainty) == [0])
    }
  }

  @Test("among the first samples are found as well") func early() {
    var detector = GapDetector()
    let ticks = [0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12].map { Int64($0) * 157 }
    let gaps = ticks.flatMap { detector.add($0) }
    #expect(gaps == [Gap(missing: 2, uncertainty: 0, ticks: 314...785)])
  }

  @Test("between two streams are not a whole number of periods, and do not change the period", arguments: [9, 100])
  func newStream(_ count: Int) throws {
    var detector = GapDetector()
    var ticks: Int64 = 0
    var gaps: [Gap] = []
    for _ in 0..<3 {
      for _ in 0..<count {
        gaps += detector.add(ticks)
        ticks += 1250
      }
      ticks += 5 * 1250 + 600
      detector.lineEnds()
    }
    #expect(gaps.count == 2)
    for gap in gaps { #expect((5...6).contains(gap.missing) && gap.uncertainty == 1) }
    #expect(abs(try #require(detector.period) - 1250) < 0.001)
  }

  @Test("are measured in the new period when the rate rises") func rateChange() throws {
    var detector = GapDetector()
    var ticks: Int64 = 0
    for period: Int64 in [1250, 312, 39] {
      for _ in 0..<1000 {
        ticks += period
        _ = detector.add(ticks)
      }
      #expect(abs(try #require(detector.period) - Double(period)) < 0.5)
    }
  }
}
