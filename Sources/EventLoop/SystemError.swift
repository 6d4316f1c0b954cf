import Glibc

/// A failed system call, or an invalid use of the loop, with the system's error text.
public struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The error number, such as EMFILE.
  public let code: Int32
  /// The system call or operation that failed; the description begins with it.
  public let call: String

  public init(code: Int32, call: String) {
    self.code = code
    self.call = call
  }

  /// The error in `errno`: call this immediately after the failed system call.
  public static func last(_ call: String) -> SystemError { SystemError(code: errno, call: call) }

  /// The call, followed by the system's text for the error number.
  public var description: String {
    var text = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &text, text.count) == 0 else { return "\(call): error \(code)" }
    return "\(call): \(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))"
  }
}
