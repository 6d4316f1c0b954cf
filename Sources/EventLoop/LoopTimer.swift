/// A one-shot timer.
public final class LoopTimer {
  /// The time on the loop's clock at which the handler is due.
  public let deadline: LoopInstant
  let sequence: UInt64
  /// The timer's index in the heap; nil after it fired or was cancelled.
  var position: Int?
  private(set) var handler: (() -> Void)?
  private(set) var abandoned: (() -> Void)?
  private weak var loop: EventLoop?

  /// - Parameter abandoned: runs instead of `handler` if the loop closes first.
  init(
    deadline: LoopInstant, sequence: UInt64, loop: EventLoop?, handler: @escaping () -> Void,
    abandoned: (() -> Void)? = nil
  ) {
    self.deadline = deadline
    self.sequence = sequence
    self.loop = loop
    self.handler = handler
    self.abandoned = abandoned
  }

  /// Whether the handler may still run: false once it has begun, after `cancel()`, and on a closed loop.
  public var isPending: Bool { position != nil }

  /// The handler does not run after this.
  public func cancel() {
    loop?.cancel(self)
    _ = takeHandler()
  }

  func takeHandler() -> (() -> Void)? {
    defer { (handler, abandoned, loop) = (nil, nil, nil) }
    return handler
  }

  func takeAbandoned() -> (() -> Void)? {
    defer { (handler, abandoned, loop) = (nil, nil, nil) }
    return abandoned
  }

  func precedes(_ other: LoopTimer) -> Bool {
    deadline == other.deadline ? sequence < other.sequence : deadline < other.deadline
  }
}

/// Timers ordered by deadline, then by creation. Each timer knows its index, so cancelling one needs no search.
struct TimerHeap {
  private var timers: [LoopTimer] = []

  var first: LoopTimer? { timers.first }

  mutating func insert(_ timer: LoopTimer) {
    timers.append(timer)
    timer.position = timers.count - 1
    rise(timers.count - 1)
  }

  mutating func remove(_ timer: LoopTimer) {
    guard let position = timer.position else { return }
    timer.position = nil
    let last = timers.removeLast()
    guard last !== timer else { return }
    timers[position] = last
    last.position = position
    rise(position)
    sink(last.position ?? position)
  }

  mutating func removeAll() -> [LoopTimer] {
    defer { timers = [] }
    for timer in timers { timer.position = nil }
    return timers.sorted { $0.precedes($1) }
  }

  private mutating func rise(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard timers[child].precedes(timers[parent]) else { return }
      exchange(child, parent)
      child = parent
    }
  }

  private mutating func sink(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < timers.count && timers[child].precedes(timers[least]) { least = child }
      guard least != parent else { return }
      exchange(parent, least)
      parent = least
    }
  }

  private mutating func exchange(_ left: Int, _ right: Int) {
    timers.swapAt(left, right)
    timers[left].position = left
    timers[right].position = right
  }
}
