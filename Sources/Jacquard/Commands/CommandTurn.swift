import EventLoop
import JacquardWire

/// The turn of one command: until it ends, nothing of another command is sent to the tag.
final class CommandTurn {
  /// A program whose commands keep their order: this one, or one that uses the service.
  struct Origin: RawRepresentable, Equatable {
    let rawValue: UInt32
    /// The process: one with many connections has no more turns than another one.
    let process: Int32

    init(rawValue: UInt32) { self.init(rawValue: rawValue, process: 0) }

    init(rawValue: UInt32, process: Int32) { (self.rawValue, self.process) = (rawValue, process) }

    static let own = Origin(rawValue: 0)
  }

  let begun = Completion<Void, JacquardError>()
  let origin: Origin
  let queue: CommandQueue
  /// The caller's time limit, starting when the first request has been written; nil: the tag's time limit.
  let limit: Duration?
  /// The whole turn has failed: the caller's time limit has passed or the link was lost.
  private(set) var failure: JacquardError?
  private var failWait: ((JacquardError) -> Void)?
  private var timer: LoopTimer?
  private var firstRequest: LoopInstant?

  init(_ queue: CommandQueue, limit: Duration?, _ origin: Origin) {
    self.queue = queue
    self.limit = limit
    self.origin = origin
  }

  /// The response to a command, or the error that it represents.
  ///
  /// - Parameter responseLimit: the tag's time limit; nil: that of all other commands.
  func send<Answer>(
    _ command: TagCommand<Answer>, responseLimit: Duration? = nil
  ) async throws(JacquardError) -> Answer {
    try command.result(
      of: try await exchange(command.request, attempts: command.attempts, responseLimit: responseLimit))
  }

  /// Returns the response, whatever its status; fills in the ID.
  ///
  /// - Parameter attempts: how many times the request is sent if there is no response.
  func exchange(
    _ request: WireRequest, attempts: Int = 1, responseLimit: Duration? = nil
  ) async throws(JacquardError) -> WireResponse {
    try await queue.requests.exchange(
      request, in: self, responseLimit: responseLimit ?? queue.requests.responseLimit, attempts: attempts)
  }

  /// Waits for a report that follows the response, with the same time limit as for the response.
  func report<Value>(_ report: Completion<Value, JacquardError>, of what: String) async throws(JacquardError) -> Value {
    guard limit == nil else { return try await value(of: report) }
    let timer = queue.requests.timer(after: queue.requests.responseLimit) {
      report.fail(JacquardError(.timeout, "The tag did not report \(what) in time."))
    }
    defer { timer.cancel() }
    return try await value(of: report)
  }

  /// Waits for a completion until the turn fails.
  func value<Value>(of completion: Completion<Value, JacquardError>) async throws(JacquardError) -> Value {
    if let failure { completion.fail(failure) }
    failWait = { completion.fail($0) }
    defer { failWait = nil }
    return try await completion.value()
  }

  /// How long ago the first request was sent to a service; zero without the caller's time limit, because each request
  /// has its own then.
  func requested(at now: LoopInstant) -> Duration {
    let first = firstRequest ?? now
    firstRequest = first
    return limit == nil ? .zero : first.duration(to: now)
  }

  /// Starts the caller's time limit.
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

  func end() {
    timer?.cancel()
    queue.ended(self)
  }
}
