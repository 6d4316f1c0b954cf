import CJacquard
import Jacquard

@_cdecl("jacquard_component_play_led") @implementation
public func jacquard_component_play_led(
  _ component: OpaquePointer?, _ pattern: UnsafePointer<jacquard_led_pattern>?,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(component, ComponentHandle.self) { handle in
    let pattern = try LEDPattern(try required(Arguments.options(pattern), "pattern"))
    return try handle.manager.request(options, callback, userData, destroy, request) {
      [component = handle.component] in try await component.value.play(pattern, deadline: $0)
    }
  }
}

extension LEDPattern {
  /// An upper bound for the array; the exact limit is checked when the pattern is created.
  private static let mostFrames = 1024

  fileprivate init(_ given: jacquard_led_pattern) throws {
    guard let kind = given.type == 0 ? .custom : Kind(rawValue: given.type) else {
      throw JacquardError.invalid("type is not a valid jacquard_led_type.")
    }
    guard (0...Self.mostFrames).contains(given.frame_count) else {
      throw JacquardError.invalid("frame_count is \(given.frame_count); a command cannot hold that many frames.")
    }
    guard given.frames != nil || given.frame_count == 0 else { throw JacquardError.invalid("frames is NULL.") }
    let frames = UnsafeBufferPointer(start: given.frames, count: given.frame_count)
    guard frames.allSatisfy({ $0.reserved == 0 }) else {
      throw JacquardError.invalid("reserved is not 0 in one of the frames.")
    }
    try self.init(
      kind,
      frames.map { Frame(red: $0.red, green: $0.green, blue: $0.blue, milliseconds: $0.duration_ms) },
      milliseconds: given.duration_ms == 0 ? nil : given.duration_ms,
      intensity: given.intensity == 0 ? 100 : given.intensity,
      toggles: try Arguments.flag(given.toggle, "toggle"),
      isResumable: try Arguments.flag(given.resumable, "resumable"),
      haltsAll: try Arguments.flag(given.halt_all, "halt_all"))
  }
}

@_cdecl("jacquard_component_play_haptic") @implementation
public func jacquard_component_play_haptic(
  _ component: OpaquePointer?, _ haptic: UnsafePointer<jacquard_haptic>?,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(component, ComponentHandle.self) { handle in
    let haptic = try Haptic(try required(Arguments.options(haptic), "haptic"))
    return try handle.manager.request(options, callback, userData, destroy, request) {
      [component = handle.component] in try await component.value.play(haptic, deadline: $0)
    }
  }
}

extension Haptic {
  fileprivate init(_ given: jacquard_haptic) throws {
    guard let kind = Kind(rawValue: given.type) else {
      throw JacquardError.invalid("type is not a valid jacquard_haptic_type.")
    }
    try self.init(
      kind, onMilliseconds: given.on_ms, offMilliseconds: given.off_ms, amplitude: given.amplitude,
      repeats: given.repeats)
  }
}
