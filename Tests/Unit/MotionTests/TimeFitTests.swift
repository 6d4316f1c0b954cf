import Motion
import Testing

@Suite("The time of samples")
struct TimeFitTests {
  private struct Error {
    /// When the sample was taken, in seconds after the first one.
    var time: Double
    /// How much later the fitted time is, in milliseconds.
    var late: Double
  }

  private struct Fitted {
    var errors: [Error] = []
    var restarts = 0
    var timeline = StreamTimeline()

    func percentile(_ part: Double, from begin: Double = 0, to end: Double = .infinity) -> Double {
      let sorted = errors.filter { $0.time >= begin && $0.time < end }.map { abs($0.late) }.sorted()
      return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }

    func worst(from begin: Double, to end: Double = .infinity) -> Double { percentile(1, from: begin, to: end) }
  }

  private func fit(_ stream: SimulatedStream, seconds: Double) -> Fitted {
    var stream = stream
    var fitted = Fitted()
    while true {
      let value = stream.next()
      var index = value.indices.lowerBound
      value.bytes.withUnsafeBytes {
        fitted.timeline.receive($0, at: value.arrival) { event in
          switch event {
          case .sample(let reading):
            let time = stream.time(index)
            let error = Double(reading.time - stream.hostTime(time)) * 1e-6
            fitted.errors.append(Error(time: time, late: error))
            index += 1
          case .restart: fitted.restarts += 1
          case .gap: break
          }
        }
      }
      if stream.time(value.indices.upperBound) > seconds { return fitted }
    }
  }

  private func stream(_ seed: UInt64, drift: Double = 50e-6) -> SimulatedStream {
    var stream = SimulatedStream(seed: seed)
    stream.drift = drift
    return stream
  }

  @Test("is within 5 ms, and within 1 ms after a minute", arguments: [-50e-6, 50e-6], [1, 2] as [UInt64])
  func accuracy(_ drift: Double, _ seed: UInt64) {
    let fitted = fit(stream(seed, drift: drift), seconds: 120)
    #expect(fitted.percentile(0.99) < 5)
    #expect(fitted.worst(from: 60) < 1)
    #expect(abs(fitted.timeline.ticksPerSecond / (31250 * (1 + drift)) - 1) < 20e-6)
  }

  @Test("finds a rate that differs from the presumed one", arguments: [-0.05, 0.0486])
  func rate(_ drift: Double) {
    let fitted = fit(stream(1, drift: drift), seconds: 80)
    #expect(fitted.worst(from: 30) < 5)
    #expect(fitted.worst(from: 60) < 1)
    #expect(abs(fitted.timeline.ticksPerSecond / (31250 * (1 + drift)) - 1) < 20e-6)
  }

  @Test("survives a gap of 5 s") func gap() {
    var stream = stream(1)
    stream.outage = 65..<70
    let fitted = fit(stream, seconds: 80)
    #expect(fitted.restarts == 0)
    #expect(fitted.worst(from: 60) < 1)
  }

  @Test("survives a jump of the host's clock", arguments: [-3600, -0.2, 0.2, 5])
  func hostClockJump(_ by: Double) {
    var stream = stream(1)
    stream.jump = (65, by)
    let fitted = fit(stream, seconds: 130)
    #expect(fitted.restarts == 0)
    #expect(fitted.worst(from: 60, to: 64.9) < 1)
    #expect(fitted.worst(from: 70) < 5)
    #expect(fitted.worst(from: 125) < 1)
  }

  @Test("survives a restart of the tag") func tagRestart() {
    var stream = stream(1)
    stream.outage = 70..<78
    stream.restart = 71
    let fitted = fit(stream, seconds: 145)
    #expect(fitted.restarts == 1)
    #expect(fitted.worst(from: 60, to: 70) < 1)
    #expect(fitted.worst(from: 80) < 5)
    #expect(fitted.worst(from: 138) < 1)
  }

  @Test("survives a wrap of the tag's clock") func tickWrap() {
    var stream = stream(1)
    stream.firstTicks = 4_294_967_296 - 65 * 31250
    let fitted = fit(stream, seconds: 75)
    #expect(fitted.restarts == 0)
    #expect(fitted.worst(from: 60) < 1)
  }

  @Test("follows the shortest of delays of up to half a second") func longDelays() {
    var stream = stream(1)
    stream.delay = 0...0.5
    let fitted = fit(stream, seconds: 90)
    #expect(fitted.worst(from: 60) < 10)
  }

  @Test("is unknown before the first value") func unknown() {
    #expect(TimeFit().time(of: 5) == nil)
    #expect(!TimeFit().isKnown)
  }
}
