import CJacquard

/// The samples of one stream: each once, in the order of the tag's clock, or reported as missing.
struct StreamLedger {
  /// In ticks, at 25 samples a second.
  private static let period = 1250.0
  /// Gaps among the first samples are reported when their median is known.
  private static let bootstrapCount = 9

  private var first: Int64 = 0
  private var last: Int64 = 0
  private var count = 0
  private var missing = 0.0
  /// By how much `missing` may be wrong: after a gap the tag may have begun again, between two samples.
  private var tolerance = 0.0

  mutating func take(_ event: jacquard_motion_event, _ promise: Promise) {
    func fail(_ what: String) { promise.program.stage.fail("stream #\(promise.number) \(what)") }
    switch event.type {
    case JACQUARD_MOTION_EVENT_RESTART: self = StreamLedger()
    case JACQUARD_MOTION_EVENT_GAP:
      missing += Double(event.missing)
      tolerance += Double(event.missing_uncertainty) + 1
    default:
      for sample in UnsafeBufferPointer(start: event.samples, count: event.count) {
        if count == 0 {
          first = sample.ticks
        } else if sample.ticks <= last {
          fail("delivered \(sample.ticks) after \(last)")
        }
        last = sample.ticks
        count += 1
      }
      let taken = (Double(last - first) / Self.period).rounded() + 1
      if count >= Self.bootstrapCount, abs(Double(count) + missing - taken) > tolerance {
        fail("delivered \(count) samples and reported \(missing) missing, but the tag took \(taken)")
      }
    }
  }
}
