/// One GATT value of a motion stream: two bytes of unknown meaning, followed by complete samples.
///
/// Streams are not divided into fragments, although their values often look like fragments.
public struct IMUStreamValue: Sequence, IteratorProtocol {
  private static let prefixByteCount = 2
  private var rest: UnsafeRawBufferPointer

  /// The value's bytes must stay valid during the iteration.
  public init(_ value: UnsafeRawBufferPointer) {
    rest = UnsafeRawBufferPointer(rebasing: value.dropFirst(Self.prefixByteCount))
  }

  /// A remainder shorter than a sample is ignored.
  public mutating func next() -> IMUSample? {
    guard let sample = IMUSample(rest) else { return nil }
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(IMUSample.byteCount))
    return sample
  }
}
