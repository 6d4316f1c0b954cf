import EventLoop

/// The rate of a transfer over the last seconds, and how long the rest will take.
struct TransferRate {
  /// Shorter parts of a transfer vary with the radio, longer ones hide a change.
  private static let window: Duration = .seconds(10)

  private var samples: [(time: LoopInstant, bytes: Int)] = []

  /// After a pause, such as a lost link.
  mutating func restart() { samples = [] }

  mutating func note(_ bytes: Int, at time: LoopInstant) {
    if let last = samples.last, bytes < last.bytes { samples = [] }
    samples.append((time, bytes))
    if samples.count > 2, samples[1].time.duration(to: time) > Self.window { samples.removeFirst() }
  }

  /// Nil until it is known.
  var bytesPerSecond: Double? {
    guard let first = samples.first, let last = samples.last else { return nil }
    let time = first.time.duration(to: last.time)
    guard last.bytes > first.bytes, time > .zero else { return nil }
    return Double(last.bytes - first.bytes) / (time / .seconds(1))
  }
}
