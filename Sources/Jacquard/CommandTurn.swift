import EventLoop
import JacquardWire

/// The turn of one command: until it ends, nothing of another command is sent to the tag.
final class CommandTurn {
  let begun = Completion<Void>()
  private let queue: CommandQueue
  /// How long the caller waits, from when the first request has been written; nil: as long as the tag has.
  let limit: Duration?
  /// The turn has failed as a whole: the caller's time is over, or the link.
  private(set) var failure: JacquardError?
  private var failWait: ((JacquardError) -> Void)?
  private var timer: LoopTimer?

  init(_ queue: CommandQueue, limit: Duration?) {
    self.queue = queue
    self.limit = limit
  }

  /// The answer to a command, or the error it stands for.
  func send<Answer>(_ command: TagCommand<Answer>) async throws -> Answer {
    try command.result(of: try await exchange(command.request, attempts: command.attempts))
  }

  /// Returns the answer whatever its status; the id is filled in.
  ///
  /// - Parameter attempts: how often the request is sent while it is not answered.
  func exchange(_ request: WireRequest, attempts: Int = 1) async throws -> WireResponse {
    try await queue.exchange(request, in: self, patience: queue.patience, attempts: attempts)
  }

  /// Waits for what the tag reports after its answer, as long as for the answer.
  func report<Value>(_ report: Completion<Value>, of what: String) async throws -> Value {
    guard limit == nil else { return try await value(of: report) }
    let timer = queue.loop.schedule(after: queue.patience) {
      report.fail(JacquardError(.timeout, "The tag did not report \(what) in time."))
    }
    defer { timer.cancel() }
    return try await value(of: report)
  }

  /// Waits for something until the turn fails.
  func value<Value>(of completion: Completion<Value>) async throws -> Value {
    if let failure { completion.fail(failure) }
    failWait = { completion.fail($0) }
    defer { failWait = nil }
    return try await completion.value()
  }

  /// From now on the caller's time passes.
  func startLimit() {
    guard let limit, timer == nil, failure == nil else { return }
    timer = queue.loop.schedule(after: limit) { [weak self] in
      self?.fail(JacquardError(.timeout, "The tag did not respond in time."))
    }
  }

  func fail(_ error: JacquardError) {
    guard failure == nil else { return }
    failure = error
    timer?.cancel()
    failWait?(error)
  }

  func end() { timer?.cancel() }
}
