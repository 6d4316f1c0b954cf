import EventLoop
import JacquardWire
import Motion

/// The events of a motion stream.
public enum MotionEvent {
  /// Samples of one value, in order, with the estimated rates.
  case samples([StreamTimeline.Reading], ticksPerSecond: Double, samplesPerSecond: Double?)
  case gap(Gap)
  /// The tag's clock restarted, so ticks are not comparable with earlier ones.
  case restart
}

extension Connection {
  /// Streams motion until it is cancelled or an error ends it. It continues on the next link after a lost one; missing
  /// samples are reported as a gap.
  public func stream(_ settings: MotionSettings, _ take: @escaping (MotionEvent) -> Void) async throws(JacquardError) {
    let stream = MotionStream(settings, core.loop, notifications, silent: core.bluez.suspectHang, take)
    let observation = notifications.raw.streamValues.add { [weak stream] in stream?.receive($0) }
    defer { observation.cancel() }
    var grant = TagReservation.Grant()
    defer { reservation.release(.stream, grant) }
    while true {
      let tag = try await currentTag()
      do throws(JacquardError) {
        grant = try await reservation.renew(.stream, grant)
        try await tag.prepareMotion()
        try await stream.run(on: tag)
      } catch {
        if stream.mayRunOnTag { await tag.stopEndedStream() }
        try resume(tag, after: error, mayRepeat: stream.hasReceived)
      }
    }
  }
}

/// A motion stream over several links.
private final class MotionStream {
  private let settings: MotionSettings
  private let loop: EventLoop
  private let notifications: Notifications
  /// Called when values are missing.
  private let silent: () -> Void
  private let take: (MotionEvent) -> Void
  private var timeline = StreamTimeline()
  /// The last of `RawData.streamStarts` whose samples were received.
  private var start = 0
  private var readings: [StreamTimeline.Reading] = []
  private var lastValue: LoopInstant
  private var hasStarted = false
  /// Whether values belong to this stream.
  private var isRunning = false
  /// Whether the tag may be streaming on the current link: the stream was requested, and the tag has not ended it.
  private(set) var mayRunOnTag = false
  /// Whether anything was received since the stream was last started.
  private(set) var hasReceived = false

  init(
    _ settings: MotionSettings, _ loop: EventLoop, _ notifications: Notifications, silent: @escaping () -> Void,
    _ take: @escaping (MotionEvent) -> Void
  ) {
    self.settings = settings
    self.loop = loop
    self.notifications = notifications
    self.silent = silent
    self.take = take
    lastValue = loop.now
  }

  func receive(_ value: ReceivedValue) {
    guard isRunning else { return }
    if start != notifications.raw.streamStarts {
      start = notifications.raw.streamStarts
      timeline.streamBegins()
    }
    (hasReceived, lastValue) = (true, loop.now)
    // Delivered afterwards, because delivery reads the timeline.
    var events: [StreamTimeline.Event] = []
    timeline.receive(value.bytes, at: value.arrival) { events.append($0) }
    for event in events {
      switch event {
      case .sample(let reading): readings.append(reading)
      case .gap(let gap): send(.gap(gap))
      case .restart: send(.restart)
      }
    }
    flush()
  }

  private func send(_ event: MotionEvent) {
    flush()
    take(event)
  }

  private func flush() {
    guard !readings.isEmpty else { return }
    take(
      .samples(
        readings, ticksPerSecond: timeline.ticksPerSecond, samplesPerSecond: timeline.samplesPerSecond))
    readings.removeAll(keepingCapacity: true)
  }

  /// Starts the stream, and returns when the tag has stopped it without an error.
  func run(on tag: Tag) async throws(JacquardError) {
    defer { isRunning = false }
    (mayRunOnTag, hasReceived) = (false, false)
    try await tag.startStream(RecordingLabels(session: "stream"), settings, replaces: hasStarted) { [self] in
      // The first values may arrive before the response.
      (isRunning, mayRunOnTag) = (true, true)
      notifications.raw.streamStarts += 1
    }
    (hasStarted, lastValue) = (true, loop.now)
    let period = max(settings.accelerometerRate.period, settings.gyroscopeRate.period)
    // Three samples share a value.
    let silence = max(tag.link.deadlines.streamSilence, period * 6)
    while true {
      let quiet = lastValue.duration(to: loop.now)
      if quiet < silence {
        try await tag.link.commands.wait(for: silence - quiet)
      } else {
        silent()
        switch try await tag.motionStatus().code {
        case .logging: lastValue = loop.now
        case .idle: return
        case let status: throw JacquardError(status)
        }
      }
    }
  }
}

extension AccelerometerRate {
  fileprivate var period: Duration { .seconds(1 / (hertz ?? 1)) }
}

extension GyroscopeRate {
  fileprivate var period: Duration { .seconds(1 / (hertz ?? 1)) }
}
