/// Timers by deadline; those with equal deadlines in the order of their creation. Each timer knows its index, so
/// cancelling one needs no search.
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
