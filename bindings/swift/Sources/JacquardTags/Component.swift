import CJacquard

/// The tag itself, or its gear while it is attached; after that its commands throw `.staleGear`. Commands behave as
/// those of `Tag`. A command that requires a missing capability throws `.unsupported`.
public final class Component: Sendable, Hashable {
  /// The connection to which it belongs.
  public let connection: Connection
  let handle: Handle

  init(_ handle: Handle, _ connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  convenience init?(retaining pointer: OpaquePointer?, _ connection: Connection) {
    guard let pointer, let kept = jacquard_component_ref(pointer) else { return nil }
    self.init(Handle(kept) { jacquard_component_unref($0) }, connection)
  }

  /// The known facts about the component, without a request.
  public var info: ComponentInfo {
    get throws(JacquardError) {
      var info: UnsafePointer<jacquard_component_info>?
      try check(jacquard_component_get_info(handle.pointer, &info))
      guard let info else { throw JacquardError(.internal) }
      return ComponentInfo(info.pointee)
    }
  }

  /// Re-reads the component's version and manufacturing ID.
  public func readInfo(timeout: Duration? = nil) async throws(JacquardError) -> ComponentInfo {
    var options = requestOptions(timeout)
    return try await ask(self, ComponentInfo.init) {
      jacquard_component_read_info(handle.pointer, &options, { complete($0, $1, $2) }, $0, release, $1)
    }
  }

  /// Plays an LED pattern.
  public func playLED(_ pattern: LEDPattern, timeout: Duration? = nil) async throws(JacquardError) {
    var options = requestOptions(timeout)
    let frames = pattern.frames.map(\.cStruct)
    try await perform(self) { context, request in
      frames.withUnsafeBufferPointer { frames in
        var fields = pattern.cStruct
        fields.frames = frames.isEmpty ? nil : frames.baseAddress
        fields.frame_count = frames.count
        return jacquard_component_play_led(
          handle.pointer, &fields, &options, { complete($0, $1) }, context, release, request)
      }
    }
  }

  /// Makes gear vibrate.
  public func playHaptic(_ haptic: Haptic, timeout: Duration? = nil) async throws(JacquardError) {
    var options = requestOptions(timeout)
    var fields = haptic.cStruct
    try await perform(self) {
      jacquard_component_play_haptic(handle.pointer, &fields, &options, { complete($0, $1) }, $0, release, $1)
    }
  }

  /// Selects what the gear reports: gestures, the mode of newly attached gear, or touch samples. The mode survives a
  /// lost link, and applies to all programs that share the tag.
  public func setTouchMode(_ mode: TouchMode, timeout: Duration? = nil) async throws(JacquardError) {
    var options = requestOptions(timeout)
    try await perform(self) {
      jacquard_component_set_touch_mode(
        handle.pointer, mode.rawValue, &options, { complete($0, $1) }, $0, release, $1)
    }
  }

  /// Whether both are the same attachment of the same component.
  public static func == (one: Component, other: Component) -> Bool { one.handle.pointer == other.handle.pointer }

  /// Hashes the attachment.
  public func hash(into hasher: inout Hasher) { hasher.combine(handle.pointer) }
}

/// One colour and its duration.
public struct LEDFrame: Sendable, Hashable {
  /// 0 to 255.
  public var red: UInt8
  /// 0 to 255.
  public var green: UInt8
  /// 0 to 255.
  public var blue: UInt8
  /// How long it is shown.
  public var duration: Duration

  /// A colour for a duration.
  public init(red: UInt8, green: UInt8, blue: UInt8, duration: Duration) {
    self.red = red
    self.green = green
    self.blue = blue
    self.duration = duration
  }

  var cStruct: jacquard_led_frame {
    jacquard_led_frame(red: red, green: green, blue: blue, reserved: 0, duration_ms: duration.milliseconds)
  }
}

/// An LED pattern.
public struct LEDPattern: Sendable, Hashable {
  /// The animation of the pattern.
  public var type: LEDType
  /// The frames; about 60 fit in one command.
  public var frames: [LEDFrame]
  /// The duration of the pattern, whose frames repeat during that time; nil: they play once.
  public var duration: Duration?
  /// Percent, 1 to 100.
  public var intensity = 100
  /// Whether playing the same pattern again stops it.
  public var toggles = false
  /// Whether it continues after another pattern interrupted it.
  public var isResumable = false
  /// Whether it stops all patterns.
  public var haltsAll = false

  /// A pattern of frames.
  public init(_ type: LEDType = .custom, frames: [LEDFrame], duration: Duration? = nil) {
    self.type = type
    self.frames = frames
    self.duration = duration
  }

  /// One colour.
  public static func color(
    red: UInt8, green: UInt8, blue: UInt8, _ type: LEDType = .solid, duration: Duration = .seconds(2)
  ) -> LEDPattern {
    LEDPattern(
      type, frames: [LEDFrame(red: red, green: green, blue: blue, duration: duration)], duration: duration)
  }

  /// Stops all patterns.
  public static var halt: LEDPattern {
    var pattern = LEDPattern(frames: [])
    pattern.haltsAll = true
    return pattern
  }

  /// The struct of the header, without the frames.
  var cStruct: jacquard_led_pattern {
    var fields = sized(jacquard_led_pattern.self)
    fields.type = type.rawValue
    fields.duration_ms = duration?.milliseconds ?? 0
    fields.intensity = UInt32(clamping: intensity)
    fields.toggle = UInt32(toggles)
    fields.resumable = UInt32(isResumable)
    fields.halt_all = UInt32(haltsAll)
    return fields
  }
}

/// A vibration.
public struct Haptic: Sendable, Hashable {
  /// The shape of the vibration.
  public var type: HapticType
  /// 0 to 65535 milliseconds.
  public var onMilliseconds: Int
  /// 0 to 65535 milliseconds.
  public var offMilliseconds: Int
  /// Percent, 0 to 100.
  public var amplitude: Int
  /// 0 to 255 additional times.
  public var repeats: Int

  /// A vibration, by default of the shape and amplitude that the vendor's programs use.
  public init(
    _ type: HapticType = .sineIncrease, onMilliseconds: Int, offMilliseconds: Int = 0, amplitude: Int = 60,
    repeats: Int = 0
  ) {
    self.type = type
    self.onMilliseconds = onMilliseconds
    self.offMilliseconds = offMilliseconds
    self.amplitude = amplitude
    self.repeats = repeats
  }

  /// Stops the vibration.
  public static let halt = Haptic(.halt, onMilliseconds: 0, amplitude: 0)
  /// The vibration of the vendor's programs when gear was attached.
  public static let insert = Haptic(onMilliseconds: 200)
  /// The vibration of the vendor's programs for a gesture.
  public static let gesture = Haptic(onMilliseconds: 170)
  /// The vibration of the vendor's programs for a notification.
  public static let notification = Haptic(onMilliseconds: 170, offMilliseconds: 30, repeats: 1)
  /// The vibration of the vendor's programs for an error.
  public static let error = Haptic(onMilliseconds: 170, offMilliseconds: 50, repeats: 3)
  /// The vibration of the vendor's programs for an alert.
  public static let alert = Haptic(onMilliseconds: 170, offMilliseconds: 700, repeats: 14)

  var cStruct: jacquard_haptic {
    var fields = sized(jacquard_haptic.self)
    fields.type = type.rawValue
    fields.on_ms = UInt32(clamping: onMilliseconds)
    fields.off_ms = UInt32(clamping: offMilliseconds)
    fields.amplitude = UInt32(clamping: amplitude)
    fields.repeats = UInt32(clamping: repeats)
    return fields
  }
}
