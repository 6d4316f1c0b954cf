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
