/// The rate of the tag's clock.
public enum TickRate {
  /// No source states the rate. Recordings at 25 and 200 samples a second fit 32 microseconds within 1 %, and 32,768 Hz
  /// within 6 %.
  public static let presumed = 31_250.0

  /// The maximum difference from the presumed rate.
  static let tolerance = 0.1
}
