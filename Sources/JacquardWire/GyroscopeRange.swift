/// The gyroscope's range, by the tag's number for it: the angular rate at the largest count.
public struct GyroscopeRange: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Nil for an unknown number.
  public var degreesPerSecond: Double? { rawValue < Self.table.count ? Self.table[Int(rawValue)] : nil }

  /// Nil unless the tag offers exactly this range.
  public init?(degreesPerSecond: Double) {
    guard let index = Self.table.firstIndex(of: degreesPerSecond) else { return nil }
    self.init(rawValue: UInt32(index))
  }

  public static let all = table.indices.map { GyroscopeRange(rawValue: UInt32($0)) }

  private static let table: [Double] = [125, 250, 500, 1000, 2000]
}
