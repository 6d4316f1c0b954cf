import CJacquard

/// Settings of the motion sensor. All of them are written for each capture.
public struct MotionSettings: Sendable, Hashable {
  /// The low-pass filter, for both sensors.
  public var filter = MotionFilter.normal
  /// 0.78, 1.56, 3.12, 6.25, 12.5, 25, 50, 100, 200, 400, 800 or 1600 Hz; 0: unknown, or 25.
  public var accelerometerRate = 25.0
  /// 25, 50, 100, 200, 400, 800, 1600 or 3200 Hz; 0: unknown, or 25.
  public var gyroscopeRate = 25.0
  /// 2, 4, 8 or 16 g; 0: unknown, or 16. 32768 counts of a sample are this range.
  public var accelerometerRange = 16.0
  /// 125, 250, 500, 1000 or 2000 degrees per second; 0: unknown, or 2000.
  public var gyroscopeRange = 2000.0

  /// The defaults.
  public init() {}

  init(_ settings: jacquard_motion_settings) {
    filter = MotionFilter(rawValue: settings.filter)
    accelerometerRate = settings.accelerometer_rate
    gyroscopeRate = settings.gyroscope_rate
    accelerometerRange = settings.accelerometer_range
    gyroscopeRange = settings.gyroscope_range
  }

  var cStruct: jacquard_motion_settings {
    var settings = sized(jacquard_motion_settings.self)
    settings.filter = filter.rawValue
    settings.accelerometer_rate = accelerometerRate
    settings.gyroscope_rate = gyroscopeRate
    settings.accelerometer_range = accelerometerRange
    settings.gyroscope_range = gyroscopeRange
    return settings
  }
}

/// A recording on the tag, identified by five strings of 1 to 30 bytes.
public struct Session: Sendable, Hashable {
  /// trial_id in the tag's protocol.
  public var name: String
  /// The campaign; "jacquard" by default, as the next three strings.
  public var campaign = "jacquard"
  /// session_id in the tag's protocol.
  public var group = "jacquard"
  /// The person or thing that moves.
  public var subject = "jacquard"
  /// The product that the tag is attached to.
  public var product = "jacquard"
  /// The size in bytes; 0 for a new recording, which cannot be downloaded.
  public private(set) var size = 0
  /// CRC-16; nil if the tag reported none, or for a new recording.
  public private(set) var checksum: Int32?

  /// A new recording.
  public init(_ name: String) {
    self.name = name
  }

  init(_ session: jacquard_session) {
    name = text(session.name)
    campaign = text(session.campaign)
    group = text(session.group)
    subject = text(session.subject)
    product = text(session.product)
    size = Int(session.size)
    checksum = session.checksum < 0 || session.size == 0 ? nil : session.checksum
  }

  func withStruct<Value>(
    _ body: (UnsafePointer<jacquard_session>) throws(JacquardError) -> Value
  ) throws(JacquardError) -> Value {
    try withStrings([name, campaign, group, subject, product]) { strings throws(JacquardError) in
      var session = sized(jacquard_session.self)
      session.name = strings[0]!
      session.campaign = strings[1]
      session.group = strings[2]
      session.subject = strings[3]
      session.product = strings[4]
      session.size = UInt32(clamping: size)
      session.checksum = size == 0 ? 0 : checksum ?? -1
      return try body(&session)
    }
  }
}

/// The state of a tag's motion capture.
public struct MotionStatus: Sendable, Hashable {
  /// The tag's activity.
  public let activity: MotionActivity
  /// The status number that the tag reported.
  public let code: UInt32
  /// The meaning of that number, such as "low storage".
  public let text: String

  init(_ status: jacquard_motion_status) {
    activity = MotionActivity(rawValue: status.activity)
    code = status.code
    text = JacquardTags.text(status.text)
  }
}

/// Three axes.
public struct MotionVector: Sendable, Hashable {
  /// x, or roll.
  public var x: Int16
  /// y, or pitch.
  public var y: Int16
  /// z, or yaw.
  public var z: Int16

  /// Three numbers.
  public init(_ x: Int16, _ y: Int16, _ z: Int16) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  init(_ axes: (Int16, Int16, Int16)) {
    self.init(axes.0, axes.1, axes.2)
  }

  var axes: (Int16, Int16, Int16) { (x, y, z) }
}

/// A sample of a motion stream.
public struct MotionSample: Sendable, Hashable {
  /// 32768 counts are the range of the accelerometer.
  public let acceleration: MotionVector
  /// 32768 counts are the range of the gyroscope.
  public let rotation: MotionVector
  /// The tag's clock since its last restart, without wrapping.
  public let ticks: Int64
  /// When it arrived, in nanoseconds of CLOCK_BOOTTIME.
  public let arrivalNanoseconds: Int64
  /// Fitted time of the measurement plus the link's shortest delay, on the same clock.
  public let timeNanoseconds: Int64

  init(_ sample: jacquard_motion_sample) {
    acceleration = MotionVector(sample.acceleration)
    rotation = MotionVector(sample.rotation)
    ticks = sample.ticks
    arrivalNanoseconds = sample.arrival_ns
    timeNanoseconds = sample.time_ns
  }
}

/// An event of a motion stream.
public enum MotionEvent: Sendable, Hashable {
  /// Samples, in order, with the estimated numbers of ticks and samples per second; the second one is 0 at first.
  case samples([MotionSample], ticksPerSecond: Double, samplesPerSecond: Double)
  /// Samples were lost, about this number, with its possible error.
  case gap(missing: UInt64, uncertainty: UInt64)
  /// The tag's clock was reset: ticks cannot be compared with earlier ones.
  case restart

  /// nil for a type that this version does not know.
  init?(_ event: jacquard_motion_event) {
    switch event.type {
    case JACQUARD_MOTION_EVENT_SAMPLES.rawValue:
      self = .samples(
        elements(event.samples, event.count).map(MotionSample.init), ticksPerSecond: event.ticks_per_second,
        samplesPerSecond: event.samples_per_second)
    case JACQUARD_MOTION_EVENT_GAP.rawValue:
      self = .gap(missing: event.missing, uncertainty: event.missing_uncertainty)
    case JACQUARD_MOTION_EVENT_RESTART.rawValue: self = .restart
    default: return nil
    }
  }
}
