/// Converts the values of a motion stream to samples with times, and reports missing samples.
///
/// It outlives links: a stream that resumes after a lost link continues with a gap.
public struct StreamTimeline: Sendable {
  /// A sample, with the time at which it arrived and the time at which it was taken.
  public struct Reading: Hashable, Sendable {
    public var sample: MotionSample
    /// The sample's ticks without the wrap of the tag's clock.
    public var ticks: Int64
    /// When the value arrived, in nanoseconds of a monotonic clock.
    public var arrival: Int64
    /// When the sample was taken, in nanoseconds of the same clock, as far as can be known (see `TimeFit`).
    public var time: Int64
  }

  /// A sample, or the reason why the next one does not continue the sequence.
  public enum Event: Hashable, Sendable {
    case sample(Reading)
    case gap(Gap)
    /// The tag's clock restarted, so ticks are not comparable with earlier ones.
    case restart
  }

  private var counter = TickCounter()
  private var gaps = GapDetector()
  private var fit = TimeFit()

  public init() {}

  /// See `TimeFit.ticksPerSecond`.
  public var ticksPerSecond: Double { fit.ticksPerSecond }

  /// Samples per second of the host's clock, nil before a few were received.
  public var samplesPerSecond: Double? { gaps.period.map { fit.ticksPerSecond / $0 } }

  /// The tag starts to stream again: its clock may have restarted, and its next sample may lie anywhere between two
  /// samples of the stream before.
  public mutating func streamBegins() {
    counter.streamBegins()
    gaps.lineEnds()
  }

  /// Calls `take` for each event of the value, in order. Samples that were already received are dropped.
  public mutating func receive(_ value: UnsafeRawBufferPointer, at arrival: Int64, _ take: (Event) -> Void) {
    let samples = StreamValue.samples(value)
    fitTime(samples, arrival)
    for sample in samples {
      switch counter.advance(to: sample.ticks, arrival: arrival) {
      case .repeated: continue
      case .restarted:
        gaps.restart()
        take(.restart)
      case .first, .forward: break
      }
      for gap in gaps.add(counter.ticks) { take(.gap(gap)) }
      take(
        .sample(
          Reading(
            sample: sample, ticks: counter.ticks, arrival: arrival, time: fit.time(of: counter.ticks) ?? arrival)))
    }
  }

  /// Runs before the samples are delivered, so that their times are computed with the line that includes them. The last
  /// sample of a value has the shortest delay.
  private mutating func fitTime(_ samples: MotionSamples, _ arrival: Int64) {
    var ahead = counter
    var isNew = false
    for sample in samples {
      switch ahead.advance(to: sample.ticks, arrival: arrival) {
      case .repeated: continue
      case .restarted: fit.restart()
      case .first, .forward: break
      }
      isNew = true
    }
    if isNew { fit.add(ticks: ahead.ticks, arrival: arrival) }
  }
}
