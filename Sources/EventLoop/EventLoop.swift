import CLinux
import Glibc
import Synchronization

/// One epoll descriptor for descriptors, timers, posted work and Swift tasks, which run one at a time on the thread
/// that dispatches.
///
/// `post`, `enqueue`, `run`, `close`, `isOnLoop`, `now` and `bootTime` may be used from any thread; everything else may
/// only be used by code that a dispatch runs, or by the owner while no thread dispatches.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
  private static let eventsPerTurn = 64

  private static let wakeKey = UInt64.max
  private static let timerKey = UInt64.max - 1

  private let clock: LoopClock
  private let epoll: SharedDescriptor
  private let timer: SharedDescriptor
  private let queue: WorkQueue

  /// The thread that is dispatching; 0 for none.
  private let owner = Atomic<UInt>(0)
  private let virtualNow = Atomic<Int64>(0)

  let tasks = TaskList()
  private var watches = WatchTable()
  private var timers = TimerHeap()
  private var timerSequence: UInt64 = 0
  /// The setting of the timer descriptor, and whether it has fired since.
  private var armed: LoopInstant?
  private var expired = false
  private var inTurn = false
  /// How many dispatches have begun.
  public private(set) var turns: UInt64 = 0
  private var batch: [WorkQueue.Item] = []
  private var batchStart = 0
  private let events: UnsafeMutablePointer<epoll_event>

  /// Opens descriptors for epoll, wake-ups and timers; throws if the system refuses one. Dispatch with `dispatch()`.
  public init(clock: LoopClock = .monotonic) throws(SystemError) {
    self.clock = clock
    epoll = SharedDescriptor(taking: epoll_create1(Int32(EPOLL_CLOEXEC)))
    guard epoll.rawValue >= 0 else { throw .last("epoll_create1") }
    let wake = SharedDescriptor(taking: eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
    guard wake.rawValue >= 0 else { throw .last("eventfd") }
    timer = SharedDescriptor(
      taking: timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK)))
    guard timer.rawValue >= 0 else { throw .last("timerfd_create") }
    // From here on, `deinit` cleans up if this throws.
    queue = WorkQueue(wakeDescriptor: wake.release())
    events = .allocate(capacity: Self.eventsPerTurn)
    events.initialize(repeating: epoll_event(), count: Self.eventsPerTurn)

    try control(EPOLL_CTL_ADD, queue.wakeDescriptor, EPOLLIN.rawValue, Self.wakeKey)
    try control(EPOLL_CTL_ADD, timer.rawValue, EPOLLIN.rawValue, Self.timerKey)
    if case .virtual(let clock) = clock {
      virtualNow.store(clock.attach(self).nanoseconds, ordering: .releasing)
    }
  }

  deinit {
    queue.closeDescriptor()
    events.deallocate()
  }

  /// Readable whenever `dispatch()` has work to do. Negative after closing.
  public var fileDescriptor: Int32 { epoll.rawValue }

  /// The time on the loop's clock. A monotonic clock is read at each access, not once per dispatch.
  public var now: LoopInstant {
    switch clock {
    case .monotonic: LoopClock.monotonicNow
    case .virtual(let clock):
      if let tick = clock.tick?() { ticked(by: tick) } else { virtualInstant }
    }
  }

  private var virtualInstant: LoopInstant { LoopInstant(nanoseconds: virtualNow.load(ordering: .acquiring)) }

  private func ticked(by tick: Duration) -> LoopInstant {
    let nanoseconds = virtualNow.add(tick.saturatingNanoseconds, ordering: .acquiringAndReleasing).newValue
    return LoopInstant(nanoseconds: nanoseconds)
  }

  /// Nanoseconds of CLOCK_BOOTTIME, for arrival times; those of the virtual clock if the loop has one.
  public var bootTime: Int64 {
    switch clock {
    case .monotonic: BootTime.nanoseconds
    case .virtual: now.nanoseconds
    }
  }

  /// How long the machine has been suspended, which `now` does not include. Always zero with a virtual clock.
  public var timeAsleep: Duration {
    switch clock {
    case .monotonic: BootTime.suspended
    case .virtual: .zero
    }
  }

  /// Whether `close()` has been called. A closed loop accepts no work, watches or timers. Call from any thread.
  public var isClosed: Bool { queue.isClosed }

  /// Whether the calling thread is dispatching.
  public var isOnLoop: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// In debug builds, stops a program that touches the loop's state while another thread dispatches.
  @inline(__always)
  public func assertIsolated(_ file: StaticString = #fileID, _ line: UInt = #line) {
    assert(isOnLoop || owner.load(ordering: .relaxed) == 0, "used off its loop", file: file, line: line)
  }

  // MARK: Dispatching

  /// Runs ready work and returns without waiting. Work beyond the limit keeps the descriptor readable. Meanwhile the
  /// thread cannot be cancelled.
  /// Fails with EDEADLK inside a dispatch, with EBUSY while another thread dispatches, with EBADF after closing.
  public func dispatch() throws(SystemError) {
    var cancellation: Int32 = 0
    pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &cancellation)
    defer { pthread_setcancelstate(cancellation, nil) }
    try turn(waiting: false)
  }

  /// Runs one iteration; with `waiting`, waits for work first.
  func turn(waiting: Bool) throws(SystemError) {
    try claim("dispatch")
    defer { yieldOwnership() }
    guard !queue.isClosed else { throw SystemError(code: EBADF, call: "dispatch") }

    let presumed = waiting ? nil : onlyPossiblyReady
    let count = presumed == nil ? try poll(waiting) : 0

    inTurn = true
    turns &+= 1
    queue.beginTurn()
    var budget = DispatchBudget(clock)
    // Posted work runs first, so that a handler that it adds receives data that arrived later.
    if (0..<Int(count)).contains(where: { events[$0].data.u64 == Self.wakeKey }) { _ = runQueue(&budget) }
    presumed?.handler?(.presumed)
    for index in 0..<Int(count) where !queue.isClosed {
      let event = events[index]
      switch event.data.u64 {
      case Self.wakeKey: break
      case Self.timerKey:
        expired = true
        fireTimers(due: now, &budget)
      case let data:
        watches[WatchTable.Key(epollData: data)]?.handler?(IOReadiness(epollEvents: event.events))
      }
    }
    var unfinished = !runQueue(&budget)
    if case .virtual(let clock) = clock {
      unfinished = !walk(towards: clock.now, &budget) || unfinished
      // The work that ran may have advanced the clock further.
      unfinished = unfinished || virtualInstant < clock.now
    }
    inTurn = false
    rearm()
    queue.endTurn(unfinished: unfinished)
  }

  private func poll(_ waiting: Bool) throws(SystemError) -> Int32 {
    let count = epoll_wait(epoll.rawValue, events, Int32(Self.eventsPerTurn), waiting ? -1 : 0)
    guard count < 0 else { return count }
    guard errno == EINTR else { throw .last("epoll_wait") }
    return 0
  }

  /// The only watch that can have made the loop's descriptor readable. The host has polled the loop's descriptor, so
  /// the system call that asks which one is ready can be saved.
  private var onlyPossiblyReady: IOWatch? {
    guard let watch = watches.only, watch.canPresume, watch.interest == .readable, !queue.isSignalled,
      armed.map({ LoopClock.monotonicNow < $0 }) ?? true
    else { return nil }
    return watch
  }

  private func claim(_ call: String) throws(SystemError) {
    let thread = UInt(pthread_self())
    let (claimed, holder) = owner.compareExchange(expected: 0, desired: thread, ordering: .acquiringAndReleasing)
    guard !claimed else { return }
    throw SystemError(code: holder == thread ? EDEADLK : EBUSY, call: call)
  }

  /// Ends the dispatch of a thread that ends without returning from it, so that another thread can close the loop.
  public func endUnwoundDispatch() {
    inTurn = false
    yieldOwnership()
    drain()
  }

  private func yieldOwnership() {
    owner.store(0, ordering: .releasing)
    if queue.isClosed { finishClosing() }
  }

  /// Returns whether the queue is empty now.
  private func runQueue(_ budget: inout DispatchBudget) -> Bool {
    while true {
      if batchStart == batch.count {
        if !batch.isEmpty { batch.removeAll(keepingCapacity: true) }
        batchStart = 0
        guard queue.take(into: &batch) else { return true }
      }
      guard budget.take() else { return false }
      var item = WorkQueue.Item.done
      swap(&item, &batch[batchStart])
      batchStart += 1
      switch item {
      case .work(let work): if !queue.isClosed { work.value() }
      case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
      case .done: break
      }
    }
  }

  private func fireTimers(due: LoopInstant, _ budget: inout DispatchBudget) {
    while !queue.isClosed, let first = timers.first, first.deadline <= due, budget.take() {
      timers.remove(first)
      first.takeHandler()?()
    }
  }

  /// Whether virtual time has reached `target` with nothing left to run.
  private func walk(towards target: LoopInstant, _ budget: inout DispatchBudget) -> Bool {
    while !queue.isClosed {
      guard runQueue(&budget) else { return false }
      guard let first = timers.first, first.deadline <= target else {
        virtualNow.store(max(target, virtualInstant).nanoseconds, ordering: .releasing)
        return true
      }
      guard budget.take() else { return false }
      virtualNow.store(max(first.deadline, virtualInstant).nanoseconds, ordering: .releasing)
      timers.remove(first)
      first.takeHandler()?()
    }
    return false
  }

  /// Runs the loop up to its virtual clock's time, on this thread if no other thread dispatches.
  func follow(_ clock: VirtualClock) {
    queue.wake()
    while true {
      guard (try? dispatch()) != nil, virtualInstant < clock.now else { return }
    }
  }

  /// Sets the virtual time to `instant`. Due timers run in the next dispatch.
  func jump(to instant: LoopInstant) {
    assertIsolated()
    virtualNow.store(max(instant, virtualInstant).nanoseconds, ordering: .releasing)
    rearm()
  }

  // MARK: Posting

  /// Runs `work` on the loop, after everything posted earlier. May be called from any thread. Returns false and does
  /// not run it after closing.
  @discardableResult
  public func post(_ work: sending @escaping () -> Void) -> Bool { queue.post(Transferred(work)) }

  /// Runs `work` on the loop, after everything posted earlier. Must be called on the loop, so that objects captured by
  /// `work` stay on it. Returns false and does not run it after closing.
  @discardableResult
  public func postHere(_ work: @escaping () -> Void) -> Bool {
    assertIsolated()
    return queue.post(Transferred(work))
  }

  /// Whether posted work is pending.
  public var hasPostedWork: Bool {
    assertIsolated()
    return batchStart < batch.count || !queue.isEmpty
  }

  /// Runs a job of a Swift task on the loop; called by the Swift runtime from any thread.
  public func enqueue(_ job: consuming ExecutorJob) { queue.enqueue(UnownedJob(job)) }

  // MARK: Descriptors

  /// Calls `handler` in each dispatch that finds `descriptor` ready. One watch per descriptor.
  ///
  /// - Parameter canPresume: whether the handler may be called although there is nothing to read.
  public func watch(
    _ descriptor: Int32, for interest: IOInterest, canPresume: Bool = false, _ handler: @escaping (IOReadiness) -> Void
  ) throws(SystemError) -> IOWatch {
    assertIsolated()
    guard !isClosed else { throw SystemError(code: EBADF, call: "watch") }
    let key = watches.reserve()
    do {
      try control(EPOLL_CTL_ADD, descriptor, interest.epollEvents, key.epollData)
    } catch {
      watches.release(key)
      throw error
    }
    let watch = IOWatch(
      descriptor: descriptor, interest: interest, key: key, canPresume: canPresume, loop: self, handler: handler)
    watches.insert(watch)
    return watch
  }

  func modify(_ watch: IOWatch, _ interest: IOInterest) throws(SystemError) {
    assertIsolated()
    guard !isClosed else { throw SystemError(code: EBADF, call: "watch") }
    try control(EPOLL_CTL_MOD, watch.descriptor, interest.epollEvents, watch.key.epollData)
  }

  func cancel(_ watch: IOWatch) {
    assertIsolated()
    guard watches[watch.key] === watch else { return }
    watches.release(watch.key)
    // Fails only if the descriptor is already closed, in which case the kernel has removed it.
    try? control(EPOLL_CTL_DEL, watch.descriptor, 0, 0)
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ data: UInt64) throws(SystemError) {
    var event = epoll_event(events: events, data: epoll_data_t(u64: data))
    guard epoll_ctl(epoll.rawValue, operation, descriptor, &event) == 0 else { throw .last("epoll_ctl") }
  }

  // MARK: Timers

  /// Runs `handler` once, `duration` from now. On a closed loop it never runs.
  @discardableResult
  public func schedule(after duration: Duration, _ handler: @escaping () -> Void) -> LoopTimer {
    schedule(after: duration, handler, abandoned: nil)
  }

  func schedule(
    after duration: Duration, _ handler: @escaping () -> Void, abandoned: (() -> Void)?
  ) -> LoopTimer {
    assertIsolated()
    let timer = LoopTimer(
      deadline: now.advanced(by: max(duration, .zero)), sequence: timerSequence, loop: self, handler: handler,
      abandoned: abandoned)
    timerSequence &+= 1
    guard !isClosed else {
      timer.takeAbandoned()?()
      return timer
    }
    timers.insert(timer)
    rearm()
    return timer
  }

  /// The deadline of the earliest timer; nil if there is none. A virtual clock advances to it.
  public var nextDeadline: LoopInstant? {
    assertIsolated()
    return timers.first?.deadline
  }

  func cancel(_ timer: LoopTimer) {
    assertIsolated()
    guard timer.isPending else { return }
    timers.remove(timer)
    rearm()
  }

  /// Updates the timer descriptor from the heap, once at the end of each iteration.
  private func rearm() {
    guard !inTurn else { return }
    let earliest = timers.first?.deadline
    if case .virtual(let clock) = clock {
      if let earliest, earliest <= clock.now { queue.wake() }
      return
    }
    guard expired || earliest != armed else { return }
    // Setting the timer also clears an unread expiry.
    var setting = itimerspec()
    if let earliest { setting.it_value = earliest.timespec }
    if timerfd_settime(timer.rawValue, Int32(TFD_TIMER_ABSTIME), &setting, nil) == 0 {
      armed = earliest
      expired = false
    }
  }

  // MARK: Closing

  /// Closes the loop: posted work, timers and watches are dropped, tasks are cancelled, sleeping tasks wake with
  /// `CancellationError`, and the descriptors are closed. Remaining tasks finish in `drain()`. Inside a dispatch, this
  /// takes effect when the dispatch ends.
  public func close() {
    guard queue.close() else { return }
    finishClosing()
  }

  /// Call after `close()`: runs the remaining jobs, including those that they enqueue.
  public func drain() {
    guard isClosed, (try? claim("drain")) != nil else { return }
    inTurn = true
    var budget = DispatchBudget.unlimited
    _ = runQueue(&budget)
    inTurn = false
    yieldOwnership()
  }

  private func finishClosing() {
    guard (try? claim("close")) != nil else { return }
    let abandonedTimers = timers.removeAll()
    let abandonedWatches = watches
    watches = WatchTable()
    let abandonedBatch = batch
    batch = abandonedBatch[batchStart...].filter { if case .job = $0 { true } else { false } }
    batchStart = 0
    queue.closeDescriptor()
    timer.close()
    epoll.close()
    for timer in abandonedTimers { timer.takeAbandoned()?() }
    tasks.cancelAll()
    withExtendedLifetime((abandonedWatches, abandonedBatch)) {}
    owner.store(0, ordering: .releasing)
  }
}
