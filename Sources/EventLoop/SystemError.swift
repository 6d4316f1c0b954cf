import Glibc

/// A system call that failed, or a use of the loop that has no meaning, told in the system's own words.
public struct SystemError: Error, Equatable, CustomStringConvertible {
  public let code: Int32
  public let call: String

  public init(code: Int32, call: String) {
    self.code = code
    self.call = call
  }

  static func last(_ call: String) -> SystemError { SystemError(code: errno, call: call) }

  public var description: String {
    var text = [CChar](repeating: 0, count: 128)
    // The XSI form fills the buffer, the GNU form may return a constant instead; Glibc imports the former.
    let known = strerror_r(code, &text, text.count)
    _ = known
    let message = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return "\(call): \(message.isEmpty ? "error \(code)" : message)"
  }
}
