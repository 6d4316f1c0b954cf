import CLinux
import Glibc

/// Where a service may listen.
public struct ServicePlace: Equatable, Sendable {
  /// Who has chosen the place.
  public enum Kind: Sendable {
    /// The user's runtime directory: used only if no other user can put a socket there, or listens there.
    case user
    /// The system's directory: only root can create one in /run, and decides as which user the service runs.
    case system
    /// $JACQUARD_SERVICE names it, so an unusable service there is an error. Its owner is not checked:
    /// in a container, users and directories of the host can have any number.
    case chosen
  }

  /// The path of a Unix socket, whether or not a service listens there.
  public let path: String
  public let kind: Kind

  public var isRequired: Bool { kind == .chosen }

  public init(_ path: String, _ kind: Kind = .user) {
    self.path = path
    self.kind = kind
  }

  /// The socket of the system's service.
  public static let system = ServicePlace("/run/jacquard/socket", .system)

  /// The places in the order in which they are tried: that of $JACQUARD_SERVICE alone, or the user's, then the
  /// system's. None if that variable is `off`.
  ///
  /// In a program that runs with more privileges than its caller, the environment is ignored.
  public static var all: [ServicePlace] {
    if let chosen = environment("JACQUARD_SERVICE") {
      return chosen == "off" ? [] : [ServicePlace(chosen, .chosen)]
    }
    return [user].compactMap { $0 } + [system]
  }

  /// The socket of the user's service.
  public static var user: ServicePlace? {
    (try? RuntimeDirectory.parent()).map { ServicePlace($0 + "/jacquard/socket") }
  }

  /// Reads an environment variable; nil if it is empty, or the program has more privileges than its caller.
  public static func environment(_ name: String) -> String? {
    guard let value = secure_getenv(name), value.pointee != 0 else { return nil }
    return String(validatingCString: value) ?? String(cString: value)
  }

  /// The owner of the directory; nil if it does not exist. Throws `unusable` if the directory makes the place unsafe.
  func owner() throws(SharingError) -> uid_t? {
    var status = stat()
    guard stat(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]), &status) == 0 else { return nil }
    guard kind != .chosen else { return status.st_uid }
    guard status.st_mode & 0o022 == 0 else { throw unused("other users can change its directory") }
    guard kind != .user || Self.isTrusted(status.st_uid) else {
      throw unused("its directory belongs to user \(status.st_uid)")
    }
    return status.st_uid
  }

  /// Throws `unusable` if the user of `peer` may not listen there.
  ///
  /// - Parameter owner: the owner of the directory.
  func check(_ peer: Peer, owner: uid_t?) throws(SharingError) {
    let isExpected =
      switch kind {
      case .user: Self.isTrusted(peer.user)
      case .system: owner == 0 || peer.user == owner || peer.user == 0
      case .chosen: true
      }
    guard isExpected else { throw unused("user \(peer.user) listens there") }
  }

  private static func isTrusted(_ user: uid_t) -> Bool { user == geteuid() || user == 0 }

  private func unused(_ reason: String) -> SharingError {
    .unusable("The service at \(path) is not used, because \(reason).")
  }
}
