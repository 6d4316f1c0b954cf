import EventLoop

/// An error in the terms of the header: a code, the known cause, and what the user can do.
public struct JacquardError: CancellableError, Equatable, Sendable {
  public var code: Code
  /// Always printable, whatever it was created from.
  public let message: String
  /// One sentence that says what the user can do.
  public var advice: String
  /// The error number of a failed system call, else 0.
  public var systemErrno: Int32 = 0
  /// The ATT error code of a failed GATT operation, else 0.
  public var attCode: UInt8 = 0
  /// The status in the tag's response, else 0.
  public var tagStatus: UInt32 = 0
  /// The name of the D-Bus error, such as `org.bluez.Error.Failed`; nil if there was none.
  public var dbusName: String?
  /// The caller no longer waits. This error is never reported.
  public private(set) var isCancellation = false
  /// Set if the error is the loss of an established link.
  var lossReason: DisconnectReason?
  /// Set if there are only signs of an error that a person must resolve, without a statement of BlueZ or the tag. Such
  /// an error does not end a connection.
  var isSuspicion = false

  /// Creates an error. Without advice of its own, it has the usual advice of the code.
  public init(_ code: Code, _ message: String, advice: String? = nil) {
    self.code = code
    self.message = message.printable
    self.advice = advice ?? code.advice
  }
}

extension JacquardError {
  /// Thrown by a wait whose task was cancelled.
  public static let cancelled: JacquardError = {
    var error = JacquardError(.closed, "The operation was cancelled.")
    error.isCancellation = true
    return error
  }()

  static func checkCancellation() throws(JacquardError) {
    if Task.isCancelled { throw .cancelled }
  }
}

extension JacquardError: CustomStringConvertible {
  /// The message, without the advice.
  public var description: String { message }
}

extension JacquardError {
  /// An `invalidArgument` error with this message: one sentence that names the argument.
  public static func invalid(_ what: String) -> JacquardError { JacquardError(.invalidArgument, what) }
}

extension JacquardError.Code {
  /// The error ends a connection because a retry would fail in the same way. Another version of the protocol requires
  /// other firmware or another release of this library: such a tag stays wanted at the next start.
  var endsConnections: Bool { needsPerson || [.inUse, .stateFile, .protocolVersion, .notFound].contains(self) }

  /// Only the user can resolve it.
  var needsPerson: Bool {
    switch self {
    case .wrongCode, .pairingRefused, .otherOwner, .notBound, .bondLost: true
    default: false
    }
  }
}
