/// The accelerometer's range, by the tag's number for it: the acceleration at the largest count.
public struct AccelerometerRange: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// In multiples of standard gravity; nil for an unknown number. No source states how many counts that is; they are
  /// assumed to span the range: a tag at rest reads 1.05 g with 2048 counts at ±16 g.
  public var gravities: Double? { rawValue < Self.table.count ? Self.table[Int(rawValue)] : nil }

  /// Nil unless the tag offers exactly this range.
  public init?(gravities: Double) {
    guard let index = Self.table.firstIndex(of: gravities) else { return nil }
    self.init(rawValue: UInt32(index))
  }

  public static let all = table.indices.map { AccelerometerRange(rawValue: UInt32($0)) }

  private static let table: [Double] = [2, 4, 8, 16]
}
