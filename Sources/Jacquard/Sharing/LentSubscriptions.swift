import EventLoop

/// The subscriptions of a program that another one has replaced because it did not respond. They end when that program no longer
/// sends requests, because a tag must not receive any while no one is subscribed.
final class LentSubscriptions {
  private let loop: EventLoop
  private let limit: Duration
  private let endSubscriptions: () -> Void
  private var timer: LoopTimer?

  /// - Parameter limit: how long they last at most.
  init(_ loop: EventLoop, limit: Duration, end: @escaping () -> Void) {
    self.loop = loop
    self.limit = limit
    endSubscriptions = end
  }

  func lend() {
    timer?.cancel()
    timer = loop.schedule(after: limit) { [weak self] in self?.end() }
  }

  func end() {
    guard let timer else { return }
    timer.cancel()
    self.timer = nil
    endSubscriptions()
  }
}
