import Glibc

/// Work that must be completed even if a callback ends its thread: `pthread_exit` unwinds Swift's frames without
/// running their `defer`. CPython before 3.14 calls it in every other thread that takes its lock while it exits.
public protocol UnwoundWork: AnyObject {
  /// Called on that thread, for the innermost work first.
  func threadEnds()
}

/// The work that the calling thread is doing.
public final class ThreadWork {
  private var stack: [any UnwoundWork] = []
  /// In a child process, locks may be held by threads that do not exist there.
  private let process = getpid()

  /// Nil if the process has no keys left.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, { $0.map(threadEnds) }) == 0 ? key : nil
  }()

  private static var current: ThreadWork? {
    key.flatMap { pthread_getspecific($0) }.map { Unmanaged<ThreadWork>.fromOpaque($0).takeUnretainedValue() }
  }

  public static func begin(_ work: any UnwoundWork) {
    guard let key else { return }
    if current == nil { pthread_setspecific(key, Unmanaged.passRetained(ThreadWork()).toOpaque()) }
    current?.stack.append(work)
  }

  /// Ends the work that was begun last.
  public static func end() { _ = current?.stack.popLast() }

  private static func threadEnds(_ pointer: UnsafeMutableRawPointer) {
    guard let key else { return }
    // The work may call back, and the callback may end the thread again: then this is called again.
    pthread_setspecific(key, pointer)
    if let current, current.process == getpid() {
      while let work = current.stack.popLast() { work.threadEnds() }
    }
    pthread_setspecific(key, nil)
    Unmanaged<ThreadWork>.fromOpaque(pointer).release()
  }
}
