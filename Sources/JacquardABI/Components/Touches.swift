import CJacquard
import Jacquard
import JacquardWire

@_cdecl("jacquard_component_set_touch_mode") @implementation
public func jacquard_component_set_touch_mode(
  _ component: OpaquePointer?, _ mode: UInt32, _ options: UnsafePointer<jacquard_request_options>?,
  _ callback: jacquard_done_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(component, ComponentHandle.self) { handle in
    guard let mode = TouchMode(rawValue: mode) else {
      throw JacquardError.invalid("mode is not a valid jacquard_touch_mode.")
    }
    return try handle.manager.request(options, callback, userData, destroy, request) {
      [component = handle.component] in try await component.value.setTouchMode(mode, deadline: $0)
    }
  }
}

@_cdecl("jacquard_connection_on_touch_mode") @implementation
public func jacquard_connection_on_touch_mode(
  _ connection: OpaquePointer?, _ callback: jacquard_touch_mode_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.subscribe(
      userData, destroy, subscription, to: \.gear.modes, latest: \.gear.mode
    ) { mode, userData in
      var copy = jacquard_touch_mode_report(
        connection: handle.handle, mode: mode.touchMode.rawValue, process: mode.process)
      callback(&copy, userData)
    }
  }
}

private let gestureNames = StaticCStrings(
  (0...31).compactMap { number in Gesture(rawValue: number).name.map { (number, $0) } } as [(UInt32, String)],
  fallback: "")

@_cdecl("jacquard_gesture_name") @implementation
public func jacquard_gesture_name(_ number: UInt32) -> UnsafePointer<CChar>? { gestureNames[number] }

@_cdecl("jacquard_connection_on_gesture") @implementation
public func jacquard_connection_on_gesture(
  _ connection: OpaquePointer?, _ callback: jacquard_gesture_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.subscribe(userData, destroy, subscription, to: \.notifications.gestures) { event, userData in
      let number = event.gesture.rawValue
      var copy = jacquard_gesture(
        connection: handle.handle, type: number, may_be_copy: event.mayBeCopy ? 1 : 0, name: gestureNames[number],
        arrival_ns: event.arrival)
      callback(&copy, userData)
    }
  }
}

@_cdecl("jacquard_connection_on_touch") @implementation
public func jacquard_connection_on_touch(
  _ connection: OpaquePointer?, _ callback: jacquard_touch_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.subscribe(userData, destroy, subscription, to: \.notifications.touches) { event, userData in
      var copy = jacquard_touch()
      copy.connection = handle.handle
      copy.sequence = event.frame.sequence
      copy.proximity = event.frame.proximity
      withUnsafeMutableBytes(of: &copy.lines) { lines in
        for index in 0..<TouchFrame.lineCount { lines[index] = event.frame.lines[index] }
      }
      copy.arrival_ns = event.arrival
      callback(&copy, userData)
    }
  }
}
