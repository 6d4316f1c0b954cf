/// Samples that the tag took and that did not arrive.
public struct Gap: Hashable, Sendable {
  /// The most likely number of them.
  public var missing: Int
  /// How far the number may be wrong: 0 if it is exact.
  public var uncertainty: Int
  /// The ticks of the last sample before the gap and of the first after it.
  public var ticks: ClosedRange<Int64>

  public init(missing: Int, uncertainty: Int, ticks: ClosedRange<Int64>) {
    self.missing = missing
    self.uncertainty = uncertainty
    self.ticks = ticks
  }
}
