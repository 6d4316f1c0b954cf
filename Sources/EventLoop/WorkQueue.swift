import CLinux
import Glibc
import Synchronization

/// The work that other threads, and the loop itself, have posted to the loop, in order. It is the only part of the loop
/// that threads share.
///
/// The eventfd is written only while no iteration is running, because an iteration checks the queue before it ends:
/// work that the loop posts to itself needs no system call.
final class WorkQueue: Sendable {
  enum Item: Sendable {
    case work(Transferred<() -> Void>)
    case job(UnownedJob)
    /// A slot whose work has run.
    case done
  }

  private struct State {
    var items: [Item] = []
    var wakeDescriptor: Int32
    var inTurn = false
    /// Whether another iteration must follow the current one, even if the queue is empty then.
    var nudged = false
    var signalled = false

    mutating func signal() {
      guard !signalled, wakeDescriptor >= 0 else { return }
      signalled = true
      eventfd_write(wakeDescriptor, 1)
    }

    mutating func calm() {
      guard signalled, wakeDescriptor >= 0 else { return }
      signalled = false
      var count: eventfd_t = 0
      eventfd_read(wakeDescriptor, &count)
    }
  }

  private let state: Locked<State>
  private let closed = Atomic(false)

  init(wakeDescriptor: Int32) {
    state = Locked(State(wakeDescriptor: wakeDescriptor))
  }

  /// Readable while there is unseen work. Negative after closing.
  var wakeDescriptor: Int32 { state.withLock { $0.wakeDescriptor } }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  var isEmpty: Bool { state.withLock { $0.items.isEmpty } }

  /// Whether the descriptor is readable.
  var isSignalled: Bool { state.withLock { $0.signalled } }

  /// Returns false and queues nothing after closing.
  func post(_ work: Transferred<() -> Void>) -> Bool {
    state.withLock { state in
      guard !isClosed else { return false }
      state.items.append(.work(work))
      if !state.inTurn { state.signal() }
      return true
    }
  }

  /// Also accepted after closing, because the concurrency runtime cannot handle a refusal.
  func enqueue(_ job: UnownedJob) {
    state.withLock { state in
      state.items.append(.job(job))
      if !state.inTurn { state.signal() }
    }
  }

  /// Makes sure that an iteration begins after this call.
  func wake() {
    state.withLock { state in
      if state.inTurn { state.nudged = true } else { state.signal() }
    }
  }

  func beginTurn() {
    state.withLock { $0.inTurn = true }
  }

  /// - Parameter unfinished: whether the iteration has remaining work.
  func endTurn(unfinished: Bool) {
    state.withLock { state in
      state.inTurn = false
      if unfinished || state.nudged || !state.items.isEmpty { state.signal() } else { state.calm() }
      state.nudged = false
    }
  }

  /// Moves everything queued to `items`, which must be empty. Returns false if nothing is queued.
  func take(into items: inout [Item]) -> Bool {
    state.withLock { state in
      guard !state.items.isEmpty else { return false }
      swap(&items, &state.items)
      return true
    }
  }

  /// Returns false if it was already closed. Posted work is dropped, jobs stay.
  func close() -> Bool {
    var dropped: [Item] = []
    let first = state.withLock { state in
      guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return false }
      dropped = state.items
      state.items = dropped.filter { if case .job = $0 { true } else { false } }
      state.signal()
      return true
    }
    dropped.removeAll()  // Outside the lock: releasing a closure may run anything.
    return first
  }

  func closeDescriptor() {
    state.withLock { state in
      guard state.wakeDescriptor >= 0 else { return }
      _ = Glibc.close(state.wakeDescriptor)
      state.wakeDescriptor = -1
    }
  }
}
