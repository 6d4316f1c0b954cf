import EventLoop
import Glibc

/// Sockets of services: their records are messages.
public enum ServiceSocket {
  /// Connections that a service has not accepted yet.
  static let backlog: Int32 = 4096

  static func make() throws(SharingError) -> UnsharedDescriptor {
    let socket = UnsharedDescriptor(taking: UnixAddress.makeSocket(SOCK_SEQPACKET))
    guard socket.rawValue >= 0 else { throw .last("socket") }
    return socket
  }

  /// What a program finds at the place of a service.
  public enum Contact {
    case connected(ServiceChannel)
    /// There is no socket.
    case absent
    /// There is a socket that no process listens to: that of a service that is being restarted, or was killed.
    case refused
    /// More programs wait than the service has accepted.
    case full
  }

  /// Throws `unusable` if this program must not trust the place.
  public static func connect(_ place: ServicePlace, loop: EventLoop) throws(SharingError) -> Contact {
    let owner = try place.owner()
    let socket = try make()
    guard let address = UnixAddress(path: place.path) else {
      throw .system(code: ENAMETOOLONG, call: "connect \(place.path)")
    }
    while address.withPointer({ Glibc.connect(socket.rawValue, $0, $1) }) != 0 {
      switch errno {
      case EINTR: continue
      case ENOENT, ENOTDIR: return .absent
      // The kernel refuses files that are not sockets in the same way.
      case ECONNREFUSED: return isSocket(place.path) ? .refused : .absent
      case EAGAIN: return .full
      default: throw .last("connect \(place.path)")
      }
    }
    guard let peer = Peer(of: socket.rawValue) else { throw .last("SO_PEERCRED") }
    try place.check(peer, owner: owner)
    return .connected(ServiceChannel(socket, peer: peer, loop: loop))
  }

  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }
}
