import CLinux
import Glibc

/// The directory of the state: XDG Base Directory Specification 0.8.
public struct StateDirectory: Equatable, Sendable {
  /// The path of the directory, which may not exist yet: writing the state creates it.
  public let path: String

  /// - Parameter chosen: nil selects `jacquard` in $XDG_STATE_HOME, or else in ~/.local/state. Returns nil if there is
  ///   no such directory.
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

  /// "All paths set in these environment variables must be absolute." In a program that runs with more privileges than
  /// its caller, the environment is ignored.
  private static func absolutePath(in variable: String) -> String? {
    guard let value = secure_getenv(variable), value.pointee == CChar(UInt8(ascii: "/")) else { return nil }
    return String(validatingCString: value)
  }

  /// Creates the directory and its parents, accessible to this user only.
  func make() throws(StateError) {
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
