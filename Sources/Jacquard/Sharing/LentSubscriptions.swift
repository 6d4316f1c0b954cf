import EventLoop

/// The subscriptions of a program that another one has replaced because it did not respond. They end when that program no longer
/// sends requests, because a tag must not receive any while no one is subscribed.
final class LentSubscriptions {
  private let loop: EventLoop
  private let limit: Duration
  private var link: DeviceLink?
  private var timer: LoopTimer?

  /// - Parameter limit: how long they last at most.
  init(_ loop: EventLoop, limit: Duration) {
    self.loop = loop
    self.limit = limit
  }

  func lend(_ link: DeviceLink) {
    end()
    self.link = link
    timer = loop.schedule(after: limit) { [weak self] in self?.end() }
  }

  func end() {
    timer?.cancel()
    timer = nil
    link?.endSessions()
    link = nil
  }
}
