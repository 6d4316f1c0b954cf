import EventLoop
import Glibc

/// Why a socket or a file that programs share cannot be used.
public enum SharingError: CancellableError, Equatable, Sendable {
  /// A directory, file or socket is missing, unsafe, or of another kind; the reason as a sentence.
  case unusable(String)
  case system(code: Int32, call: String)
  case cancelled

  /// The error number of a failed system call, else 0.
  public var code: Int32 { if case .system(let code, _) = self { code } else { 0 } }

  /// One sentence for the user.
  public var message: String {
    switch self {
    case .unusable(let reason): reason
    case .system(let code, let call): "\(SystemError(code: code, call: call))."
    case .cancelled: "The operation was cancelled."
    }
  }

  init(_ error: SystemError) { self = .system(code: error.code, call: error.call) }

  static func last(_ call: String) -> SharingError { .system(code: errno, call: call) }
}
