/// An error that a wait can throw because its task was cancelled.
public protocol CancellableError: Error {
  static var cancelled: Self { get }
}

extension CancellationError: CancellableError {
  /// Thrown by a wait whose task was cancelled.
  public static var cancelled: CancellationError { CancellationError() }
}

/// A result that is set once and can be awaited; connects callbacks to tasks. May be used from any thread if its value
/// may; otherwise it is confined to the loop of its value.
///
/// Cancelling a waiting task ends its wait with `Failure.cancelled` immediately and does not change the completion.
///
/// Inlinable: an unspecialised version would look up its types in each call. Everything else is in `CompletionGate`.
public final class Completion<Value, Failure: CancellableError> {
  @usableFromInline let gate = CompletionGate()
  /// Set before the gate opens, and read after.
  @usableFromInline var result: Result<Value, Failure>?

  @inlinable public init() {}

  @inlinable public var isComplete: Bool { gate.isOpen }

  @inlinable @discardableResult public func succeed(_ value: Value) -> Bool { complete(.success(value)) }
  @inlinable @discardableResult public func fail(_ error: Failure) -> Bool { complete(.failure(error)) }

  /// Returns false if there already was a result, which is kept.
  @inlinable @discardableResult
  public func complete(_ result: Result<Value, Failure>) -> Bool {
    gate.open { self.result = result }
  }

  /// Waits for the result. Throws `Failure.cancelled` immediately when the waiting task is cancelled.
  @inlinable
  public func value() async throws(Failure) -> Value {
    guard await gate.wait(), let result else { throw .cancelled }
    return try result.get()
  }
}

extension Completion: @unchecked Sendable where Value: Sendable {}

/// The part of a completion that does not depend on its types.
@usableFromInline
struct CompletionGate: Sendable {
  /// Resumes the waiting task; false if the wait was cancelled.
  private typealias Waiter = UnsafeContinuation<Bool, Never>

  private struct State {
    var isOpen = false
    var waiters: [(id: UInt64, waiter: Waiter)] = []
    var cancelledEarly: Set<UInt64> = []
    var nextID: UInt64 = 0
  }

  private let state = Locked(State())

  @usableFromInline init() {}

  @usableFromInline var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Calls `prepare` first. Does nothing and returns false if it is open already.
  @usableFromInline
  func open(_ prepare: () -> Void) -> Bool {
    let waiters: [(id: UInt64, waiter: Waiter)]? = state.withLock { state in
      guard !state.isOpen else { return nil }
      prepare()
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let waiters else { return false }
    for (_, waiter) in waiters { waiter.resume(returning: true) }
    return true
  }

  /// Returns true when it opens, false when the task is cancelled.
  @usableFromInline
  func wait() async -> Bool {
    let id = state.withLock { state in
      defer { state.nextID &+= 1 }
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { add($0, id) }
    } onCancel: {
      cancel(id)
    }
  }

  private func add(_ waiter: Waiter, _ id: UInt64) {
    let isOpen: Bool? = state.withLock { state in
      let isCancelled = state.cancelledEarly.remove(id) != nil
      if state.isOpen { return true }
      if isCancelled { return false }
      state.waiters.append((id, waiter))
      return nil
    }
    if let isOpen { waiter.resume(returning: isOpen) }
  }

  private func cancel(_ id: UInt64) {
    let waiter: Waiter? = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
        if !state.isOpen { state.cancelledEarly.insert(id) }
        return nil
      }
      return state.waiters.remove(at: index).waiter
    }
    waiter?.resume(returning: false)
  }
}
