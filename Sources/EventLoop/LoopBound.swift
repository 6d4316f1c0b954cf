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

/// A variable of a loop: any thread may hold it, but only its loop may read and set it.
public struct LoopVariable<Value>: Sendable {
  private final class Box {
    var value: Value

    init(_ value: sending Value) { self.value = value }
  }

  private let box: LoopBound<Box>

  public init(_ value: sending Value, of loop: EventLoop) { box = LoopBound(giving: Box(value), to: loop) }

  public var value: Value {
    get { box.value.value }
    nonmutating set { box.value.value = newValue }
  }
}

/// Carries a value past the compiler's check of isolation, where the loop guarantees what the compiler cannot see: that
/// what is started on a loop also runs there, or that a value was given away.
struct Transferred<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
