/// A task of a loop, for a result that stays on that loop.
public struct LoopTask<Value>: Sendable {
  private let task: Task<Transferred<Value>, any Error>

  init(_ task: Task<Transferred<Value>, any Error>) { self.task = task }

  /// From any thread.
  public func cancel() { task.cancel() }

  /// Waits for the result, on the loop.
  public var value: Value {
    get async throws { try await task.value.value }
  }

  /// Waits for the result, on the loop; cancelling the task that waits cancels this one.
  public func join() async throws -> Value {
    try await withTaskCancellationHandler {
      try await task.value.value
    } onCancel: {
      task.cancel()
    }
  }
}
