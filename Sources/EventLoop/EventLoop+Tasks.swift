extension EventLoop {
  /// Starts a task that runs entirely on this loop. Must be called on the loop, so that objects captured by `body` stay
  /// on it. Closing the loop cancels the task.
  @discardableResult
  public func spawn(_ body: @escaping () async -> Void) -> Task<Void, Never> {
    assertIsolated()
    let body = Transferred(body)
    return tasks.keep { ended in
      Task(executorPreference: self) {
        defer { ended() }
        await body.value()
      }
    }
  }

  /// The same, for the result of `body`.
  public func spawn<T>(returning body: @escaping () async throws -> T) -> LoopTask<T> {
    assertIsolated()
    let body = Transferred(body)
    return LoopTask(
      tasks.keep { ended in
        Task(executorPreference: self) {
          defer { ended() }
          return Transferred(try await body.value())
        }
      })
  }

  /// Runs `body` on this loop and waits for it, from any task; cancelling that task cancels `body`.
  public func run<T: Sendable>(_ body: sending @escaping () async throws -> T) async throws -> T {
    let body = Transferred(body)
    let task = tasks.keep { ended in
      Task(executorPreference: self) {
        defer { ended() }
        return try await body.value()
      }
    }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Waits on this loop's clock. Throws `CancellationError` immediately when the task is cancelled or the loop closes.
  public func sleep(_ duration: Duration) async throws {
    let wake = Completion<Void>()
    let timer = schedule(after: duration, { wake.succeed(()) }, abandoned: { wake.fail(CancellationError()) })
    defer { timer.cancel() }
    try await wake.value()
  }

  /// Runs `body`, and cancels it when `duration` has passed. Waits for `body` to end in either case; if it ends with an
  /// error after the time limit, the error is `DeadlineExceeded`.
  public func withDeadline<T>(_ duration: Duration, _ body: @escaping () async throws -> T) async throws -> T {
    let task = spawn(returning: body)
    var expired = false
    let timer = schedule(after: duration) {
      expired = true
      task.cancel()
    }
    defer { timer.cancel() }
    do {
      return try await task.join()
    } catch {
      throw expired && !Task.isCancelled ? DeadlineExceeded() : error
    }
  }
}
