/// What gives a connection its links: this program, or the service. A connection has one at a time.
protocol LinkSource: AnyObject {
  /// Establishes a link, reports its states, and returns when it is over and a source has to be chosen again. Throws an
  /// error that ends the connection. If the task is cancelled, `close` ends the link.
  ///
  /// - Parameter admit: called before a new link is reported; its error ends the attempt.
  func run(admit: @escaping (TagInfo) async throws(JacquardError) -> Void) async throws(JacquardError)

  /// The one place where a link ends, with all that belongs to it. Returns when that is done.
  func close(_ end: LinkEnd) async

  /// The same at the end of the program: asks for it without waiting.
  func closeWithoutWaiting()

  /// Why the last link ended.
  var disconnectReason: DisconnectReason { get }
}

/// Why a link ends.
enum LinkEnd {
  /// It was lost, or could not be established.
  case failed(JacquardError)
  /// The service has the next one.
  case replaced
  /// The connection ends. The service may keep the link for a later one, unless the user or an error has ended it.
  case connectionEnds(keepsLink: Bool)

  var error: JacquardError {
    switch self {
    case .failed(let error): error
    case .replaced, .connectionEnds: JacquardError(.closed, "The connection was closed.")
    }
  }
}
