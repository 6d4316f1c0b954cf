import BlueZ
import EventLoop
import JacquardWire

/// The response to any attempt of one request, which a caller awaits.
final class RequestExchange {
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
final class RequestFlight {
  let id: UInt32
  let exchange: RequestExchange
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

  init(_ id: UInt32, _ exchange: RequestExchange, isLast: Bool) {
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
  func landing(limit: Duration, in sender: RequestSender) -> Completion<Void, JacquardError> {
    let landing = Completion<Void, JacquardError>()
    next = landing
    limitLanding(limit, in: sender)
    return landing
  }

  func limitLanding(_ limit: Duration, in sender: RequestSender) {
    patience?.cancel()
    guard isUnconfirmed, let next else { return }
    patience = sender.timer(after: limit) { next.fail(.unwritten) }
  }
}
