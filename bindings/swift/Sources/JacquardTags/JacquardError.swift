import CJacquard

/// Why a call, a command or a connection failed.
public struct JacquardError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public let code: Status
  /// One sentence about the failure.
  public let message: String
  /// One sentence about the remedy.
  public let advice: String
  /// errno of the failed system call, or 0.
  public let systemErrno: Int32
  /// ATT error code 0x01 to 0xff, or 0.
  public let attCode: Int32
  /// The status in the tag's response; nil if the tag did not report one.
  public let tagStatus: TagStatus?
  /// The name of the D-Bus error; nil if there was none.
  public let dbusName: String?

  /// The message and the advice.
  public var description: String {
    advice.isEmpty ? message : "\(message) \(advice)"
  }

  init(_ error: jacquard_error) {
    code = Status(rawValue: error.code)
    message = text(error.message)
    advice = text(error.advice)
    systemErrno = error.system_errno
    attCode = error.att_code
    tagStatus = error.tag_status == 0 ? nil : TagStatus(rawValue: UInt32(bitPattern: error.tag_status))
    dbusName = optionalText(error.dbus_name)
  }

  init?(_ error: UnsafePointer<jacquard_error>?) {
    guard let error else { return nil }
    self.init(error.pointee)
  }

  /// An error of this package.
  init(_ code: Status, _ message: String? = nil, advice: String = "") {
    self.code = code
    self.message = message ?? code.text
    self.advice = advice
    systemErrno = 0
    attCode = 0
    tagStatus = nil
    dbusName = nil
  }

  /// The error of the function that has just failed on this thread.
  static var last: JacquardError {
    JacquardError(jacquard_last_error()) ?? JacquardError(.internal)
  }
}

extension Status {
  /// The task that waited was cancelled. The library does not use this number.
  public static let cancelled = Status(rawValue: 1)
  /// A reader left more elements unread than its buffer holds: see `Buffering`. The library does not use this number.
  public static let overflow = Status(rawValue: 2)
  /// The library is older than the header with which this package was built. The library does not use this number.
  public static let olderLibrary = Status(rawValue: 3)

  /// A short English sentence for users.
  public var text: String {
    switch self {
    case .cancelled: "The task that waited was cancelled."
    case .overflow: "Events were read more slowly than they arrived."
    case .olderLibrary: "The library is older than the program requires."
    default: JacquardTags.text(jacquard_status_text(rawValue))
    }
  }
}
