import CLinux
import Glibc

/// Work that must be completed even if a callback ends its thread: `pthread_exit` unwinds Swift's frames without
/// running their `defer`. CPython before 3.14 calls it in every other thread that takes its lock while it exits.
open class ThreadWork: @unchecked Sendable {
  /// The work that the thread was performing before. It is not retained, because unwound frames would not release it.
  private final var outer: UnsafeMutableRawPointer?

  public init() {}

  /// Called on the thread that ends, for the innermost work first.
  open func threadEnds() {}

  /// Not inlined, because each module that called `linux_thread_work` would have separate memory.
  @inline(never)
  public final func perform(_ body: () throws -> Void) rethrows {
    let thread = linux_thread_work()!
    if thread.pointee.process == 0 { Self.observe(thread) }
    outer = thread.pointee.innermost
    thread.pointee.innermost = Unmanaged.passUnretained(self).toOpaque()
    defer { thread.pointee.innermost = outer }
    try body()
  }

  /// Nil if the process has no keys left.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, { _ in threadEnds() }) == 0 ? key : nil
  }()

  private static func observe(_ thread: UnsafeMutablePointer<linux_work>) {
    guard let key, pthread_setspecific(key, thread) == 0 else { return }
    thread.pointee.process = getpid()
  }

  private static func threadEnds() {
    let thread = linux_thread_work()!
    // In a child process, locks may be held by threads that do not exist there.
    while thread.pointee.process == getpid(), let innermost = thread.pointee.innermost {
      // `destroy` may end the thread again: then this is called again.
      observe(thread)
      let work = Unmanaged<ThreadWork>.fromOpaque(innermost).takeUnretainedValue()
      thread.pointee.innermost = work.outer
      work.threadEnds()
    }
    if let key { pthread_setspecific(key, nil) }
    thread.pointee = linux_work()
  }
}
