import EventLoop
import Glibc

/// The directory in which programs of this user meet: `jacquard` in $XDG_RUNTIME_DIR, or without that variable in
/// /run/user/UID. It is never in a directory that another user can write to.
public struct RuntimeDirectory: Equatable, Sendable {
  private let parent: String
  /// The path of the directory, without a slash at its end.
  public let path: String

  /// Finds it and creates it if necessary. The reason of `SharingError.unusable` is a sentence for the user.
  ///
  /// In a program that runs with more privileges than its caller, the environment is ignored.
  public static func find() throws(SharingError) -> RuntimeDirectory { try RuntimeDirectory(in: parent()) }

  static func parent() throws(SharingError) -> String {
    guard let parent = ServicePlace.environment("XDG_RUNTIME_DIR") else { return "/run/user/\(geteuid())" }
    guard parent.hasPrefix("/") else { throw .unusable("XDG_RUNTIME_DIR is not an absolute path.") }
    return parent
  }

  /// Finds or creates the directory in `parent`. Throws `unusable` if it is not safe to use.
  public init(in parent: String) throws(SharingError) {
    // A slash at the end would follow a symbolic link.
    var bytes = Substring(parent).utf8
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
    self.parent = String(Substring(bytes))
    path = self.parent + "/jacquard"
    _ = try open()
  }

  /// Creates it if it does not exist. Another process may have replaced it since it was found, so it is checked again.
  func open() throws(SharingError) -> OwnedDescriptor {
    let parent = try Self.open(AT_FDCWD, self.parent, path: self.parent)
    guard mkdirat(parent.rawValue, "jacquard", 0o700) == 0 || errno == EEXIST else {
      throw .unusable("\(path) cannot be created: \(SystemError(code: errno, call: "mkdir")).")
    }
    return try Self.open(parent.rawValue, "jacquard", path: path)
  }

  private static func open(_ place: Int32, _ name: String, path: String) throws(SharingError) -> OwnedDescriptor {
    let directory = OwnedDescriptor(taking: openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
    var status = stat()
    guard directory.rawValue >= 0, fstat(directory.rawValue, &status) == 0 else {
      switch errno {
      case ENOENT: throw .unusable("\(path) does not exist.")
      case ENOTDIR, ELOOP: throw .unusable("\(path) is not a directory, or is a symbolic link.")
      case let code: throw .unusable("\(path) cannot be opened: \(SystemError(code: code, call: "open")).")
      }
    }
    guard status.st_uid == geteuid() else {
      throw .unusable("\(path) belongs to user \(status.st_uid); it must belong to user \(geteuid()).")
    }
    let mode = status.st_mode & 0o777
    guard mode == 0o700 else {
      throw .unusable("\(path) has the mode 0\(String(mode, radix: 8)); it must have the mode 0700.")
    }
    return directory
  }
}
