/// A result that is set once and can be awaited; connects callbacks to tasks. May be used from any thread if its value
/// may; otherwise it is confined to the loop of its value.
///
/// Cancelling a waiting task ends its wait with `CancellationError` immediately and does not change the completion.
public final class Completion<Value> {
  /// Only resumes its task, which then reads the result.
  private typealias Waiter = UnsafeContinuation<Void, any Error>
  private typealias Outcome = Transferred<Result<Value, any Error>>

  private struct State {
    var result: Outcome?
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
    let result = Outcome(result)
    let waiters: [(id: UInt64, waiter: Waiter)]? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let waiters else { return false }
    for (_, waiter) in waiters { waiter.resume() }
    return true
  }

  public func value() async throws -> Value {
    let id = state.withLock { state in
      defer { state.nextID &+= 1 }
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { waiter in wait(waiter, id) }
    } onCancel: { [state] in
      Self.cancel(state, id)
    }
    guard let result = state.withLock({ $0.result }) else { throw CancellationError() }
    return try result.value.get()
  }

  private func wait(_ waiter: Waiter, _ id: UInt64) {
    let outcome: Result<Void, any Error>? = state.withLock { state in
      let cancelled = state.cancelledEarly.remove(id) != nil
      if state.result != nil { return .success(()) }
      if cancelled { return .failure(CancellationError()) }
      state.waiters.append((id, waiter))
      return nil
    }
    if let outcome { waiter.resume(with: outcome) }
  }

  private static func cancel(_ state: Locked<State>, _ id: UInt64) {
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

extension Completion: Sendable where Value: Sendable {}
