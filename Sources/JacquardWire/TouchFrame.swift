/// One reading of the touch lines woven into the gear.
public struct TouchFrame: Sendable {
  public static let lineCount = 12

  /// Increases during a touch, with gaps. A smaller number than the previous one means that the finger was lifted in
  /// between.
  public let sequence: UInt32
  public let proximity: UInt8
  /// From 0, not touched, to 128.
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
