import CLinux
import EventLoop
import Glibc

/// The directory in which programs of this user meet: `jacquard` in $XDG_RUNTIME_DIR, or without that variable in
/// /run/user/UID. Never in a directory that another user can write to.
public struct RuntimeDirectory: Equatable, Sendable {
  public let path: String

  /// Finds it and creates it if necessary. The reason of `SharingError.noDirectory` is a sentence for the user.
  public static func find() throws(SharingError) -> RuntimeDirectory {
    throw .noDirectory("")
  }

  /// The same in `parent`, instead of the one of the environment.
  public init(in parent: String) throws(SharingError) {
    path = parent + "/jacquard"
  }
}
