import EventLoop

/// The ticket of the one object of its kind that counts now. The last one stays valid, though stale, until another
/// takes its place or the owner ends.
final class LatestTicket<Object: AnyObject>: Sendable {
  private struct State {
    var object: Object?
    var handle: OpaquePointer?
    var isOver = false
  }

  private let state = Locked(State())

  /// On the loop.
  func handle(for object: Object, _ make: (Object) -> any HandleObject) -> OpaquePointer? {
    if let known = state.withLock({ $0.object === object ? $0.handle : nil }) { return known }
    let new = Handles.add(make(object))
    let superfluous: OpaquePointer? = state.withLock { state in
      guard !state.isOver else { return new }
      let old = state.handle
      state.object = object
      state.handle = new
      return old
    }
    Handles.release(superfluous)
    return state.withLock { $0.handle }
  }

  /// From any thread: no more tickets, and the last one given back.
  func end() {
    let last: OpaquePointer? = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.handle
    }
    Handles.release(last)
  }
}
