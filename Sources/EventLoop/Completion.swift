/// A result that is set once and can be awaited; connects callbacks to tasks. May be used from any thread.
///
/// Cancelling a waiting task ends its wait with `CancellationError` immediately and does not change the completion.
public final class Completion<Value>: @unchecked Sendable {
  private typealias Waiter = UnsafeContinuation<Value, any Error>

  private struct State {
    var result: Result<Value, any Error>?
    var waiters: [(id: UInt64, waiter: Waiter)] = []
    var cancelledEarly: Set<UInt64> = []
    var nextID: UInt64 = 0
  }

  private let state = Locked(State())

  public init() {}

  public var isComplete: Bool { state.withLock { $0.result != nil } }

  @discardableResult public func succeed(_ value: Value) -> Bool { complete(.success(value)) }
  @discardableResult public func fail(_ error: any Error) -> Bool { complete(.failure(error)) }

  /// Returns false if there already was a result, which is kept.
  @discardableResult
  public func complete(_ result: Result<Value, any Error>) -> Bool {
    let waiters: [(id: UInt64, waiter: Waiter)]? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let waiters else { return false }
    for (_, waiter) in waiters { waiter.resume(with: result) }
    return true
  }

  public func value() async throws -> Value {
    let id = state.withLock { state in
      defer { state.nextID &+= 1 }
      return state.nextID
    }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { waiter in wait(waiter, id) }
    } onCancel: {
      cancel(id)
    }
  }

  private func wait(_ waiter: Waiter, _ id: UInt64) {
    let result: Result<Value, any Error>? = state.withLock { state in
      let cancelled = state.cancelledEarly.remove(id) != nil
      if let result = state.result { return result }
      if cancelled { return .failure(CancellationError()) }
      state.waiters.append((id, waiter))
      return nil
    }
    if let result { waiter.resume(with: result) }
  }

  private func cancel(_ id: UInt64) {
    let waiter: Waiter? = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
        if state.result == nil { state.cancelledEarly.insert(id) }
        return nil
      }
      return state.waiters.remove(at: index).waiter
    }
    waiter?.resume(throwing: CancellationError())
  }
}
