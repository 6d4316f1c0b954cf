/// The time given to `EventLoop.withDeadline` was not enough.
public struct DeadlineExceeded: Error, Equatable {
  public init() {}
}
