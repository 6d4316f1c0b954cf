/// Consecutive samples in the buffer from which they were read, without a copy. The bytes must outlive the collection.
public struct MotionSamples: RandomAccessCollection {
  public let bytes: UnsafeRawBufferPointer

  /// A remainder shorter than a sample is ignored.
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count - bytes.count % MotionSample.byteCount))
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { bytes.count / MotionSample.byteCount }

  public subscript(index: Int) -> MotionSample {
    MotionSample(bytes, at: index * MotionSample.byteCount)
  }
}
