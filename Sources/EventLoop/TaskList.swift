/// The tasks of a loop that have not ended, so that closing the loop can cancel them.
final class TaskList: Sendable {
  private struct State {
    var cancel: [UInt64: @Sendable () -> Void] = [:]
    var next: UInt64 = 0
    var isOver = false
  }

  private let state = Locked(State())

  /// The task that `make` starts; its last step is to call the closure passed to `make`.
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
      // Unless it has already ended on another thread.
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

  /// Current and future tasks.
  func cancelAll() {
    let present = state.withLock { state in
      state.isOver = true
      return state.cancel.sorted { $0.key < $1.key }
    }
    for (_, cancel) in present { cancel() }
  }
}
