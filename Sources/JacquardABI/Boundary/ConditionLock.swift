import Glibc

/// A value shared by threads, protected by a lock, with a condition variable to wait for its changes.
final class ConditionLock<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State
  private var waiting = 0

  init(_ state: sending State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func withLock<Value>(_ body: (inout sending State) -> sending Value) -> sending Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Waits until `isMet` returns true; it is called again after each `announce`.
  func withLock<Value>(
    when isMet: (State) -> Bool, _ body: (inout sending State) -> sending Value
  ) -> sending Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !isMet(state) {
      waiting += 1
      pthread_cond_wait(condition, mutex)
      waiting -= 1
    }
    return body(&state)
  }

  /// Runs `body` with the lock; afterwards all waiting threads check their conditions again.
  func announce<Value>(_ body: (inout sending State) -> sending Value) -> sending Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if waiting > 0 { pthread_cond_broadcast(condition) }
    return body(&state)
  }
}
