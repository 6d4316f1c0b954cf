/// Samples that the tag measured but that were not received.
public struct Gap: Hashable, Sendable {
  /// The most likely number of missing samples.
  public var missing: Int
  /// The maximum error of the number: 0 if it is exact.
  public var uncertainty: Int
  /// The ticks of the last sample before the gap and of the first after it.
  public var ticks: ClosedRange<Int64>

  public init(missing: Int, uncertainty: Int, ticks: ClosedRange<Int64>) {
    self.missing = missing
    self.uncertainty = uncertainty
    self.ticks = ticks
  }
}
