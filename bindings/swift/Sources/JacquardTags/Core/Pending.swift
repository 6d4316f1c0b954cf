import CJacquard

/// Calls a function of the library with a context, and with a place for the request.
typealias Start = (UnsafeMutableRawPointer, UnsafeMutablePointer<OpaquePointer?>) throws(JacquardError) -> Int32

/// A request whose task waits. It completes exactly once: with its result, an error, or because it was cancelled.
final class Pending<Value: Sendable>: Context, @unchecked Sendable {
  private struct State {
    var waiter: CheckedContinuation<Result<Value, JacquardError>, Never>?
    var request: Handle?
    var isCancelled = false
  }

  private let state = Lock(State())
  /// The object on which the command was called. Its end would end the command without a result.
  private let owner: any Sendable
  private let convert: @Sendable (Answer) -> Value?
  private let onProgress: (@Sendable (UnsafeRawPointer) -> Int32)?

  init(
    _ owner: any Sendable, _ convert: @escaping @Sendable (Answer) -> Value?,
    _ onProgress: (@Sendable (UnsafeRawPointer) -> Int32)?
  ) {
    self.owner = owner
    self.convert = convert
    self.onProgress = onProgress
  }

  override func complete(_ answer: Answer, _ error: JacquardError?) {
    if let error {
      resume(.failure(error))
    } else {
      resume(convert(answer).map { .success($0) } ?? .failure(JacquardError(.malformedResponse)))
    }
  }

  override func progress(_ event: UnsafeRawPointer) -> Int32 {
    onProgress?(event) ?? 0
  }

  override func ended() {
    resume(.failure(JacquardError(state.withLock { $0.isCancelled } ? .cancelled : .closed)))
  }

  private func resume(_ result: Result<Value, JacquardError>) {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: result)
  }

  fileprivate func begin(
    _ waiter: CheckedContinuation<Result<Value, JacquardError>, Never>,
    _ start: Start
  ) {
    let isCancelled = state.withLock { state in
      state.waiter = waiter
      return state.isCancelled
    }
    guard !isCancelled else { return resume(.failure(JacquardError(.cancelled))) }
    do throws(JacquardError) {
      var request: OpaquePointer?
      try register(self) { context throws(JacquardError) in try start(context, &request) }
      guard let request else { return }
      let handle = Handle(request) { jacquard_request_unref($0) }
      let isCancelled = state.withLock { state in
        state.request = handle
        return state.isCancelled
      }
      if isCancelled { cancel() }
    } catch {
      resume(.failure(error))
    }
  }

  /// Any thread may call it. The library may wait here for a callback that is running, so no lock is held.
  fileprivate func cancel() {
    let request = state.withLock { state in
      state.isCancelled = true
      return state.request
    }
    if let request { jacquard_request_cancel(request.pointer) }
  }

  /// Ends the cycle: the request and this object refer to each other until the library has released both.
  fileprivate func releaseRequest() {
    let request = state.withLock { state in
      defer { state.request = nil }
      return state.request
    }
    _ = request
  }
}

/// Calls a function with a callback, and waits for its result. Cancelling the task cancels the request.
func ask<Value: Sendable>(
  _ owner: any Sendable, answer: @escaping @Sendable (Answer) -> Value?,
  onProgress: (@Sendable (UnsafeRawPointer) -> Int32)? = nil,
  _ start: Start
) async throws(JacquardError) -> Value {
  let pending = Pending(owner, answer, onProgress)
  let result = await withTaskCancellationHandler {
    await withCheckedContinuation { pending.begin($0, start) }
  } onCancel: {
    pending.cancel()
  }
  pending.releaseRequest()
  return try result.get()
}

/// Like the other `ask`, for a function that completes with a struct.
func ask<C, Value: Sendable>(
  _ owner: any Sendable, _ convert: @escaping @Sendable (C) -> Value,
  _ start: Start
) async throws(JacquardError) -> Value {
  try await ask(owner, answer: { $0.value().map(convert) }, start)
}

/// Like `ask`, for a function that completes with an array.
func askAll<C, Value: Sendable>(
  _ owner: any Sendable, _ convert: @escaping @Sendable (C) -> Value,
  _ start: Start
) async throws(JacquardError) -> [Value] {
  try await ask(owner, answer: { $0.values().map(convert) }, start)
}

/// Like `ask`, for a function that completes without a result.
func perform(
  _ owner: any Sendable,
  _ start: Start
) async throws(JacquardError) {
  try await ask(owner, answer: { _ in () }, start)
}
