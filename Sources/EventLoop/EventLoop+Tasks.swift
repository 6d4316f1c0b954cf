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

  /// Starts a task that runs entirely on this loop, and whose result stays on it. Must be called on the loop.
  public func spawn<T, Failure>(returning body: @escaping () async throws(Failure) -> T) -> LoopTask<T, Failure> {
    assertIsolated()
    let body = Transferred(body)
    return LoopTask(
      tasks.keep { ended in
        Task(executorPreference: self) {
          defer { ended() }
          return Transferred(await outcome(of: body.value))
        }
      })
  }

  /// Runs `body` on this loop and waits for it, from any task; cancelling that task cancels `body`.
  public func run<T: Sendable, Failure>(
    _ body: sending @escaping () async throws(Failure) -> T
  ) async throws(Failure) -> T {
    let body = Transferred(body)
    let task = tasks.keep { ended in
      Task(executorPreference: self) {
        defer { ended() }
        return await outcome(of: body.value)
      }
    }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    return try result.get()
  }

  /// Waits on this loop's clock. Throws immediately when the task is cancelled or the loop closes.
  public func sleep(_ duration: Duration) async throws(CancellationError) {
    let wake = Completion<Void, CancellationError>()
    let timer = schedule(after: duration, { wake.succeed(()) }, abandoned: { wake.fail(.cancelled) })
    defer { timer.cancel() }
    try await wake.value()
  }

  /// Runs `body`, and cancels it when `duration` has passed. Waits for `body` to end in either case; if it ends with an
  /// error after the time limit, the error is `expired`.
  public func withDeadline<T, Failure>(
    _ duration: Duration, expired: @autoclosure () -> Failure, _ body: @escaping () async throws(Failure) -> T
  ) async throws(Failure) -> T {
    let task = spawn(returning: body)
    var isExpired = false
    let timer = schedule(after: duration) {
      isExpired = true
      task.cancel()
    }
    defer { timer.cancel() }
    do throws(Failure) {
      return try await task.join()
    } catch {
      throw isExpired && !Task.isCancelled ? expired() : error
    }
  }
}

/// `Result.init(catching:)` takes no asynchronous function.
private func outcome<T, Failure>(of body: () async throws(Failure) -> T) async -> Result<T, Failure> {
  do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
}

/// A task of a loop whose result stays on that loop.
public struct LoopTask<Value, Failure: Error>: Sendable {
  private let task: Task<Transferred<Result<Value, Failure>>, Never>

  init(_ task: Task<Transferred<Result<Value, Failure>>, Never>) { self.task = task }

  /// Call from any thread.
  public func cancel() { task.cancel() }

  /// Waits for the result. Call on the loop.
  public var result: Result<Value, Failure> {
    get async { await task.value.value }
  }

  /// Waits for the result and returns it, or throws the task's error. Call on the loop.
  public var value: Value {
    get async throws(Failure) { try await result.get() }
  }

  /// Waits for the result; cancelling the waiting task cancels this one. Call on the loop.
  public func join() async throws(Failure) -> Value {
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    return try result.value.get()
  }
}

/// The tasks of a loop that have not ended, so that closing the loop can cancel them.
final class TaskList: Sendable {
  private struct State {
    var cancel: [UInt64: @Sendable () -> Void] = [:]
    var next: UInt64 = 0
    var isOver = false
  }

  private let state = Locked(State())

  /// Adds the task that `make` starts. As its last step, the task calls the closure passed to `make`.
  func keep<Value: Sendable, Failure>(
    _ make: (_ ended: @escaping @Sendable () -> Void) -> Task<Value, Failure>
  ) -> Task<Value, Failure> {
    let number = state.withLock { state in
      state.next &+= 1
      state.cancel[state.next] = {}
      return state.next
    }
    let task = make { [self] in forget(number) }
    let isLate = state.withLock { state in
      // The task may have already ended on another thread.
      if state.cancel[number] != nil { state.cancel[number] = { task.cancel() } }
      return state.isOver
    }
    if isLate { task.cancel() }
    return task
  }

  private func forget(_ number: UInt64) {
    let released = state.withLock { $0.cancel.removeValue(forKey: number) }
    withExtendedLifetime(released) {}
  }

  /// Cancels current and future tasks.
  func cancelAll() {
    let present = state.withLock { state in
      state.isOver = true
      return state.cancel.sorted { $0.key < $1.key }
    }
    for (_, cancel) in present { cancel() }
  }
}
