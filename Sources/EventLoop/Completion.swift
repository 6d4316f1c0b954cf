/// An error that a wait can throw because its task was cancelled.
public protocol CancellableError: Error {
  static var cancelled: Self { get }
}

extension CancellationError: CancellableError {
  public static var cancelled: CancellationError { CancellationError() }
}

/// A result that is set once and can be awaited; connects callbacks to tasks. May be used from any thread if its value
/// may; otherwise it is confined to the loop of its value.
///
/// Cancelling a waiting task ends its wait with `Failure.cancelled` immediately and does not change the completion.
public final class Completion<Value, Failure: CancellableError> {
  /// Resumes the waiting task, which then reads the result; false if the wait was cancelled.
  private typealias Waiter = UnsafeContinuation<Bool, Never>
  private typealias Outcome = Transferred<Result<Value, Failure>>

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
  @discardableResult public func fail(_ error: Failure) -> Bool { complete(.failure(error)) }

  /// Returns false if there already was a result, which is kept.
  @discardableResult
  public func complete(_ result: Result<Value, Failure>) -> Bool {
    let result = Outcome(result)
    let waiters: [(id: UInt64, waiter: Waiter)]? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let waiters else { return false }
    for (_, waiter) in waiters { waiter.resume(returning: true) }
    return true
  }

  public func value() async throws(Failure) -> Value {
    let id = state.withLock { state in
      defer { state.nextID &+= 1 }
      return state.nextID
    }
    let isComplete = await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in wait(waiter, id) }
    } onCancel: { [state] in
      Self.cancel(state, id)
    }
    guard isComplete, let result = state.withLock({ $0.result }) else { throw .cancelled }
    return try result.value.get()
  }

  private func wait(_ waiter: Waiter, _ id: UInt64) {
    let isComplete: Bool? = state.withLock { state in
      let isCancelled = state.cancelledEarly.remove(id) != nil
      if state.result != nil { return true }
      if isCancelled { return false }
      state.waiters.append((id, waiter))
      return nil
    }
    if let isComplete { waiter.resume(returning: isComplete) }
  }

  private static func cancel(_ state: Locked<State>, _ id: UInt64) {
    let waiter: Waiter? = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
        if state.result == nil { state.cancelledEarly.insert(id) }
        return nil
      }
      return state.waiters.remove(at: index).waiter
    }
    waiter?.resume(returning: false)
  }
}

extension Completion: Sendable where Value: Sendable {}
