/// The pairs of rates that the vendor's applications offer.
public struct SamplingRate: Hashable, Sendable {
  public var accelerometer: AccelerometerRate
  public var gyroscope: GyroscopeRate

  public init(accelerometer: AccelerometerRate, gyroscope: GyroscopeRate) {
    self.accelerometer = accelerometer
    self.gyroscope = gyroscope
  }

  /// 25 Hz and 25 Hz.
  public static let low = SamplingRate(accelerometer: .init(rawValue: 5), gyroscope: .init(rawValue: 0))
  /// 100 Hz and 200 Hz.
  public static let medium = SamplingRate(accelerometer: .init(rawValue: 7), gyroscope: .init(rawValue: 3))
  /// 400 Hz and 800 Hz.
  public static let high = SamplingRate(accelerometer: .init(rawValue: 9), gyroscope: .init(rawValue: 5))
  /// 1600 Hz and 3200 Hz.
  public static let veryHigh = SamplingRate(accelerometer: .init(rawValue: 11), gyroscope: .init(rawValue: 7))
}
