import CLinux
import Glibc

/// Where the state is kept: XDG Base Directory Specification 0.8.
public struct StateDirectory: Equatable, Sendable {
  public let path: String

  /// - Parameter chosen: nil: `jacquard` in $XDG_STATE_HOME, else in ~/.local/state. Nil when there is no such place.
  public init?(chosen: String?) {
    if let chosen {
      path = chosen
    } else if let home = Self.absolutePath(in: "XDG_STATE_HOME") {
      path = home + "/jacquard"
    } else if let home = Self.absolutePath(in: "HOME") {
      path = home + "/.local/state/jacquard"
    } else {
      return nil
    }
  }

  /// "All paths set in these environment variables must be absolute." A program that runs with more rights than its caller
  /// does not let the caller choose them.
  private static func absolutePath(in variable: String) -> String? {
    guard let value = secure_getenv(variable), value.pointee == CChar(UInt8(ascii: "/")) else { return nil }
    return String(validatingCString: value)
  }

  /// With its parents, for this user alone.
  func make() throws(StateFault) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT else { throw .system(code: errno, path: path) }
    var parent = ""
    for component in path.split(separator: "/") {
      parent += "/" + component
      guard mkdir(parent, 0o700) == 0 || errno == EEXIST else {
        throw .system(code: errno, path: parent)
      }
    }
  }
}
