/// A watched descriptor. Cancel the watch before closing the descriptor: the kernel keeps watching a closed descriptor
/// while a duplicate of it is open anywhere.
public final class IOWatch {
  public let descriptor: Int32
  public private(set) var interest: IOInterest
  private(set) var handler: ((IOReadiness) -> Void)?
  let key: WatchTable.Key
  private weak var loop: EventLoop?

  init(
    descriptor: Int32, interest: IOInterest, key: WatchTable.Key, loop: EventLoop,
    handler: @escaping (IOReadiness) -> Void
  ) {
    self.descriptor = descriptor
    self.interest = interest
    self.key = key
    self.loop = loop
    self.handler = handler
  }

  public func modify(_ interest: IOInterest) throws(SystemError) {
    guard interest != self.interest, let loop else { return }
    try loop.modify(self, interest)
    self.interest = interest
  }

  /// The handler is not called after this, not even for readiness that the current dispatch has already seen.
  public func cancel() {
    loop?.cancel(self)
    loop = nil
    // Released last, after it was removed here, because releasing it may call back into this object.
    let released = handler
    handler = nil
    withExtendedLifetime(released) {}
  }
}
