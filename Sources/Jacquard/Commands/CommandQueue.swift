import EventLoop
import JacquardWire

/// The commands to one tag during one link. Those of one program have their turns in the order in which they were
/// called; in the service, programs take turns. During its turn, a command may send several requests and wait for
/// reports.
final class CommandQueue {
  let requests: RequestSender
  let loop: EventLoop
  private let life: LinkLife
  private var waiting: [CommandTurn] = []
  private var lastProcess: Int32 = 0
  /// The origin of each process's last turn, while turns wait.
  private var lastOrigins: [Int32: UInt32] = [:]
  private var current: CommandTurn?
  /// Commands that failed with the link and have not completed yet. Later commands complete after these.
  private var failing: [CommandTurn] = []

  init(_ requests: RequestSender, _ loop: EventLoop, _ life: LinkLife) {
    self.requests = requests
    self.loop = loop
    self.life = life
    life.ends.add { [weak self] in self?.failPending($0) }
    requests.changes.add { [weak self] in
      self?.endOverdueTurn()
      self?.advance()
    }
  }

  // MARK: Turns

  /// Runs `body` after all earlier commands have ended.
  ///
  /// - Parameter limit: see `CommandTurn.limit`.
  func inTurn<Answer>(
    limit: Duration? = nil, of origin: CommandTurn.Origin = .own,
    _ body: (CommandTurn) async throws(JacquardError) -> Answer
  ) async throws(JacquardError) -> Answer {
    let turn = try await begin(limit: limit, origin)
    defer { turn.end() }
    return try await body(turn)
  }

  /// Not inlined, like the other parts of a command that are the same for all commands.
  @inline(never)
  private func begin(limit: Duration?, _ origin: CommandTurn.Origin) async throws(JacquardError) -> CommandTurn {
    try JacquardError.checkCancellation()
    let turn = CommandTurn(self, limit: limit, origin)
    waiting.append(turn)
    endOverdueTurn()
    advance()
    guard current !== turn else { return turn }
    do throws(JacquardError) {
      try await turn.begun.value()
      return turn
    } catch {
      turn.end()
      throw error
    }
  }

  /// A command with one request; returns its response, whatever its status.
  ///
  /// - Parameter begins: called when its turn has come; its error ends the command.
  @inline(never)
  func exchange(
    _ request: WireRequest, deadline: Duration, of origin: CommandTurn.Origin = .own,
    begins: () throws(JacquardError) -> Void = {}, written: @escaping () -> Void = {}
  ) async throws(JacquardError) -> WireResponse {
    try await inTurn(of: origin) { turn throws(JacquardError) in
      try begins()
      return try await requests.exchange(request, in: turn, responseLimit: deadline, written: written)
    }
  }

  private func advance() {
    guard !life.hasEnded else { return failWaiting(JacquardError(.staleTag, JacquardError.Code.staleTag.text)) }
    guard current == nil, requests.isFree, !waiting.isEmpty else { return }
    let turn = takeNext()
    current = turn
    turn.begun.succeed(())
  }

  /// Takes the first turn of the origin that follows its process's last one. Origins have turns in a circle, and so do
  /// processes.
  private func takeNext() -> CommandTurn {
    func distance(_ turn: CommandTurn) -> (UInt32, UInt32) {
      let (origin, process) = (turn.origin.rawValue, turn.origin.process)
      return (UInt32(bitPattern: process &- lastProcess &- 1), origin &- (lastOrigins[process] ?? 0) &- 1)
    }
    var next = 0
    for index in waiting.indices.dropFirst() where distance(waiting[index]) < distance(waiting[next]) { next = index }
    let turn = waiting.remove(at: next)
    guard turn.origin != .own else { return turn }
    lastProcess = turn.origin.process
    if waiting.isEmpty { lastOrigins = [:] } else { lastOrigins[lastProcess] = turn.origin.rawValue }
    return turn
  }

  func ended(_ turn: CommandTurn) {
    failing.removeAll { $0 === turn }
    if current === turn { current = nil } else { waiting.removeAll { $0 === turn } }
    advance()
  }

  private func failWaiting(_ error: JacquardError) {
    guard failing.isEmpty else { return }
    failing = waiting
    waiting = []
    for turn in failing { turn.begun.fail(error) }
  }

  /// Fails all pending commands, in order.
  private func failPending(_ error: JacquardError) {
    current?.fail(error)
    failWaiting(error)
    if let current { failing.append(current) }
  }

  /// A program of the service waits for a late response only as long as no other program waits for its turn.
  private func endOverdueTurn() {
    guard let overdue = requests.overdue, let current, current.origin != .own,
      waiting.contains(where: { $0.origin != current.origin })
    else { return }
    current.fail(RequestSender.noAnswer(to: overdue))
  }

  // MARK: Waiting

  /// Waits for `duration`. Throws if the link ends first.
  func wait(for duration: Duration) async throws(JacquardError) {
    let error: JacquardError?
    do throws(CancellationError) {
      error = try await life.ends.until(within: duration, on: loop) { [life] in life.endedBy }
    } catch {
      throw .cancelled
    }
    if let error { throw error }
  }

  /// Waits for a report outside a turn, for at most `limit` and until the link ends.
  func value<Value>(of report: Completion<Value, JacquardError>, limit: Duration) async throws(JacquardError) -> Value {
    if life.hasEnded { throw JacquardError(.staleTag, JacquardError.Code.staleTag.text) }
    let observation = life.ends.add { report.fail($0) }
    let timer = requests.timer(after: limit) {
      report.fail(JacquardError(.timeout, JacquardError.Code.timeout.text))
    }
    defer {
      observation.cancel()
      timer.cancel()
    }
    return try await report.value()
  }
}
