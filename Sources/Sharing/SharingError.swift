import EventLoop
import Glibc

/// Why a host does not accept a program as its guest.
public enum Refusal: UInt8, Sendable {
  /// A reason that this version does not know.
  case unknown = 0
  /// Host and guest do not understand each other's messages.
  case version = 1
  /// The host has as many guests as it accepts.
  case full = 2
  /// The host does not share the tag.
  case exclusive = 3
}

/// Why a program can be neither host nor guest.
public enum SharingError: CancellableError, Equatable, Sendable {
  /// There is no directory in which programs can meet, or it has other files; the reason as a sentence.
  case noDirectory(String)
  case system(code: Int32, call: String)
  /// - Parameter by: the host's process; 0 if it is not known.
  case refused(Refusal, by: Int32)
  /// No program became the host in time.
  case unsettled
  case cancelled

  public var code: Int32 { if case .system(let code, _) = self { code } else { 0 } }

  public var message: String {
    switch self {
    case .noDirectory(let reason): reason
    case .system(let code, let call): "\(SystemError(code: code, call: call))."
    case .refused(.version, _): "The program that has the tag uses another version of the sharing protocol."
    case .refused(.full, _): "The program that has the tag accepts no more guests."
    case .refused(.exclusive, _): "The program that has the tag does not share it."
    case .refused(.unknown, _): "The program that has the tag refused this program."
    case .unsettled: "No program became the host of the tag in time."
    case .cancelled: "The operation was cancelled."
    }
  }

  static func last(_ call: String) -> SharingError { .system(code: errno, call: call) }
}
