/// Why something asked of the bus did not happen.
public enum BusError: Error, Hashable, CustomStringConvertible {
  /// The other side answered with an error.
  case remote(name: String, message: String)
  /// No answer in the time given. The request may still have been carried out.
  case deadline
  /// The connection to the bus is gone, or was never there.
  case disconnected
  case cancelled
  /// An argument that D-Bus has no form for; names which.
  case invalidArgument(String)
  /// Nobody serves the address.
  case unreachable(String)
  /// The other side's answer is not what the interface promises.
  case unexpectedAnswer(String)
  /// The system has no memory or descriptors left for it.
  case exhausted(String)

  /// The D-Bus error name, if the other side gave one.
  public var name: String? {
    if case .remote(let name, _) = self { name } else { nil }
  }

  /// The text that came with it, or one that says the same as the case.
  public var message: String {
    switch self {
    case .remote(_, let message): message
    case .deadline: "no reply within the time limit"
    case .disconnected: "not connected to the bus"
    case .cancelled: "cancelled"
    case .invalidArgument(let which): "invalid \(which)"
    case .unreachable(let reason): "the bus cannot be reached: \(reason)"
    case .unexpectedAnswer(let what): "unexpected reply: \(what)"
    case .exhausted(let what): "out of \(what)"
    }
  }

  public var description: String {
    if let name { "\(name): \(message)" } else { message }
  }
}
