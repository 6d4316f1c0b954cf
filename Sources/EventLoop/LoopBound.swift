/// A confined value that other threads may hold and pass on, but only its loop may use.
public struct LoopBound<Value>: @unchecked Sendable {
  private let loop: EventLoop
  private let confined: Value

  /// Call on the loop.
  public init(_ value: Value, to loop: EventLoop) {
    loop.assertIsolated()
    self.init(giving: value, to: loop, ())
  }

  /// Call from any thread, for a value that is not used elsewhere.
  public init(giving value: sending Value, to loop: EventLoop) { self.init(giving: value, to: loop, ()) }

  private init(giving value: Value, to loop: EventLoop, _: Void) {
    self.loop = loop
    confined = value
  }

  /// Call on the loop.
  public var value: Value {
    loop.assertIsolated()
    return confined
  }
}

/// A variable that any thread may hold, but only its loop may read and set.
public struct LoopVariable<Value>: Sendable {
  private final class Box {
    var value: Value

    init(_ value: sending Value) { self.value = value }
  }

  private let box: LoopBound<Box>

  /// Creates the variable from any thread; its first value must not be used elsewhere.
  public init(_ value: sending Value, of loop: EventLoop) { box = LoopBound(giving: Box(value), to: loop) }

  /// Read and set this on the loop only.
  public var value: Value {
    get { box.value.value }
    nonmutating set { box.value.value = newValue }
  }
}

/// Exempts a value from the compiler's isolation checks. The loop must guarantee what the compiler cannot see: that a
/// task started on a loop also runs there, or that a value was transferred.
struct Transferred<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
