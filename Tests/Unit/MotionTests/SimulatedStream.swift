import Motion
import TestWorld

/// A streaming tag, over a radio with losses and delays. Times are in seconds of the host's clock.
struct SimulatedStream {
  struct Value {
    var bytes: [UInt8]
    /// The time of arrival in nanoseconds.
    var arrival: Int64
    /// The indices of the samples in the value.
    var indices: Range<Int>
  }

  var samplesPerSecond = 200.0
  /// The relative excess of the tag's clock over 31250 Hz.
  var drift = 0.0
  /// The maximum irregularity of a sample's reading, in ticks.
  var jitter = 3
  var samplesPerValue = 3
  var firstTicks = 1_000_000.0
  /// The fraction of values that is lost.
  var loss = 0.0
  var delay: ClosedRange<Double> = 0...0.06
  /// The time during which no value arrives.
  var outage: Range<Double>?
  /// The time at which the tag restarts, with its clock at zero.
  var restart: Double?
  /// The time at which the host's clock jumps, and the distance.
  var jump: (at: Double, by: Double)?

  private var random: SeededRandom
  private var index = 0
  private var previousArrival = Int64.min

  init(seed: UInt64 = 1) { random = SeededRandom(seed: seed) }

  /// When a sample was taken, in seconds.
  func time(_ index: Int) -> Double { Double(index) / samplesPerSecond }

  func hostTime(_ time: Double) -> Int64 {
    let jumped = jump.map { time >= $0.at ? $0.by : 0 } ?? 0
    return Int64(((1000 + time + jumped) * 1e9).rounded())
  }

  private mutating func ticks(_ index: Int) -> UInt32 {
    let time = time(index)
    let irregular = Double(Int.random(in: -jitter...jitter, using: &random))
    let since = restart.map { time >= $0 ? time - $0 : nil } ?? nil
    let exact = since.map { $0 * 31250 * (1 + drift) + 2 } ?? firstTicks + time * 31250 * (1 + drift)
    return UInt32(truncatingIfNeeded: Int64((exact + irregular).rounded()))
  }

  /// The next value that arrives.
  mutating func next() -> Value {
    while true {
      let indices = index..<index + samplesPerValue
      index += samplesPerValue
      var bytes: [UInt8] = [0xc0, UInt8(16 * samplesPerValue)]
      for index in indices {
        MotionSample(
          acceleration: .init(x: Int16(truncatingIfNeeded: index), y: 0, z: 2048), rotation: .init(x: 0, y: 0, z: 0),
          ticks: ticks(index)
        ).append(to: &bytes)
      }
      let sent = time(indices.upperBound - 1)
      let isLost = Double.random(in: 0..<1, using: &random) < loss
      let arrival = sent + Double.random(in: delay, using: &random)
      if isLost || outage?.contains(sent) == true { continue }
      // Values do not overtake each other.
      let arrived = jump.map { arrival >= $0.at && sent < $0.at } == true ? hostTime(sent) : hostTime(arrival)
      return Value(bytes: bytes, arrival: arrived, indices: indices)
    }
  }
}
