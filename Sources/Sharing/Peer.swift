import Glibc

/// The process on the other side of a socket, as the kernel reports it.
public struct Peer: Equatable, Sendable {
  /// 0 if it is in another PID namespace, as in a container.
  public let process: Int32
  /// The overflow user if it is in another user namespace that does not map it.
  public let user: UInt32

  init(process: Int32, user: UInt32) { (self.process, self.user) = (process, user) }

  /// Asks the kernel for the peer of a connected socket (SO_PEERCRED); nil if it does not report one.
  public init?(of socket: Int32) {
    // struct ucred: process, user, group.
    var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
    self.init(process: max(credentials.0, 0), user: credentials.1)
  }
}
