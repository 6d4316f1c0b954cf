import EventLoop

/// The handle of the current object of a type. The last handle stays valid, though stale, until another object replaces
/// it or the owner ends.
final class LatestHandle<Object: AnyObject>: Sendable {
  private struct State {
    /// The object behind the handle; the handle retains it.
    var object: ObjectIdentifier?
    var handle: UInt?
    var isOver = false
  }

  private let state = Locked(State())

  /// Call on the loop.
  func handle(for object: Object, _ make: (Object) -> any HandleObject) -> OpaquePointer? {
    let id = ObjectIdentifier(object)
    if let known = state.withLock({ $0.object == id ? $0.handle : nil }) { return OpaquePointer(bitPattern: known) }
    let new = Handles.add(make(object)).map(UInt.init(bitPattern:))
    let superfluous: UInt? = state.withLock { state in
      guard !state.isOver else { return new }
      let old = state.handle
      state.object = id
      state.handle = new
      return old
    }
    release(superfluous)
    return state.withLock { $0.handle }.flatMap { OpaquePointer(bitPattern: $0) }
  }

  /// Call from any thread: creates no more handles and releases the last one.
  func end() {
    let last: UInt? = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.handle
    }
    release(last)
  }

  private func release(_ handle: UInt?) { Handles.release(handle.flatMap { OpaquePointer(bitPattern: $0) }) }
}
