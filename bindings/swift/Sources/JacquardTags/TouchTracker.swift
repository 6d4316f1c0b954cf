import CJacquard

/// One touch in one sample.
public struct TouchPoint: Sendable, Hashable {
  /// Time of the sample, as `Touch.arrivalNanoseconds`.
  public let timeNanoseconds: Int64
  /// A number from 1, the same in all points of a touch, and in no other touch of the tracker.
  public let id: UInt32
  /// The phase of the touch.
  public let phase: TouchPhase
  /// The position along the sleeve, in lines: 0 is the first line, 11 the last one.
  public let position: Double
  /// Standard deviation of the strength along the sleeve, in lines.
  public let width: Double
  /// The reading of a line at the position, like `Touch.lines`, but up to 255.
  public let strength: Int
  /// The speed, in lines per second.
  public let speed: Double

  init(_ point: jacquard_touch_point) {
    timeNanoseconds = point.time_ns
    id = point.id
    phase = TouchPhase(rawValue: point.phase)
    position = Double(point.position) / 256
    width = Double(point.width) / 256
    strength = Int(point.strength)
    speed = Double(point.speed) / 256
  }
}

/// A gesture that a tracker has derived from touches. It is not a `Gesture`, which the gear recognises.
public struct TouchGesture: Sendable, Hashable {
  /// Time of the point that decided it.
  public let timeNanoseconds: Int64
  /// The type of the gesture; later versions may report others.
  public let type: TouchGestureType
  /// ID of the touch; of two touches, the ID of the older one.
  public let id: UInt32
  /// ID of the second touch; nil: one finger.
  public let otherID: UInt32?
  /// The last position of the touch, in lines; of two touches, the middle between them.
  public let position: Double
  /// How far it went, or two fingers went apart, in lines; negative towards the first line, or for a pinch.
  public let distance: Double
  /// The mean speed over the distance, in lines per second, with its sign.
  public let speed: Double

  init(_ gesture: jacquard_touch_gesture) {
    timeNanoseconds = gesture.time_ns
    type = TouchGestureType(rawValue: gesture.type)
    id = gesture.id
    otherID = gesture.other_id == 0 ? nil : gesture.other_id
    position = Double(gesture.position) / 256
    distance = Double(gesture.distance) / 256
    speed = Double(gesture.speed) / 256
  }
}

/// Turns the touch samples of one tag into touches and gestures. It needs no manager. It has been tested with generated
/// touches only; no real sleeve has been measured.
public final class TouchTracker: Sendable {
  private let handle: Handle

  /// Creates a tracker. Throws `.system` if there are too many objects.
  public init() throws(JacquardError) {
    handle = try Handle({ jacquard_touch_tracker_unref($0) }) { jacquard_touch_tracker_new(nil, $0) }
  }

  /// Reads a sample. Returns a point for each touch that it contains and for each touch that has ended.
  public func process(_ touch: Touch) throws(JacquardError) -> [TouchPoint] {
    try read(JACQUARD_TOUCH_POINTS_MAX, TouchPoint.init) { points, room in
      withUnsafeBytes(of: touch.lines) { lines in
        jacquard_touch_tracker_process(
          handle.pointer, touch.sequence, lines.assumingMemoryBound(to: UInt8.self).baseAddress, lines.count,
          touch.arrivalNanoseconds, points, room)
      }
    }
  }

  /// Notices that touches have ended: a tag sends nothing while it is not touched.
  ///
  /// - Parameter nanoseconds: the present time of CLOCK_BOOTTIME
  public func process(until nanoseconds: Int64) throws(JacquardError) -> [TouchPoint] {
    try read(JACQUARD_TOUCH_POINTS_MAX, TouchPoint.init) {
      jacquard_touch_tracker_process(handle.pointer, 0, nil, 0, nanoseconds, $0, $1)
    }
  }

  /// Cancels all touches, and returns a point for each: call it when the link is lost or the gear is detached.
  public func cancel(at nanoseconds: Int64) throws(JacquardError) -> [TouchPoint] {
    try read(JACQUARD_TOUCH_POINTS_MAX, TouchPoint.init) {
      jacquard_touch_tracker_cancel(handle.pointer, nanoseconds, $0, $1)
    }
  }

  /// The gestures that the last call of `process()` has recognised; the same ones until the next call.
  public func gestures() throws(JacquardError) -> [TouchGesture] {
    try read(JACQUARD_TOUCH_GESTURES_MAX, TouchGesture.init) {
      jacquard_touch_tracker_gestures(handle.pointer, $0, $1)
    }
  }

  /// The health of the twelve lines of the sleeve, as far as the tracker knows it.
  public func health() throws(JacquardError) -> [LineHealth] {
    var health = sized(jacquard_sleeve_health.self)
    try check(jacquard_touch_tracker_get_health(handle.pointer, &health))
    return withUnsafeBytes(of: health.lines) { $0.bindMemory(to: UInt32.self).map { LineHealth(rawValue: $0) } }
  }

  private func read<C, Value>(
    _ room: Int32, _ convert: (C) -> Value, _ function: (UnsafeMutablePointer<C>, Int) -> Int32
  ) throws(JacquardError) -> [Value] {
    let memory = UnsafeMutableBufferPointer<C>.allocate(capacity: Int(room))
    defer { memory.deallocate() }
    let count = try check(function(memory.baseAddress!, memory.count))
    return memory.prefix(Int(count)).map(convert)
  }
}
