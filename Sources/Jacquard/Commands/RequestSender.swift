import BlueZ
import EventLoop
import JacquardWire

/// Sends the requests to one tag during one link, one at a time, and matches the responses to them.
///
/// A request is in flight until the tag responds or the tag's time limit has passed, even if its caller no longer
/// waits, so that a tag never receives partial packets or two requests at the same time.
final class RequestSender {
  private static let unlikelyError: UInt8 = 0x0e

  /// Sent when `isFree` or `overdue` may have changed.
  let changes = Observers<Void>()
  /// The tag's default time limit for a response, and for a report that follows it.
  let responseLimit: Duration
  private let loop: EventLoop
  /// Nil if the service has the link.
  private let cache: ObjectCache?
  /// How much longer than its limit a request may take if the service has the link; nil if this program has it.
  private let grace: ServiceGrace?
  private let log: TagLog
  private let statistics: Statistics
  private let writer: RequestWriter
  private let observer: RequestObserver?
  private let life: LinkLife
  private var awaited: RequestExchange?
  private var flight: RequestFlight?
  private var lastID: UInt32 = 0

  init(
    loop: EventLoop, cache: ObjectCache? = nil, log: TagLog, statistics: Statistics, responseLimit: Duration,
    grace: ServiceGrace? = nil, _ life: LinkLife, _ writer: RequestWriter, _ observer: RequestObserver?
  ) {
    self.life = life
    self.loop = loop
    self.cache = cache
    self.log = log
    self.statistics = statistics
    self.responseLimit = responseLimit
    self.grace = grace
    self.writer = writer
    self.observer = observer
    life.ends.add { [weak self] _ in
      self?.flight?.cancelTimers()
      self?.flight = nil
    }
  }

  /// Whether the next command may begin: none is in flight that the tag may still respond to.
  var isFree: Bool { flight?.isUnconfirmed ?? true }

  /// The request whose caller still waits although the tag's time limit has passed.
  var overdue: UInt32? { flight.flatMap { $0.isOverdue ? $0.id : nil } }

  /// A time limit of the tag, which does not pass while bluetoothd does not respond.
  func timer(after limit: Duration, _ expired: @escaping () -> Void) -> ServiceTimer {
    ServiceTimer(loop, cache, after: limit, expired)
  }

  // MARK: Requests

  @inline(never)
  func exchange(
    _ request: WireRequest, in turn: CommandTurn, responseLimit: Duration, attempts: Int = 1,
    written: @escaping () -> Void = {}
  ) async throws(JacquardError) -> WireResponse {
    try await awaitLanding(in: turn)
    let exchange = RequestExchange(request, turn, responseLimit, written)
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
  private func forget(_ exchange: RequestExchange) {
    awaited = nil
    guard let flight else { return }
    if flight.isOverdue { return giveUp(flight) }
    if flight.exchange === exchange, !flight.isWritten, !flight.isAnswered { writer.abandon(flight.id) }
  }

  private func send(_ exchange: RequestExchange, isLast: Bool) {
    lastID = nextID
    exchange.request.id = lastID
    let flight = RequestFlight(lastID, exchange, isLast: isLast)
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
    guard let grace, self.flight === flight else { return }
    let elapsed = exchange.turn.requested(at: loop.now)
    flight.timer = timer(after: max(grace.limit(of: limits) - elapsed, .zero)) { [weak self] in
      self?.serviceIsLate(with: flight)
    }
  }

  /// The service limits the time itself, so this is not the tag's fault: further attempts would not help.
  private func serviceIsLate(with flight: RequestFlight) {
    if awaited === flight.exchange { flight.exchange.turn.fail(.serviceLate) }
    giveUp(flight)
  }

  /// The next request waits for this one, so that the tag never receives both at the same time.
  private func writeIsOverdue(_ flight: RequestFlight) {
    guard self.flight === flight, !flight.isWritten else { return }
    flight.isUnconfirmed = true
    flight.limitLanding(responseLimit, in: self)
    flight.exchange.answer.fail(.unwritten)
    changes.send(())
  }

  private func written(_ flight: RequestFlight) {
    flight.isWritten = true
    guard !life.hasEnded else { return }
    noteWritten(flight.exchange)
    if flight.isAnswered { return land(flight) }
    guard grace == nil else { return }
    flight.timer = timer(after: flight.exchange.responseLimit) { [weak self] in
      self?.responseLimitPassed(with: flight)
    }
  }

  /// If the end of the link interrupts or precedes a write, BlueZ fails it with its own ATT error, or because there is
  /// no link, before it reports the end of the link.
  private func failed(_ flight: RequestFlight, _ error: JacquardError) {
    let linkMayHaveEnded = error.attCode == Self.unlikelyError || error.code == .connectionLost
    guard linkMayHaveEnded, !life.hasEnded else { return land(flight, life.endedBy ?? error) }
    loop.spawn { [self] in
      _ = try? await life.ends.until(within: Deadlines.closingDelay, on: loop) { [life] in life.endedBy }
      land(flight, life.endedBy ?? error)
    }
  }

  private func noteWritten(_ exchange: RequestExchange) {
    guard awaited === exchange, !exchange.isWritten else { return }
    exchange.isWritten = true
    exchange.written()
    exchange.turn.startLimit()
  }

  private func responseLimitPassed(with flight: RequestFlight) {
    let exchange = flight.exchange
    if flight.isLast, exchange.turn.limit != nil, awaited === exchange {
      flight.isOverdue = true
      changes.send(())
    } else {
      giveUp(flight)
    }
  }

  private func giveUp(_ flight: RequestFlight) {
    writer.abandon(flight.id)
    land(flight, Self.noAnswer(to: flight.id))
  }

  static func noAnswer(to id: UInt32) -> JacquardError {
    JacquardError(.timeout, "The tag did not respond to request \(id) in time.")
  }

  private func land(_ flight: RequestFlight, _ error: JacquardError? = nil) {
    flight.cancelTimers()
    guard self.flight === flight else { return }
    self.flight = nil
    if let error { flight.exchange.answer.fail(error) }
    flight.land()
    changes.send(())
  }

  // MARK: Responses

  /// Called when the service reports that the request gets no response.
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
  private func count(_ exchange: RequestExchange) {
    if exchange.turn.origin == .own { statistics.countResponse() }
  }

  /// The response can only belong to the request in flight. Its ID is unknown, so a valid response may still follow.
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
