/// One touch as one sample shows it.
public struct TouchPoint: Equatable, Sendable {
  public enum Phase: UInt32, CaseIterable, Sendable {
    case began = 1
    /// The touch is there in another sample, whether it has moved or not.
    case moved
    case ended
    /// The link was lost, so it is not known how the touch ended.
    case cancelled
  }

  /// A number from 1; no other touch of the tracker has it.
  public var id: UInt32
  public var phase: Phase
  /// In 1/256 line: 0 is the first line, 2816 the last one.
  public var position: Int32
  /// The standard deviation of the pressure along the sleeve, in 1/256 line.
  public var width: Int32
  /// The reading of a line at the position; above 128 if the lines are saturated.
  public var strength: Int32
  /// In 1/256 line per second.
  public var speed: Int32
  /// When the sample was received, in the caller's nanoseconds. If a touch ended without a sample, the time of its
  /// last one.
  public var time: Int64

  init(_ id: UInt32, _ phase: Phase, _ finger: Finger, speed: Float, time: Int64) {
    self.id = id
    self.phase = phase
    position = Self.in256ths(finger.position)
    width = Self.in256ths(finger.width)
    strength = Int32(finger.strength.rounded())
    self.speed = Self.in256ths(min(max(speed, -SpeedLine.fastest), SpeedLine.fastest))
    self.time = time
  }

  private static func in256ths(_ value: Float) -> Int32 { Int32((value * 256).rounded()) }
}
