/// One GATT value of a motion stream: two bytes of unknown meaning, followed by complete samples.
///
/// Streams are not divided into fragments, although their values often look like fragments.
public enum StreamValue {
  private static let prefixByteCount = 2

  /// The value's bytes must outlive the samples.
  public static func samples(_ value: UnsafeRawBufferPointer) -> MotionSamples {
    MotionSamples(UnsafeRawBufferPointer(rebasing: value.dropFirst(prefixByteCount)))
  }
}
