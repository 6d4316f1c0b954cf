import JacquardWire

/// The settings of the motion sensor. The tag keeps the settings of other programs, so all of them are written each
/// time.
public struct MotionSettings: Equatable, Sendable {
  /// The sensor's low-pass filter, by the numbers of `jacquard_motion_filter`.
  public enum Filter: UInt32, CaseIterable, Sendable {
    case normal = 0
    case oversampling2 = 1
    case oversampling4 = 2

    /// The accelerometer's filter; `normal` if unknown.
    public init(_ configuration: WireImuConfiguration) {
      self = Self.allCases.first { UInt32($0.wire.rawValue) == configuration.accelFilterMode } ?? .normal
    }

    fileprivate var wire: WireImuFilterMode {
      switch self {
      case .normal: .imuFilterNormal
      case .oversampling2: .imuFilterOsr2
      case .oversampling4: .imuFilterOsr4
      }
    }
  }

  public var accelerometerRate: AccelerometerRate
  public var gyroscopeRate: GyroscopeRate
  public var accelerometerRange: AccelerometerRange
  public var gyroscopeRange: GyroscopeRange
  /// Applies to both sensors.
  public var filter: Filter

  /// Takes Hz, multiples of standard gravity and degrees per second. Throws for a value that the tag does not offer.
  public init(
    accelerometerHertz: Double = 25, gyroscopeHertz: Double = 25, gravities: Double = 16,
    degreesPerSecond: Double = 2000, filter: Filter = .normal
  ) throws(JacquardError) {
    func required<Value>(
      _ value: Value?, _ name: String, _ given: Double, _ offered: [Double]
    ) throws(JacquardError) -> Value {
      if let value { return value }
      let list = offered.map { $0 == $0.rounded() ? "\(Int($0))" : "\($0)" }.joined(separator: ", ")
      throw JacquardError.invalid("\(name) is \(given); expected one of \(list).")
    }
    accelerometerRate = try required(
      AccelerometerRate(hertz: accelerometerHertz), "The accelerometer's rate in Hz", accelerometerHertz,
      AccelerometerRate.all.compactMap(\.hertz))
    gyroscopeRate = try required(
      GyroscopeRate(hertz: gyroscopeHertz), "The gyroscope's rate in Hz", gyroscopeHertz,
      GyroscopeRate.all.compactMap(\.hertz))
    accelerometerRange = try required(
      AccelerometerRange(gravities: gravities), "The accelerometer's range in g", gravities,
      AccelerometerRange.all.compactMap(\.gravities))
    gyroscopeRange = try required(
      GyroscopeRange(degreesPerSecond: degreesPerSecond), "The gyroscope's range in degrees per second",
      degreesPerSecond, GyroscopeRange.all.compactMap(\.degreesPerSecond))
    self.filter = filter
  }

  var wire: WireImuConfiguration {
    .with {
      $0.sensorID = 0
      $0.accelLowPowerMode = false
      $0.accelFilterMode = UInt32(filter.wire.rawValue)
      $0.accelSampleRate = accelerometerRate.rawValue
      $0.accelRange = accelerometerRange.rawValue
      $0.gyroLowPowerMode = false
      $0.gyroFilterMode = UInt32(filter.wire.rawValue)
      $0.gyroSampleRate = gyroscopeRate.rawValue
      $0.gyroRange = gyroscopeRange.rawValue
    }
  }
}
