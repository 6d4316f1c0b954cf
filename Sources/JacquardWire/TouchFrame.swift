/// One reading of the touch lines woven into the gear.
public struct TouchFrame: Sendable {
  /// The number of touch lines in the gear.
  public static let lineCount = 12

  /// Increases during a touch, with gaps. A smaller number than the previous one means that the finger was lifted in
  /// between.
  public let sequence: UInt32
  public let proximity: UInt8
  /// Intensity of each line in order: 0 is not touched, 128 the strongest.
  public let lines: InlineArray<12, UInt8>

  /// Nil unless the tag sent exactly one byte of proximity and one byte per line.
  public init?(_ data: WireTouchData) {
    let sequence = data.sequence
    guard let frame = data.diffDataScaled.withUnsafeBytes({ TouchFrame(sequence: sequence, scaled: $0) }) else {
      return nil
    }
    self = frame
  }

  init?(sequence: UInt32, scaled bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 1 + Self.lineCount else { return nil }
    self.sequence = sequence
    proximity = bytes[0]
    lines = InlineArray { bytes[1 + $0] }
  }
}
