import JacquardWire

/// Sampled and stored motion; deterministic, so that a test can predict every byte.
enum SimulatedMotionFile {
  /// 25, 50, ... samples per second, by ImuAccelSampleRate; the slowest four are rounded to milliseconds.
  static let periods: [Duration] = [
    .milliseconds(1280), .milliseconds(640), .milliseconds(320), .milliseconds(160), .milliseconds(80),
    .milliseconds(40), .milliseconds(20), .milliseconds(10), .milliseconds(5), .microseconds(2500),
    .microseconds(1250), .microseconds(625),
  ]

  static func period(rate: UInt32) -> Duration { periods[Int(min(rate, UInt32(periods.count - 1)))] }

  /// 31250 ticks per second.
  static func ticks(in duration: Duration) -> UInt32 {
    let (seconds, attoseconds) = duration.components
    return UInt32(truncatingIfNeeded: seconds * 31250 + attoseconds / 32_000_000_000_000)
  }

  /// Sample `index`: oscillating acceleration and rotation, then the tick.
  ///
  /// The greatest number is the end of the configured range: 16 g and 2000 degrees per second have 2048 and 16.4 counts
  /// per unit, 2 g and 125 degrees per second eight and 16 times as many. Gravity is 1.05 g, as in recordings of a real
  /// tag at rest.
  static func sample(_ index: Int, ticks: UInt32, _ imu: WireImuConfiguration) -> [UInt8] {
    let sway = abs(index % 200 - 100) * 20 - 1000
    let (finer, slower) = (1 << (3 - min(imu.accelRange, 3)), 1 << (4 - min(imu.gyroRange, 4)))
    let values = [sway, -sway, 2142].map { $0 * finer } + [sway / 4, 0, -(sway / 4)].map { $0 * slower }
    return values.flatMap { little(UInt16(bitPattern: Int16(clamping: $0))) } + little(ticks)
  }

  /// Metadata and configuration with their lengths, a marker, samples of 16 bytes, a marker.
  static func file(_ metadata: WireDataCollectionMetadata, _ imu: WireImuConfiguration, samples: [[UInt8]]) -> [UInt8] {
    var file = block(metadata.serializedBytes()) + block(imu.serializedBytes())
    for _ in 0..<6 { file += [0xfe, 0xca] }
    file += little(metadata.actionID)
    for sample in samples { file += sample }
    for _ in 0..<7 { file += [0xad, 0xde] }
    return file + little(UInt16(1))
  }

  /// The metadata of a recording.
  static func metadata(of file: [UInt8]) -> WireDataCollectionMetadata? {
    guard let length = file.first, length < 0x80, file.count > Int(length) else { return nil }
    return try? WireDataCollectionMetadata(serializedBytes: Array(file[1...Int(length)]))
  }

  private static func block(_ bytes: [UInt8]) -> [UInt8] {
    let length = bytes.count
    return (length < 0x80 ? [UInt8(length)] : [UInt8(length & 0x7f | 0x80), UInt8(length >> 7)]) + bytes
  }

  private static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> T($0 * 8)) }
  }
}
