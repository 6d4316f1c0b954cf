import EventLoop

/// Commands that had not begun when the program with the link ended. They continue with the tag's next link.
final class CarriedCommands {
  private let loop: EventLoop
  private let limit: Duration
  private var turns: [CommandTurn] = []
  private var timer: LoopTimer?

  init(_ loop: EventLoop, limit: Duration) {
    self.loop = loop
    self.limit = limit
  }

  func add(_ new: [CommandTurn]) {
    guard !new.isEmpty else { return }
    turns += new
    timer = timer ?? loop.schedule(after: limit) { [weak self] in self?.fail(.hostEnded) }
  }

  func move(to queue: CommandQueue) {
    guard !turns.isEmpty else { return }
    queue.adopt(takeAll())
  }

  func fail(_ error: JacquardError) {
    for turn in takeAll() { turn.begun.fail(error) }
  }

  private func takeAll() -> [CommandTurn] {
    timer?.cancel()
    timer = nil
    defer { turns = [] }
    return turns
  }
}
