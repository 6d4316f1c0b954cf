/// A one-shot timer.
public final class LoopTimer {
  public let deadline: LoopInstant
  let sequence: UInt64
  /// The timer's index in the heap; nil after it fired or was cancelled.
  var position: Int?
  private(set) var handler: (() -> Void)?
  private(set) var abandoned: (() -> Void)?
  private weak var loop: EventLoop?

  /// - Parameter abandoned: runs instead of `handler` if the loop closes first.
  init(
    deadline: LoopInstant, sequence: UInt64, loop: EventLoop?, handler: @escaping () -> Void,
    abandoned: (() -> Void)? = nil
  ) {
    self.deadline = deadline
    self.sequence = sequence
    self.loop = loop
    self.handler = handler
    self.abandoned = abandoned
  }

  public var isPending: Bool { position != nil }

  /// The handler does not run after this.
  public func cancel() {
    loop?.cancel(self)
    _ = takeHandler()
  }

  func takeHandler() -> (() -> Void)? {
    defer { (handler, abandoned, loop) = (nil, nil, nil) }
    return handler
  }

  func takeAbandoned() -> (() -> Void)? {
    defer { (handler, abandoned, loop) = (nil, nil, nil) }
    return abandoned
  }

  func precedes(_ other: LoopTimer) -> Bool {
    deadline == other.deadline ? sequence < other.sequence : deadline < other.deadline
  }
}
