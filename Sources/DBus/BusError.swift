import EventLoop
import Glibc

/// Errors of D-Bus operations.
public enum BusError: CancellableError, Hashable, CustomStringConvertible, Sendable {
  /// The peer replied with an error.
  case remote(name: String, message: String)
  /// A filter between this program and the bus, such as that of a sandbox, replied with an error.
  case filtered(name: String, message: String)
  /// No reply within the time limit. The call may still have been executed.
  case deadline
  /// The connection to the bus was lost or never established.
  case disconnected
  case cancelled
  /// An argument is invalid in D-Bus; contains the argument's name.
  case invalidArgument(String)
  /// No server is reachable at the address; with the number of the system's error, if there was one.
  case unreachable(String, errno: Int32 = 0)
  /// The peer's reply does not match the interface.
  case unexpectedAnswer(String)
  /// The system has no memory or descriptors left.
  case exhausted(String)

  /// A system call on the way to the bus has failed.
  init(_ error: SystemError) {
    switch error.code {
    case ENOMEM, ENOBUFS: self = .exhausted("memory")
    case EMFILE, ENFILE, ENOSPC: self = .exhausted("descriptors")
    default: self = .unreachable(error.description, errno: error.code)
    }
  }

  /// The D-Bus error name, if the peer sent one.
  public var name: String? {
    switch self {
    case .remote(let name, _), .filtered(let name, _): name
    default: nil
    }
  }

  /// The peer's error text, or a description of the case.
  public var message: String {
    switch self {
    case .remote(_, let message), .filtered(_, let message): message
    case .deadline: "no reply within the time limit"
    case .disconnected: "not connected to the bus"
    case .cancelled: "cancelled"
    case .invalidArgument(let which): "invalid \(which)"
    case .unreachable(let reason, _): "the bus cannot be reached: \(reason)"
    case .unexpectedAnswer(let what): "unexpected reply: \(what)"
    case .exhausted(let what): "out of \(what)"
    }
  }

  /// The message, after the D-Bus error name if the peer sent one.
  public var description: String {
    if let name { "\(name): \(message)" } else { message }
  }
}

/// Error names shared by all services.
public enum ErrorName: Sendable {
  public static let failed = "org.freedesktop.DBus.Error.Failed"
  /// The arguments of a call have the wrong types or values.
  public static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
  /// No program owns the bus name that was queried.
  public static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
  /// The service disconnected or did not reply.
  public static let noReply = "org.freedesktop.DBus.Error.NoReply"
  /// No program owns the called bus name, and bus activation has no service for it.
  public static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
  /// A limit of the bus is reached, such as the number of match rules of a connection.
  public static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
  /// The policy of the bus, or the service itself, denies the request.
  public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
  /// The service exports no object at the path.
  public static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
  /// The object has no such method in the interface.
  public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
  /// The property cannot be changed.
  public static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
}
