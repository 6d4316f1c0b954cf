/// The loadable firmware module that records and streams motion.
public enum IMUModule: Sendable {
  /// Google's vendor ID, which identifies the module together with its product and number.
  public static let vendor = PartID(rawValue: 0x1178_30c8)
  public static let product = PartID(rawValue: 0xef3e_5b88)
  /// The number of the module within its product.
  public static let module = PartID(rawValue: 0x3d0b_e753)
}

/// The accelerometer's range, by the tag's number for it: the acceleration at the largest count.
public struct AccelerometerRange: RawRepresentable, Hashable, Sendable {
  /// The tag's number for the range; it may be unknown to this version.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The range in multiples of standard gravity; nil for an unknown number. No source states how many counts that is;
  /// they are assumed to span the range: a tag at rest reads 1.05 g with 2048 counts at ±16 g.
  public var gravities: Double? { rawValue < Self.table.count ? Self.table[Int(rawValue)] : nil }

  /// Nil unless the tag offers exactly this range.
  public init?(gravities: Double) {
    guard let index = Self.table.firstIndex(of: gravities) else { return nil }
    self.init(rawValue: UInt32(index))
  }

  /// The ranges that the tag offers, in ascending order.
  public static let all = table.indices.map { AccelerometerRange(rawValue: UInt32($0)) }

  private static let table: [Double] = [2, 4, 8, 16]
}

/// The accelerometer's sampling rate, by the tag's number for it.
public struct AccelerometerRate: RawRepresentable, Hashable, Sendable {
  /// The tag's number for the rate; it may be unknown to this version.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Nil for an unknown number.
  public var hertz: Double? { rawValue < Self.table.count ? Self.table[Int(rawValue)] : nil }

  /// Nil unless the tag supports exactly this rate.
  public init?(hertz: Double) {
    guard let index = Self.table.firstIndex(of: hertz) else { return nil }
    self.init(rawValue: UInt32(index))
  }

  /// The rates that the tag offers, in ascending order.
  public static let all = table.indices.map { AccelerometerRate(rawValue: UInt32($0)) }

  private static let table = [0.78, 1.56, 3.12, 6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600]
}

/// The gyroscope's range, by the tag's number for it: the angular rate at the largest count.
public struct GyroscopeRange: RawRepresentable, Hashable, Sendable {
  /// The tag's number for the range; it may be unknown to this version.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Nil for an unknown number.
  public var degreesPerSecond: Double? { rawValue < Self.table.count ? Self.table[Int(rawValue)] : nil }

  /// Nil unless the tag offers exactly this range.
  public init?(degreesPerSecond: Double) {
    guard let index = Self.table.firstIndex(of: degreesPerSecond) else { return nil }
    self.init(rawValue: UInt32(index))
  }

  /// The ranges that the tag offers, in ascending order.
  public static let all = table.indices.map { GyroscopeRange(rawValue: UInt32($0)) }

  private static let table: [Double] = [125, 250, 500, 1000, 2000]
}

/// The gyroscope's sampling rate, by the tag's number for it.
public struct GyroscopeRate: RawRepresentable, Hashable, Sendable {
  /// The tag's number for the rate; it may be unknown to this version.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Nil for an unknown number.
  public var hertz: Double? { rawValue < Self.table.count ? Self.table[Int(rawValue)] : nil }

  /// Nil unless the tag supports exactly this rate.
  public init?(hertz: Double) {
    guard let index = Self.table.firstIndex(of: hertz) else { return nil }
    self.init(rawValue: UInt32(index))
  }

  /// The rates that the tag offers, in ascending order.
  public static let all = table.indices.map { GyroscopeRate(rawValue: UInt32($0)) }

  private static let table: [Double] = [25, 50, 100, 200, 400, 800, 1600, 3200]
}

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
