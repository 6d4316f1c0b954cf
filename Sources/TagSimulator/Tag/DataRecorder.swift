import JacquardWire

/// The values of DataCollectionStatus that the tag uses.
enum RecorderStatus {
  static let idle: UInt32 = 0
  static let logging: UInt32 = 1
  static let transferring: UInt32 = 2
  static let erasing: UInt32 = 3
  static let invalidState: UInt32 = 5
  static let lowStorage: UInt32 = 6
  static let lowBattery: UInt32 = 7
}

/// The motion sensor, and the clock of its samples.
struct MotionSensor: Equatable {
  /// The tag's clock when the simulation begins.
  var firstTicks: UInt32 = 91368
  /// The clock's drift in parts per million.
  var drift = 0
  /// The rate's error in parts per thousand: a real sensor that was set to 200 Hz took 209 samples a second.
  var rateError = 0
  /// The number of lost values among a thousand of a stream.
  var loss = 0
  private var random: UInt64 = 1

  func period(rate: UInt32) -> Duration { SimulatedMotionFile.period(rate: rate) * 1000 / (1000 + rateError) }

  func ticks(in duration: Duration) -> UInt32 {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    let correction = nanoseconds / 1_000_000 * Int64(drift) * 31250 / 1_000_000_000
    return SimulatedMotionFile.ticks(in: duration) &+ UInt32(truncatingIfNeeded: correction)
  }

  /// Whether the next value is lost, by xorshift.
  mutating func losesValue() -> Bool {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    return Int(random % 1000) < loss
  }
}

/// The motion recorder: its state and the stored sessions.
struct DataRecorder {
  /// The maximum number of samples of one recording; later samples are dropped.
  static let capacity = 20_000

  struct Session {
    var campaign: String
    var group: String
    var trial: String
    var subject: String
    var product: String
    var file: [UInt8]
  }

  struct Run {
    var metadata: WireDataCollectionMetadata
    var since: Duration
    var ticks: UInt32
    var sensor: MotionSensor
    var isStreaming: Bool
  }

  var status = RecorderStatus.idle
  var sessions: [Session] = []
  var run: Run?
  var storageFull = false
  /// Nil if the end of an erase is not reported.
  var eraseReport: UInt32? = RecorderStatus.idle
  /// Reported instead of `status` in every response.
  var reported: UInt32?
  var sensor = MotionSensor()

  /// A recording that is interrupted by a reboot or an unloaded module is lost.
  mutating func interrupt() {
    run = nil
    status = RecorderStatus.idle
  }
}
