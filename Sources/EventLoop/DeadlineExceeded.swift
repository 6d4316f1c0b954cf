/// The time limit of `EventLoop.withDeadline` has passed.
public struct DeadlineExceeded: Error, Equatable {
  public init() {}
}
