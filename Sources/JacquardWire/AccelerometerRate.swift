/// The accelerometer's sampling rate, by the tag's number for it.
public struct AccelerometerRate: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Nil for an unknown number.
  public var hertz: Double? { rawValue < Self.table.count ? Self.table[Int(rawValue)] : nil }

  /// Nil unless the tag supports exactly this rate.
  public init?(hertz: Double) {
    guard let index = Self.table.firstIndex(of: hertz) else { return nil }
    self.init(rawValue: UInt32(index))
  }

  public static let all = table.indices.map { AccelerometerRate(rawValue: UInt32($0)) }

  private static let table = [0.78, 1.56, 3.12, 6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600]
}
