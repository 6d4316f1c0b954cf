import EventLoop
import Sharing

/// Reports to a guest how far its request is. Each report wakes the guest, and usually the tag responds sooner than the
/// guest needs one.
final class RequestProgress {
  private let id: UInt32
  private let channel: Channel
  private var timer: LoopTimer?
  private var isReported = false
  private var isWritten = false

  init(_ id: UInt32, _ channel: Channel, _ loop: EventLoop, after pause: Duration) {
    self.id = id
    self.channel = channel
    timer = loop.schedule(after: pause) { [weak self] in self?.report() }
  }

  /// Now and from now on.
  func report() {
    timer?.cancel()
    isReported = true
    channel.send(.accepted(id: id))
    if isWritten { channel.send(.written(id: id)) }
  }

  /// The tag has the packet.
  func written() {
    isWritten = true
    if isReported { channel.send(.written(id: id)) }
  }

  /// The guest is about to get, or has, the response or an error.
  func end() { timer?.cancel() }
}
