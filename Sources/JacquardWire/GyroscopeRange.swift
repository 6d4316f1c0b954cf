/// The rotation that the largest count stands for, by the number the tag uses.
public struct GyroscopeRange: RawRepresentable, Hashable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Nil for a number outside the table.
  public var degreesPerSecond: Double? { rawValue < Self.table.count ? Self.table[Int(rawValue)] : nil }

  /// No source states the scale; this takes the counts to span the range.
  public var countsPerDegreePerSecond: Double? { degreesPerSecond.map { 32768 / $0 } }

  private static let table: [Double] = [125, 250, 500, 1000, 2000]
}
