import CJacquard
import EventLoop
import Jacquard
import JacquardWire
import TouchTracking

/// The object behind a `jacquard_touch_tracker`.
final class TouchTrackerHandle: HandleObject {
  private let tracker = Locked(TouchTracker())

  func close() {}

  /// Writes the points that the body reports, and returns their number.
  func write(
    _ points: UnsafeMutablePointer<jacquard_touch_point>?, _ room: Int,
    _ body: (inout TouchTracker, (TouchPoint) -> Void) -> Void
  ) throws -> CInt {
    nonisolated(unsafe) let points = try required(points, "points")
    try check(room, atLeast: TouchTracker.largestCount)
    nonisolated(unsafe) let body = body
    return tracker.withLock { tracker in
      var count = 0
      body(&tracker) { point in
        points[count] = jacquard_touch_point(point)
        count += 1
      }
      return CInt(count)
    }
  }

  func writeGestures(_ gestures: UnsafeMutablePointer<jacquard_touch_gesture>?, _ room: Int) throws -> CInt {
    nonisolated(unsafe) let gestures = try required(gestures, "gestures")
    try check(room, atLeast: TouchGestures.capacity)
    return tracker.withLock { tracker in
      for index in 0..<tracker.gestures.count { gestures[index] = jacquard_touch_gesture(tracker.gestures[index]) }
      return CInt(tracker.gestures.count)
    }
  }

  var health: TouchLines<LineHealth> { tracker.withLock { $0.health } }

  private func check(_ room: Int, atLeast count: Int) throws {
    guard room >= count || room < 0 else {
      throw JacquardError.invalid("room is \(room); expected at least \(count).")
    }
  }
}

@_cdecl("jacquard_touch_tracker_new") @implementation
public func jacquard_touch_tracker_new(
  _ options: UnsafePointer<jacquard_touch_tracker_options>?, _ tracker: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  status {
    let output = try required(tracker, "tracker")
    try Arguments.check(options)
    output.pointee = try Handles.issue(TouchTrackerHandle())
    return 0
  }
}

@_cdecl("jacquard_touch_tracker_ref") @implementation
public func jacquard_touch_tracker_ref(_ tracker: OpaquePointer?) -> OpaquePointer? {
  Handles.reference(tracker, as: TouchTrackerHandle.self)
}

@_cdecl("jacquard_touch_tracker_unref") @implementation
public func jacquard_touch_tracker_unref(_ tracker: OpaquePointer?) -> OpaquePointer? {
  Handles.release(tracker, as: TouchTrackerHandle.self)
  return nil
}

@_cdecl("jacquard_touch_tracker_process") @implementation
public func jacquard_touch_tracker_process(
  _ tracker: OpaquePointer?, _ sequence: UInt32, _ lines: UnsafePointer<UInt8>?, _ lineCount: Int, _ time: Int64,
  _ points: UnsafeMutablePointer<jacquard_touch_point>?, _ room: Int
) -> CInt {
  on(tracker, TouchTrackerHandle.self) { handle in
    guard lines == nil || lineCount == TouchFrame.lineCount else {
      throw JacquardError.invalid("line_count is \(lineCount); expected \(TouchFrame.lineCount).")
    }
    return try handle.write(points, room) { tracker, report in
      guard let lines else { return tracker.wait(until: time, report) }
      tracker.read(TouchLines { lines[$0] }, sequence: sequence, time: time, report)
    }
  }
}

@_cdecl("jacquard_touch_tracker_cancel") @implementation
public func jacquard_touch_tracker_cancel(
  _ tracker: OpaquePointer?, _ time: Int64, _ points: UnsafeMutablePointer<jacquard_touch_point>?, _ room: Int
) -> CInt {
  on(tracker, TouchTrackerHandle.self) { handle in
    try handle.write(points, room) { tracker, report in tracker.cancel(at: time, report) }
  }
}

@_cdecl("jacquard_touch_tracker_gestures") @implementation
public func jacquard_touch_tracker_gestures(
  _ tracker: OpaquePointer?, _ gestures: UnsafeMutablePointer<jacquard_touch_gesture>?, _ room: Int
) -> CInt {
  on(tracker, TouchTrackerHandle.self) { handle in try handle.writeGestures(gestures, room) }
}

@_cdecl("jacquard_touch_tracker_get_health") @implementation
public func jacquard_touch_tracker_get_health(
  _ tracker: OpaquePointer?, _ health: UnsafeMutablePointer<jacquard_sleeve_health>?
) -> CInt {
  on(tracker, TouchTrackerHandle.self) { handle in
    var copy = jacquard_sleeve_health()
    let lines = handle.health
    withUnsafeMutableBytes(of: &copy.lines) { bytes in
      let numbers = bytes.bindMemory(to: UInt32.self)
      for line in lines.indices { numbers[line] = lines[line].rawValue }
    }
    try Arguments.fill(health, "health", with: copy)
    return 0
  }
}

extension jacquard_touch_point {
  fileprivate init(_ point: TouchPoint) {
    self.init(
      time_ns: point.time, id: point.id, phase: point.phase.rawValue, position: point.position,
      width: UInt32(point.width), strength: UInt32(point.strength), speed: point.speed, reserved: (0, 0, 0, 0))
  }
}

extension jacquard_touch_gesture {
  fileprivate init(_ gesture: TouchGesture) {
    self.init(
      time_ns: gesture.time, type: gesture.kind.rawValue, id: gesture.id, other_id: gesture.otherID,
      position: gesture.position, distance: gesture.distance, speed: gesture.speed, reserved: (0, 0, 0, 0))
  }
}
