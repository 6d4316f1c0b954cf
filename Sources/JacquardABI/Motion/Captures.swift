import CJacquard
import Jacquard

@_cdecl("jacquard_tag_prepare_motion") @implementation
public func jacquard_tag_prepare_motion(
  _ tag: OpaquePointer?, _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  act(tag, options, callback, userData, destroy, request) { try await $0.prepareMotion(deadline: $1) }
}

@_cdecl("jacquard_tag_release_motion") @implementation
public func jacquard_tag_release_motion(
  _ tag: OpaquePointer?, _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  act(tag, options, callback, userData, destroy, request) { try await $0.releaseMotion(deadline: $1) }
}

@_cdecl("jacquard_tag_stop_motion") @implementation
public func jacquard_tag_stop_motion(
  _ tag: OpaquePointer?, _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  act(tag, options, callback, userData, destroy, request) { try await $0.stopMotion(deadline: $1) }
}

@_cdecl("jacquard_tag_erase_all_sessions") @implementation
public func jacquard_tag_erase_all_sessions(
  _ tag: OpaquePointer?, _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  act(tag, options, callback, userData, destroy, request) { try await $0.eraseAllSessions(deadline: $1) }
}

/// Sends a command without arguments or a result.
private func act(
  _ tag: OpaquePointer?, _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?,
  _ perform: @escaping @Sendable (Tag, Duration?) async throws -> Void
) -> CInt {
  on(tag, TagHandle.self) { handle in
    try handle.manager.request(options, callback, userData, destroy, request) { [tag = handle.tag] in
      try await perform(tag.value, $0)
    }
  }
}

@_cdecl("jacquard_tag_start_recording") @implementation
public func jacquard_tag_start_recording(
  _ tag: OpaquePointer?, _ session: UnsafePointer<jacquard_session>?,
  _ settings: UnsafePointer<jacquard_motion_settings>?, _ options: UnsafePointer<jacquard_request_options>?,
  _ callback: jacquard_done_callback?, _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let labels = try Arguments.session(session).labels
    try labels.check()
    let settings = try Arguments.motionSettings(settings)
    return try handle.manager.request(options, callback, userData, destroy, request) { [tag = handle.tag] in
      try await tag.value.startRecording(labels, settings, deadline: $0)
    }
  }
}

@_cdecl("jacquard_tag_read_motion_status") @implementation
public func jacquard_tag_read_motion_status(
  _ tag: OpaquePointer?, _ options: UnsafePointer<jacquard_request_options>?,
  _ callback: jacquard_motion_status_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.manager.request(options, userData, destroy, request) { [tag = handle.tag] in
      try await tag.value.motionStatus(deadline: $0)
    } _: { result, userData in
      switch result {
      case .success(let status):
        let strings = CStrings()
        var copy = jacquard_motion_status(
          activity: status.activity.rawValue, code: status.code.rawValue,
          text: strings("\(status.code)"))
        withExtendedLifetime(strings) { callback(&copy, nil, userData) }
      case .failure(let error): withCError(error) { callback(nil, $0, userData) }
      }
    }
  }
}

extension Arguments {
  static func motionSettings(_ pointer: UnsafePointer<jacquard_motion_settings>?) throws -> MotionSettings {
    guard let given = try options(pointer) else { return try MotionSettings() }
    guard let filter = MotionSettings.Filter(rawValue: given.filter) else {
      throw JacquardError.invalid("filter is not a valid jacquard_motion_filter.")
    }
    func value(_ given: Double, or fallback: Double) -> Double { given == 0 ? fallback : given }
    return try MotionSettings(
      accelerometerHertz: value(given.accelerometer_rate, or: 25),
      gyroscopeHertz: value(given.gyroscope_rate, or: 25), gravities: value(given.accelerometer_range, or: 16),
      degreesPerSecond: value(given.gyroscope_range, or: 2000), filter: filter)
  }
}
