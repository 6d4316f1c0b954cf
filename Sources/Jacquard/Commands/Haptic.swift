import JacquardWire

/// A vibration.
public struct Haptic: Sendable {
  /// The numbers are the tag's.
  public enum Kind: UInt32, CaseIterable, Sendable {
    case halt = 0
    case sineIncrease = 1
    case sineDecrease = 2
    case linearIncrease = 3
    case linearDecrease = 4
    case parabolicIncrease = 5
    case parabolicDecrease = 6
    case constant = 7
  }

  public var kind: Kind
  /// Length of each vibration, at most 65535.
  public var onMilliseconds: UInt32
  /// Pause after each vibration, at most 65535.
  public var offMilliseconds: UInt32
  /// Strength of the vibration in percent, 0 to 100.
  public var amplitude: UInt32
  /// How often the vibration is repeated after the first time, 0 to 255.
  public var repeats: UInt32

  /// Throws `invalidArgument` for times over 65535 ms, an amplitude over 100 %, or more than 255 repetitions.
  public init(
    _ kind: Kind, onMilliseconds: UInt32, offMilliseconds: UInt32, amplitude: UInt32, repeats: UInt32
  ) throws(JacquardError) {
    guard onMilliseconds <= 65535, offMilliseconds <= 65535 else {
      throw JacquardError.invalid("on_ms or off_ms is greater than 65535.")
    }
    guard amplitude <= 100 else { throw JacquardError.invalid("amplitude is \(amplitude); expected 0 to 100.") }
    guard repeats <= 255 else { throw JacquardError.invalid("repeats is \(repeats); expected 0 to 255.") }
    self.kind = kind
    self.onMilliseconds = onMilliseconds
    self.offMilliseconds = offMilliseconds
    self.amplitude = amplitude
    self.repeats = repeats
  }

  /// The tag requires all five fields, including zeros.
  var wire: WireHapticSymbol {
    var wire = WireHapticSymbol()
    wire.onMs = onMilliseconds
    wire.offMs = offMilliseconds
    wire.pattern = WireHapticSymbolType(rawValue: Int(kind.rawValue)) ?? .hapticSymbolHalted
    wire.maxAmplitudePercent = amplitude
    wire.repeatNMinusOne = repeats
    return wire
  }
}
