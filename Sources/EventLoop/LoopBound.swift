/// A confined value as other threads hold it: they may pass it on, but only its loop may use it.
public struct LoopBound<Value>: @unchecked Sendable {
  private let loop: EventLoop
  private let confined: Value

  /// On the loop.
  public init(_ value: Value, to loop: EventLoop) {
    loop.assertIsolated()
    self.init(giving: value, to: loop, ())
  }

  /// From any thread, of a value that no one else has.
  public init(giving value: sending Value, to loop: EventLoop) { self.init(giving: value, to: loop, ()) }

  private init(giving value: Value, to loop: EventLoop, _: Void) {
    self.loop = loop
    confined = value
  }

  /// On the loop.
  public var value: Value {
    loop.assertIsolated()
    return confined
  }
}
