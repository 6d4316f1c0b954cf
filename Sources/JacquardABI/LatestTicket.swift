import EventLoop

/// The handle of the current object of a type. The last handle stays valid, though stale, until another object replaces
/// it or the owner ends.
final class LatestTicket<Object: AnyObject>: Sendable {
  private struct State {
    var object: Object?
    var handle: OpaquePointer?
    var isOver = false
  }

  private let state = Locked(State())

  /// Call on the loop.
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

  /// Call from any thread: creates no more handles and releases the last one.
  func end() {
    let last: OpaquePointer? = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.handle
    }
    Handles.release(last)
  }
}
