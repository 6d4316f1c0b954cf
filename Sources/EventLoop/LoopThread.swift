import CLinux
import Glibc
import Synchronization

/// One thread that dispatches a loop until stopped. It blocks all signals, so that the program's threads handle them,
/// and cannot be cancelled.
public final class LoopThread: Sendable {
  private final class Context: ThreadWork, @unchecked Sendable {
    let loop: EventLoop
    let name: String
    let stopping = Atomic(false)

    init(loop: EventLoop, name: String) {
      self.loop = loop
      self.name = name
    }

    func run() {
      linux_set_thread_name(name)
      pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), nil)
      perform {
        while !stopping.load(ordering: .acquiring), (try? loop.turn(waiting: true)) != nil {}
        // If the loop was closed on this thread, its tasks must be finished here.
        loop.drain()
      }
    }

    override func threadEnds() { loop.endUnwoundDispatch() }
  }

  private let context: Context
  private let thread: pthread_t
  private let joined = Locked(false)

  /// Starts the thread. Tools such as ps show the first 15 characters of its name.
  public init(_ loop: EventLoop, name: String = "jacquard") throws(SystemError) {
    context = Context(loop: loop, name: String(name.prefix(15)))

    // A thread inherits its creator's signal mask. Setting it before and restoring it after creation leaves no gap.
    var everything = sigset_t()
    var previous = sigset_t()
    sigfillset(&everything)
    pthread_sigmask(SIG_SETMASK, &everything, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    let retained = Unmanaged.passRetained(context)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Context>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, retained.toOpaque())
    guard status == 0 else {
      retained.release()
      throw SystemError(code: status, call: "pthread_create")
    }
    self.thread = thread
  }

  deinit {
    stop()
    if isCurrent { joined.withLock { if !$0 { pthread_detach(thread) } } }
  }

  private var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// Returns when the thread has ended. If called on that thread, returns immediately, and the thread ends after the
  /// current dispatch.
  public func stop() {
    context.stopping.store(true, ordering: .releasing)
    guard !isCurrent else { return }
    context.loop.post {}
    joined.withLock { joined in
      if !joined { pthread_join(thread, nil) }
      joined = true
    }
  }
}
