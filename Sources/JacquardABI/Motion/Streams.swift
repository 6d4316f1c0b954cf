import CJacquard
import EventLoop
import Jacquard
import Motion

@_cdecl("jacquard_connection_stream_motion") @implementation
public func jacquard_connection_stream_motion(
  _ connection: OpaquePointer?, _ settings: UnsafePointer<jacquard_motion_settings>?,
  _ onMotion: jacquard_motion_callback?, _ callback: jacquard_done_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let onMotion = try required(onMotion, "on_motion")
    let callback = try required(callback, "callback")
    let settings = try Arguments.motionSettings(settings)
    return try handle.request(userData, destroy, request) { registration in
      try await handle.current().stream(settings) { event in
        event.withC(handle.handle) { copy in registration.call { onMotion(copy, $0) } }
      }
    } _: { result, userData in
      if case .failure(let error) = result { withCError(error) { callback($0, userData) } }
    }
  }
}

extension MotionEvent {
  fileprivate func withC(_ connection: OpaquePointer?, _ body: (UnsafePointer<jacquard_motion_event>) -> Void) {
    var copy = jacquard_motion_event()
    copy.connection = connection
    switch self {
    case .samples(let readings, let ticksPerSecond, let samplesPerSecond):
      copy.type = JACQUARD_MOTION_EVENT_SAMPLES.rawValue
      copy.ticks_per_second = ticksPerSecond
      copy.samples_per_second = samplesPerSecond ?? 0
      copy.count = readings.count
      return readings.map(jacquard_motion_sample.init).withUnsafeBufferPointer {
        copy.samples = $0.baseAddress
        body(&copy)
      }
    case .gap(let gap):
      copy.type = JACQUARD_MOTION_EVENT_GAP.rawValue
      copy.missing = UInt64(clamping: gap.missing)
      copy.missing_uncertainty = UInt64(clamping: gap.uncertainty)
    case .restart: copy.type = JACQUARD_MOTION_EVENT_RESTART.rawValue
    }
    body(&copy)
  }
}

extension jacquard_motion_sample {
  fileprivate init(_ reading: StreamTimeline.Reading) {
    let sample = reading.sample
    self.init(
      acceleration: (sample.acceleration.x, sample.acceleration.y, sample.acceleration.z),
      rotation: (sample.rotation.x, sample.rotation.y, sample.rotation.z), raw_ticks: sample.ticks,
      ticks: reading.ticks, arrival_ns: reading.arrival, time_ns: reading.time)
  }
}
