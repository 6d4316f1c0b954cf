import EventLoop

/// A time limit of something that bluetoothd must do. It does not expire while bluetoothd does not respond: when
/// bluetoothd responds again, the limit starts again, because it may now do what it was asked to do.
public final class ServiceTimer {
  private let loop: EventLoop
  private let cache: ObjectCache?
  private let limit: Duration
  private var expired: (() -> Void)?
  private var timer: LoopTimer?

  /// - Parameter cache: nil if it does not depend on bluetoothd; then this is an ordinary timer.
  public init(_ loop: EventLoop, _ cache: ObjectCache?, after limit: Duration, _ expired: @escaping () -> Void) {
    self.loop = loop
    self.cache = cache
    self.limit = limit
    self.expired = expired
    start()
  }

  private func start() {
    timer = loop.schedule(after: limit) { [self] in
      guard let cache else { return expire() }
      loop.spawn { [self] in
        let isExtended = await cache.hasHung()
        guard expired != nil, !Task.isCancelled else { return }
        if isExtended { start() } else { expire() }
      }
    }
  }

  private func expire() {
    let expired = expired
    cancel()
    expired?()
  }

  /// Stops the timer: `expired` is not called afterwards.
  public func cancel() {
    expired = nil
    timer?.cancel()
    timer = nil
  }
}
