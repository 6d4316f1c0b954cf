import BlueZ
import EventLoop
import JacquardWire

/// Sends the requests of a command queue, one at a time.
protocol RequestWriter: AnyObject {
  /// Calls `overdue` if the request's last fragment is not accepted in time, and `completion` when it has been accepted or the
  /// write has failed.
  ///
  func write(
    _ request: WireRequest, _ limits: RequestLimits, overdue: @escaping () -> Void,
    completion: @escaping (Result<Void, JacquardError>) -> Void)

  /// No one awaits the response to this request any more, unless it has been written and the tag's time limit has not
  /// passed.
  func abandon(_ id: UInt32)
}

/// The time limits of a request, which start when it has been written.
struct RequestLimits {
  /// The caller's; nil: only the tag's.
  var caller: Duration?
  /// The tag's, for its response.
  var response: Duration
}

/// Learns of requests before they are written, and of responses before their callers do, even if no caller waits.
protocol RequestObserver: AnyObject {
  func requested(_ request: WireRequest)
  func answered(_ request: WireRequest, _ response: WireResponse)
}

/// The commands to one tag during one link. Those of one program have their turns in the order in which they were called;
/// in the service, programs take turns.
///
/// Each command has a turn, with one request in flight at a time. A request is in flight until the tag responds or the
/// tag's time limit has passed, even if its caller no longer waits, so that a tag never receives partial packets or two
/// requests at the same time.
final class CommandQueue {
  /// The response to any attempt of one request, which a caller awaits.
  private final class Exchange {
    var request: WireRequest
    let turn: CommandTurn
    let responseLimit: Duration
    let written: () -> Void
    var answer = Completion<WireResponse, JacquardError>()
    var isWritten = false
    /// The IDs of earlier attempts.
    var earlierIDs: [UInt32] = []

    init(_ request: WireRequest, _ turn: CommandTurn, _ responseLimit: Duration, _ written: @escaping () -> Void) {
      self.request = request
      self.turn = turn
      self.responseLimit = responseLimit
      self.written = written
    }
  }

  /// One attempt of the request, being written or awaiting its response.
  private final class Flight {
    let id: UInt32
    let exchange: Exchange
    let isLast: Bool
    var isWritten = false
    /// bluetoothd has not replied in time; it may still write the request.
    var isUnconfirmed = false
    var isAnswered = false
    /// The tag's time limit has passed; only the caller still waits.
    var isOverdue = false
    var timer: ServiceTimer?
    /// The next request, which waits for the end of this one.
    private var next: Completion<Void, JacquardError>?
    private var patience: ServiceTimer?

    init(_ id: UInt32, _ exchange: Exchange, isLast: Bool) {
      self.id = id
      self.exchange = exchange
      self.isLast = isLast
    }

    func land() {
      cancelTimers()
      next?.succeed(())
    }

    func cancelTimers() {
      timer?.cancel()
      patience?.cancel()
    }

    /// Completes when it lands. Without bluetoothd's reply that may take any time; then it fails after `limit`.
    func landing(limit: Duration, in queue: CommandQueue) -> Completion<Void, JacquardError> {
      let landing = Completion<Void, JacquardError>()
      next = landing
      limitLanding(limit, in: queue)
      return landing
    }

    func limitLanding(_ limit: Duration, in queue: CommandQueue) {
      patience?.cancel()
      guard isUnconfirmed, let next else { return }
      patience = queue.timer(after: limit) { next.fail(.unwritten) }
    }
  }

  private static let unlikelyError: UInt8 = 0x0e

  let loop: EventLoop
  /// Nil if the service has the link.
  private let cache: ObjectCache?
  /// The tag's default time limit for a response, and for a report that follows it.
  let responseLimit: Duration
  /// How long a response may take at most if the service limits its time; nil if this queue does.
  private let serviceLimit: Duration?
  private let log: Log
  private let statistics: Statistics
  private let writer: RequestWriter
  private let observer: RequestObserver?
  private let life: LinkLife
  private var waiting: [CommandTurn] = []
  private var lastOrigin = CommandTurn.Origin.own
  private var current: CommandTurn?
  private var awaited: Exchange?
  private var flight: Flight?
  private var lastID: UInt32 = 0
  /// Commands that failed with the link and have not completed yet. Later commands complete after these.
  private var failing: [CommandTurn] = []

  init(
    loop: EventLoop, cache: ObjectCache? = nil, log: Log, statistics: Statistics, responseLimit: Duration,
    serviceLimit: Duration? = nil,
    _ life: LinkLife, _ writer: RequestWriter, _ observer: RequestObserver?
  ) {
    self.life = life
    self.loop = loop
    self.cache = cache
    self.log = log
    self.statistics = statistics
    self.responseLimit = responseLimit
    self.serviceLimit = serviceLimit
    self.writer = writer
    self.observer = observer
    life.ends.add { [weak self] in self?.failPending($0) }
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
  @inline(never)
  func exchange(
    _ request: WireRequest, deadline: Duration, of origin: CommandTurn.Origin = .own,
    written: @escaping () -> Void = {}
  ) async throws(JacquardError) -> WireResponse {
    try await inTurn(of: origin) { turn throws(JacquardError) in
      try await turn.queue.exchange(request, in: turn, responseLimit: deadline, written: written)
    }
  }

  private func advance() {
    guard !life.hasEnded else { return failWaiting(JacquardError(.staleTag, JacquardError.Code.staleTag.text)) }
    guard current == nil, flight?.isUnconfirmed ?? true, !waiting.isEmpty else { return }
    let turn = takeNext()
    current = turn
    turn.begun.succeed(())
  }

  /// The first turn of the origin that follows the last one's, in a circle.
  private func takeNext() -> CommandTurn {
    func distance(_ turn: CommandTurn) -> UInt32 { turn.origin.rawValue &- lastOrigin.rawValue &- 1 }
    var next = 0
    for index in waiting.indices where distance(waiting[index]) < distance(waiting[next]) { next = index }
    lastOrigin = waiting[next].origin
    return waiting.remove(at: next)
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
    flight?.cancelTimers()
    flight = nil
    current?.fail(error)
    failWaiting(error)
    if let current { failing.append(current) }
  }

  /// A time limit of the tag, which does not pass while bluetoothd does not respond.
  func timer(after limit: Duration, _ expired: @escaping () -> Void) -> ServiceTimer {
    ServiceTimer(loop, cache, after: limit, expired)
  }

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
    let timer = timer(after: limit) {
      report.fail(JacquardError(.timeout, JacquardError.Code.timeout.text))
    }
    defer {
      observation.cancel()
      timer.cancel()
    }
    return try await report.value()
  }

  // MARK: Requests

  @inline(never)
  func exchange(
    _ request: WireRequest, in turn: CommandTurn, responseLimit: Duration, attempts: Int = 1,
    written: @escaping () -> Void = {}
  ) async throws(JacquardError) -> WireResponse {
    try await awaitLanding(in: turn)
    let exchange = Exchange(request, turn, responseLimit, written)
    awaited = exchange
    defer { forget(exchange) }
    var attempt = 1
    while true {
      try JacquardError.checkCancellation()
      if let failure = life.endedBy ?? turn.failure { throw failure }
      send(exchange, isLast: attempt == attempts)
      do throws(JacquardError) {
        return try await turn.value(of: exchange.answer)
      } catch {
        guard error.code == .timeout, turn.failure == nil, attempt < attempts else { throw error }
        attempt += 1
        try await awaitLanding(in: turn)
        exchange.earlierIDs.append(exchange.request.id)
        exchange.answer = Completion()
      }
    }
  }

  /// The packet of a request at the end of the link, whose response no one awaits. Nil if the tag may have a part
  /// of another request, or has not responded to it.
  func lastPacket(of request: WireRequest) -> [UInt8]? {
    guard !life.hasEnded, flight == nil else { return nil }
    var request = request
    lastID = nextID
    request.id = lastID
    return request.packet()
  }

  /// 1...254: the reference SDKs' comments exclude 0, and they never send 255.
  private var nextID: UInt32 { lastID % 254 + 1 }

  private func awaitLanding(in turn: CommandTurn) async throws(JacquardError) {
    guard let flight else { return }
    try await turn.value(of: flight.landing(limit: responseLimit, in: self))
  }

  /// The caller has the response or no longer waits.
  private func forget(_ exchange: Exchange) {
    awaited = nil
    guard let flight else { return }
    if flight.isOverdue { return giveUp(flight) }
    if flight.exchange === exchange, !flight.isWritten, !flight.isAnswered { writer.abandon(flight.id) }
  }

  private func send(_ exchange: Exchange, isLast: Bool) {
    lastID = nextID
    exchange.request.id = lastID
    let flight = Flight(lastID, exchange, isLast: isLast)
    self.flight = flight
    observer?.requested(exchange.request)
    let overdue = { [weak self] in
      if let self { writeIsOverdue(flight) }
    }
    let limits = RequestLimits(caller: exchange.turn.limit, response: exchange.responseLimit)
    writer.write(exchange.request, limits, overdue: overdue) { [self] result in
      switch result {
      case .success: written(flight)
      case .failure(let error): failed(flight, error)
      }
    }
  }

  /// The next request waits for this one, so that the tag never receives both at the same time.
  private func writeIsOverdue(_ flight: Flight) {
    guard self.flight === flight, !flight.isWritten else { return }
    flight.isUnconfirmed = true
    flight.limitLanding(responseLimit, in: self)
    flight.exchange.answer.fail(.unwritten)
    advance()
  }

  private func written(_ flight: Flight) {
    flight.isWritten = true
    guard !life.hasEnded else { return }
    noteWritten(flight.exchange)
    if flight.isAnswered { return land(flight) }
    flight.timer = timer(after: serviceLimit ?? flight.exchange.responseLimit) { [weak self] in
      self?.responseLimitPassed(with: flight)
    }
  }

  /// If the end of the link interrupts or precedes a write, BlueZ fails it with its own ATT error, or because there is no link,
  /// before it reports the end of the link.
  private func failed(_ flight: Flight, _ error: JacquardError) {
    let linkMayHaveEnded = error.attCode == Self.unlikelyError || error.code == .connectionLost
    guard linkMayHaveEnded, !life.hasEnded else { return land(flight, life.endedBy ?? error) }
    loop.spawn { [self] in
      _ = try? await life.ends.until(within: Deadlines.closingDelay, on: loop) { [life] in life.endedBy }
      land(flight, life.endedBy ?? error)
    }
  }

  private func noteWritten(_ exchange: Exchange) {
    guard awaited === exchange, !exchange.isWritten else { return }
    exchange.isWritten = true
    exchange.written()
    exchange.turn.startLimit()
  }

  private func responseLimitPassed(with flight: Flight) {
    let exchange = flight.exchange
    if flight.isLast, exchange.turn.limit != nil, awaited === exchange {
      flight.isOverdue = true
      endOverdueTurn()
    } else {
      giveUp(flight)
    }
  }

  private func giveUp(_ flight: Flight) {
    writer.abandon(flight.id)
    land(flight, Self.noAnswer(to: flight.id))
  }

  /// A program of the service waits for a late response only as long as no other program waits for its turn.
  private func endOverdueTurn() {
    guard let flight, flight.isOverdue, let current, current.origin != .own,
      waiting.contains(where: { $0.origin != current.origin })
    else { return }
    current.fail(Self.noAnswer(to: flight.id))
  }

  private static func noAnswer(to id: UInt32) -> JacquardError {
    JacquardError(.timeout, "The tag did not respond to request \(id) in time.")
  }

  private func land(_ flight: Flight, _ error: JacquardError? = nil) {
    flight.cancelTimers()
    guard self.flight === flight else { return }
    self.flight = nil
    if let error { flight.exchange.answer.fail(error) }
    flight.land()
    advance()
  }

  // MARK: Responses

  /// The request gets no response, as the service reports.
  func failed(_ id: UInt32, _ error: JacquardError) {
    guard let flight, flight.id == id, !life.hasEnded else { return }
    land(flight, error)
  }

  /// Handles a packet from the response characteristic.
  func receive(_ packet: UnsafeRawBufferPointer) {
    guard let response = try? WireResponse(packet: packet) else { return receiveMalformed(packet.count) }
    if let flight, flight.id == response.id, !flight.isAnswered {
      flight.isAnswered = true
      // It may arrive before BlueZ's reply that the request has been written.
      noteWritten(flight.exchange)
      observer?.answered(flight.exchange.request, response)
      if awaited === flight.exchange, flight.exchange.answer.succeed(response) {
        count(flight.exchange)
      } else {
        drop(.debug, "the response to request \(response.id), which timed out or was cancelled")
      }
      if flight.isWritten { land(flight) }
    } else if let awaited, awaited.earlierIDs.contains(response.id), awaited.answer.succeed(response) {
      observer?.answered(awaited.request, response)
      count(awaited)
    } else {
      drop(.warning, "a late or repeated response to request \(response.id)")
    }
  }

  /// A program of the service counts its responses itself.
  private func count(_ exchange: Exchange) {
    if exchange.turn.origin == .own { statistics.countResponse() }
  }

  /// It can only belong to the request in flight. Its ID is unknown, so that response may still follow.
  private func receiveMalformed(_ count: Int) {
    drop(.warning, "a response of \(count) bytes that cannot be decoded")
    guard let awaited, flight?.exchange === awaited, flight?.isAnswered == false else { return }
    awaited.answer.fail(
      JacquardError(.malformedResponse, "The tag's response to \(awaited.request.command) cannot be decoded."))
  }

  private func drop(_ level: Log.Level, _ what: @autoclosure () -> String) {
    statistics.countDroppedResponse()
    log(level, .wire, "dropped \(what())")
  }
}
