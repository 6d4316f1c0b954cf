import EventLoop

/// Notices that touches no longer arrive: a tag reports about 60 a second while it is touched. It wakes up once a
/// second while touches arrive, and once when they have ended.
final class TouchWatch {
  private let loop: EventLoop
  private let limit: Duration
  private let silent: () -> Void
  private var timer: LoopTimer?
  private var hasReceived = false

  /// - Parameter silent: called once if nothing has arrived for `limit`, before twice that time has passed.
  init(_ loop: EventLoop, limit: Duration, silent: @escaping () -> Void) {
    self.loop = loop
    self.limit = limit
    self.silent = silent
  }

  /// Called for each touch, so it does not read the clock.
  func received() {
    hasReceived = true
    if timer == nil { wait() }
  }

  private func wait() {
    hasReceived = false
    timer = loop.schedule(after: limit) { [weak self] in
      guard let self else { return }
      if hasReceived { return wait() }
      timer = nil
      silent()
    }
  }

  func cancel() {
    timer?.cancel()
    timer = nil
  }
}
