import Glibc

/// A mutex with a condition.
final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var waiting = 0
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Call inside `locked`. Waits until another thread announces.
  func wait() {
    waiting += 1
    pthread_cond_wait(condition, mutex)
    waiting -= 1
  }

  /// Call inside `locked`.
  func announce() {
    if waiting > 0 { pthread_cond_broadcast(condition) }
  }
}
