import JacquardWire

/// Writes the requests of a `RequestSender`, one at a time.
protocol RequestWriter: AnyObject {
  /// Calls `overdue` if the request's last fragment is not accepted in time, and `completion` when it has been accepted
  /// or the write has failed.
  func write(
    _ request: WireRequest, _ limits: RequestLimits, overdue: @escaping () -> Void,
    completion: @escaping (Result<Void, JacquardError>) -> Void)

  /// Called when no one awaits the response to this request any more, except for a written request before the tag's
  /// time limit has passed.
  func abandon(_ id: UInt32)
}

/// The time limits of a request, which start when it has been written.
struct RequestLimits {
  /// The caller's; nil: only the tag's.
  var caller: Duration?
  /// The tag's, for its response.
  var response: Duration
}

/// How much longer than its time limit a request through the service may take, counted from its sending to the
/// service.
struct ServiceGrace {
  /// The turns of other programs' commands.
  var turns: Duration
  /// How long the service waits for a bluetoothd that does not respond before it limits the response again.
  var suspension: Duration

  func limit(of request: RequestLimits) -> Duration { (request.caller ?? request.response + suspension) + turns }
}

/// Learns of requests before they are written, and of responses before their callers do, even if no caller waits.
protocol RequestObserver: AnyObject {
  func requested(_ request: WireRequest)
  func answered(_ request: WireRequest, _ response: WireResponse)
}
