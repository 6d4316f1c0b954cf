import EventLoop
import Glibc

/// Why the state cannot be read or written.
public enum StateError: CancellableError, Equatable, Sendable {
  /// Neither $XDG_STATE_HOME nor $HOME is usable.
  case noPlace
  case system(code: Int32, path: String)
  case notAFile(path: String)
  /// A newer library wrote it. Rewriting it would lose its additions.
  case newer(path: String)
  case corrupt(path: String, String)
  /// Another process held the lock for too long.
  case locked(path: String)
  case full(path: String)
  /// The loop was closed while another process held the lock.
  case cancelled

  /// The error number of a failed system call, else 0.
  public var code: Int32 { if case .system(let code, _) = self { code } else { 0 } }

  /// One sentence for the user, which names the file or directory if one is the cause.
  public var message: String {
    switch self {
    case .noPlace: "Neither XDG_STATE_HOME nor HOME is an absolute path."
    case .system(let code, let path): "\(path): \(Self.text(of: code))."
    case .notAFile(let path): "\(path) is not a regular file."
    case .newer(let path): "\(path) was written by a newer version and was left unchanged."
    case .corrupt(let path, let why): "\(path) cannot be parsed: \(why)."
    case .locked(let path): "\(path) is locked by another process."
    case .full(let path): "\(path) would become too large."
    case .cancelled: "The state was not written, because the manager was closed."
    }
  }

  private static func text(of code: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
