import Foundation
import JacquardTags

/// Plays an LED pattern.
public struct PlayLEDPatternCommand: ServedCommand, CustomStringConvertible {
  /// No result.
  public typealias Response = Void

  /// Why the command cannot be created.
  public enum Error: Swift.Error, CustomStringConvertible {
    /// The component has no LED.
    case componentDoesNotSupportPlayLEDPattern

    /// A text for users.
    public var description: String { "The component has no LED." }
  }

  /// The animation of a pattern.
  public enum LEDPatternType: CustomStringConvertible, CaseIterable {
    /// Constant.
    case solid
    /// Slowly brighter and darker.
    case breathing
    /// Brighter and darker.
    case pulsing
    /// One flash.
    case singleBlink
    /// Two flashes.
    case doubleBlink
    /// Three flashes.
    case tripleBlink
    /// The frames of the pattern.
    case custom

    /// A text for users.
    public var description: String {
      switch self {
      case .solid: "Solid"
      case .breathing: "Breathing"
      case .pulsing: "Pulsing"
      case .singleBlink: "Single Blink"
      case .doubleBlink: "Double Blink"
      case .tripleBlink: "Triple Blink"
      case .custom: "Custom"
      }
    }

    var type: LEDType {
      switch self {
      case .solid: .solid
      case .breathing: .breathing
      case .pulsing: .pulsing
      case .singleBlink: .singleBlink
      case .doubleBlink: .doubleBlink
      case .tripleBlink: .tripleBlink
      case .custom: .custom
      }
    }
  }

  /// The effect of playing the same pattern again.
  public enum LEDPatternPlayType: CustomStringConvertible {
    /// It plays again.
    case play
    /// It stops.
    case toggle

    /// A text for users.
    public var description: String {
      switch self {
      case .play: "Play"
      case .toggle: "Toggle"
      }
    }
  }

  /// A colour.
  public struct Color {
    /// 0 to 255.
    public let red: Int
    /// 0 to 255.
    public let green: Int
    /// 0 to 255.
    public let blue: Int

    /// Numbers outside of 0 to 255 are limited to them.
    public init(red: Int, green: Int, blue: Int) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }
  }

  /// A colour and its duration.
  public struct Frame {
    /// The colour of the frame.
    public let color: Color
    /// How long it is shown.
    public let durationMs: UInt32

    /// A colour for a time.
    public init(color: Color, durationMs: Int) {
      (self.color, self.durationMs) = (color, UInt32(clamping: durationMs))
    }
  }

  private let pattern: LEDPattern
  private let component: Component
  private let type: LEDPatternType

  /// Frames, which repeat for a time; 0: they play once. Throws an `Error` if the component has no LED.
  public init(
    frames: [Frame], durationMs: Int, component: Component, patternType: LEDPatternType = .custom,
    isResumable: Bool = false, playPauseToggle: LEDPatternPlayType = .play, haltAll: Bool = false
  ) throws {
    guard component.capabilities.contains(.led) else { throw Error.componentDoesNotSupportPlayLEDPattern }
    var pattern = LEDPattern(patternType.type, frames: frames.map(\.frame))
    pattern.duration = durationMs > 0 ? .milliseconds(durationMs) : nil
    pattern.isResumable = isResumable
    pattern.toggles = playPauseToggle == .toggle
    pattern.haltsAll = haltAll
    (self.pattern, self.component, type) = (pattern, component, patternType)
  }

  /// One colour. Throws an `Error` if the component has no LED.
  public init(
    color: Color, durationMs: Int, component: Component, patternType: LEDPatternType = .solid,
    isResumable: Bool = false, playPauseToggle: LEDPatternPlayType = .play, haltAll: Bool = false
  ) throws {
    try self.init(
      frames: [Frame(color: color, durationMs: durationMs)], durationMs: durationMs, component: component,
      patternType: patternType, isResumable: isResumable, playPauseToggle: playPauseToggle, haltAll: haltAll)
  }

  /// A text for logs.
  public var description: String { "LED pattern \(type) on component \(component.componentID)" }

  func perform(on tag: JacquardTags.Tag) async throws {
    try await component.linked(to: tag).playLED(pattern)
  }
}

extension PlayLEDPatternCommand.Frame {
  fileprivate var frame: LEDFrame {
    LEDFrame(
      red: UInt8(clamping: color.red), green: UInt8(clamping: color.green), blue: UInt8(clamping: color.blue),
      duration: .milliseconds(Int64(durationMs)))
  }
}

/// Makes gear vibrate.
public struct PlayHapticCommand: ServedCommand, CustomStringConvertible {
  /// No result.
  public typealias Response = Void

  /// Why the command cannot be created.
  public enum Error: Swift.Error, CustomStringConvertible {
    /// The component does not vibrate.
    case componentDoesNotSupportPlayHaptic

    /// A text for users.
    public var description: String { "The component does not vibrate." }
  }

  /// The shape of a vibration.
  public enum HapticPatternType: Int {
    /// Stops.
    case hapticSymbolHalted
    /// Increases as a sine.
    case hapticSymbolSineIncrease
    /// Decreases as a sine.
    case hapticSymbolSineDecrease
    /// Increases as a line.
    case hapticSymbolLinearIncrease
    /// Decreases as a line.
    case hapticSymbolLinearDecrease
    /// Increases as a parabola.
    case hapticSymbolParabolicIncrease
    /// Decreases as a parabola.
    case hapticSymbolParabolicDecrease
    /// Constant.
    case hapticSymbolConstOn
  }

  /// A vibration.
  public struct HapticFrame {
    /// The length of the vibration.
    public let onMs: UInt32
    /// The pause after the vibration.
    public let offMs: UInt32
    /// The strength of the vibration.
    public let maxAmplitudePercent: UInt32
    /// The number of additional times.
    public let repeatNMinusOne: UInt32
    /// The shape of the vibration.
    public let pattern: HapticPatternType

    /// A vibration.
    public init(
      onMs: UInt32, offMs: UInt32, maxAmplitudePercent: UInt32, repeatNMinusOne: UInt32, pattern: HapticPatternType
    ) {
      (self.onMs, self.offMs, self.maxAmplitudePercent) = (onMs, offMs, maxAmplitudePercent)
      (self.repeatNMinusOne, self.pattern) = (repeatNMinusOne, pattern)
    }
  }

  private let frame: HapticFrame
  private let component: Component

  /// A vibration of a component. Throws an `Error` if the component does not vibrate.
  public init(frame: HapticFrame, component: Component) throws {
    guard component.capabilities.contains(.haptic) else { throw Error.componentDoesNotSupportPlayHaptic }
    (self.frame, self.component) = (frame, component)
  }

  /// A text for logs.
  public var description: String { "vibration of \(frame.onMs) ms on component \(component.componentID)" }

  func perform(on tag: JacquardTags.Tag) async throws {
    let haptic = Haptic(
      HapticType(rawValue: UInt32(frame.pattern.rawValue)), onMilliseconds: Int(frame.onMs),
      offMilliseconds: Int(frame.offMs), amplitude: Int(frame.maxAmplitudePercent), repeats: Int(frame.repeatNMinusOne))
    try await component.linked(to: tag).playHaptic(haptic)
  }
}

extension Component {
  /// The component of the library, also for one that a program has made itself.
  func linked(to tag: JacquardTags.Tag) throws -> JacquardTags.Component {
    try (self as? LinkedComponent)?.component ?? tag.component(componentID)
  }
}
