/// The timers, tasks and posted closures that one dispatch may still run, so that a program with other work in the same
/// thread is not held up.
struct DispatchBudget {
  private static let most = 256
  /// The longest turn; running work is finished. Virtual time does not pass during a turn.
  private static let longest: Duration = .milliseconds(5)

  private var left: Int
  private let isTimed: Bool
  private var end: LoopInstant?

  init(_ clock: LoopClock) {
    left = Self.most
    if case .monotonic = clock { isTimed = true } else { isTimed = false }
  }

  private init() {
    left = .max
    isTimed = false
  }

  static var unlimited: DispatchBudget { DispatchBudget() }

  /// Returns whether one more may run, and counts it.
  mutating func take() -> Bool {
    guard left > 0 else { return false }
    left -= 1
    guard isTimed else { return true }
    let now = LoopClock.monotonicNow
    if let end { return now < end }
    end = now.advanced(by: Self.longest)
    return true
  }
}
