/// One reading of the tag's motion sensor: 16 bytes, little-endian.
public struct MotionSample: Hashable, Sendable {
  /// The counts of one sensor on its three axes.
  public struct Axes: Hashable, Sendable {
    public var x, y, z: Int16

    public init(x: Int16, y: Int16, z: Int16) {
      self.x = x
      self.y = y
      self.z = z
    }
  }

  /// Acceleration in counts; the whole range of Int16 covers the configured range (see `AccelerometerRange`).
  public var acceleration: Axes
  /// Angular rate in counts; x is roll, y pitch, z yaw (see `GyroscopeRange`).
  public var rotation: Axes
  /// The tag's clock, from its start.
  public var ticks: UInt32

  /// The size of a sample in streams and files.
  public static let byteCount = 16

  public init(acceleration: Axes, rotation: Axes, ticks: UInt32) {
    self.acceleration = acceleration
    self.rotation = rotation
    self.ticks = ticks
  }

  /// Decodes the first 16 bytes; nil if there are fewer.
  public init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount else { return nil }
    self.init(bytes, at: 0)
  }

  /// Reads the 16 bytes at `offset`, which must exist.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    acceleration = Axes(bytes, at: offset)
    rotation = Axes(bytes, at: offset + 6)
    ticks = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
  }

  /// Appends the 16 bytes of the sample, little-endian.
  public func append(to bytes: inout [UInt8]) {
    for count in [acceleration.x, acceleration.y, acceleration.z, rotation.x, rotation.y, rotation.z] {
      withUnsafeBytes(of: count.littleEndian) { bytes += $0 }
    }
    withUnsafeBytes(of: ticks.littleEndian) { bytes += $0 }
  }
}

extension MotionSample.Axes {
  fileprivate init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    func component(_ index: Int) -> Int16 {
      Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 2 * index, as: Int16.self))
    }
    self.init(x: component(0), y: component(1), z: component(2))
  }
}

/// Consecutive samples in the buffer from which they were read, without a copy. The bytes must outlive the collection.
public struct MotionSamples: RandomAccessCollection {
  /// A whole number of samples, in memory that this collection does not own.
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
