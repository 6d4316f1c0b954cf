import JacquardWire

/// A sequence of colours.
public struct LEDPattern: Sendable {
  /// One colour, and how long it is shown.
  public struct Frame: Sendable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    /// How long the colour is shown.
    public var milliseconds: UInt32

    public init(red: UInt8, green: UInt8, blue: UInt8, milliseconds: UInt32) {
      self.red = red
      self.green = green
      self.blue = blue
      self.milliseconds = milliseconds
    }
  }

  /// The numbers are the tag's.
  public enum Kind: UInt32, CaseIterable, Sendable {
    case solid = 1
    case breathing = 2
    case pulsing = 3
    case singleBlink = 4
    case doubleBlink = 5
    case tripleBlink = 6
    case custom = 7
  }

  public var kind: Kind
  /// The colours in order. They repeat for the duration of the pattern.
  public var frames: [Frame]
  /// Duration of the whole pattern.
  public var milliseconds: UInt32
  /// Brightness in percent, 1 to 100.
  public var intensity: UInt32
  /// Playing the same pattern again stops it.
  public var toggles: Bool
  /// The pattern continues after another one has interrupted it.
  public var isResumable: Bool
  /// Stops all patterns.
  public var haltsAll: Bool

  /// - Parameter milliseconds: duration of the whole pattern; nil: the frames play once.
  public init(
    _ kind: Kind, _ frames: [Frame], milliseconds: UInt32? = nil, intensity: UInt32 = 100, toggles: Bool = false,
    isResumable: Bool = false, haltsAll: Bool = false
  ) throws(JacquardError) {
    guard (1...100).contains(intensity) else {
      throw JacquardError.invalid("intensity is \(intensity); expected 1 to 100.")
    }
    guard !frames.isEmpty || haltsAll else { throw JacquardError.invalid("The pattern has no frames.") }
    // With halt_all the reference SDKs send one black frame.
    let frames = frames.isEmpty ? [Frame(red: 0, green: 0, blue: 0, milliseconds: 1000)] : frames
    let once = frames.reduce(UInt64(0)) { $0 + UInt64($1.milliseconds) }
    guard let total = milliseconds ?? UInt32(exactly: once), total > 0 else {
      throw JacquardError.invalid("The duration of the pattern is 0 ms or too long.")
    }
    self.kind = kind
    self.frames = frames
    self.milliseconds = total
    self.intensity = intensity
    self.toggles = toggles
    self.isResumable = isResumable
    self.haltsAll = haltsAll

    var request = WireRequest(.gearLED, component: .max)
    request.id = 254
    request.ledPatternRequest = wire
    guard request.packet().count <= FragmentFormat.longestPacket else {
      throw JacquardError.invalid("frame_count is \(frames.count); a command cannot hold that many frames.")
    }
  }

  /// The same fields, including zeros, as in the reference SDK.
  var wire: WireLedPatternRequest {
    var wire = WireLedPatternRequest()
    wire.patternType = WirePatternType(rawValue: Int(kind.rawValue)) ?? .custom
    wire.frames = frames.map { frame in
      var wire = WireLedPatternFrames()
      wire.color.red = UInt32(frame.red)
      wire.color.green = UInt32(frame.green)
      wire.color.blue = UInt32(frame.blue)
      wire.lengthMs = frame.milliseconds
      return wire
    }
    wire.durationMs = milliseconds
    wire.intensityLevel = intensity
    wire.playPauseToggle = toggles ? .toggle : .play
    wire.resumable = isResumable
    wire.haltAll = haltsAll
    return wire
  }
}
