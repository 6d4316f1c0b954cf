/// Consecutive samples where they were read, without a copy. The bytes must outlive the collection.
public struct MotionSamples: RandomAccessCollection {
  public let bytes: UnsafeRawBufferPointer

  /// A remainder shorter than a sample is ignored.
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count - bytes.count % MotionSample.byteCount))
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { bytes.count / MotionSample.byteCount }

  public subscript(index: Int) -> MotionSample {
    let offset = index * MotionSample.byteCount
    guard let sample = MotionSample(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + MotionSample.byteCount]))
    else { preconditionFailure("a sample has 16 bytes") }
    return sample
  }
}
