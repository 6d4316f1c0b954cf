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

  /// The result of a program's attempt to reach a service.
  public enum Contact {
    case connected(ServiceChannel)
    /// There is no socket.
    case absent
    /// There is a socket that no process listens to: that of a service that is being restarted, or was killed.
    case refused
    /// The queue of programs that the service has not accepted is full.
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

  /// Throws `unusable` if a supervisor has passed something that is not a service's socket, and says what it is.
  static func check(inherited descriptor: Int32) throws(SharingError) {
    func option(_ name: Int32) -> Int32? {
      var value: Int32 = 0
      var size = socklen_t(MemoryLayout.size(ofValue: value))
      return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
    let found: String
    switch (option(SO_DOMAIN), option(SO_TYPE), option(SO_ACCEPTCONN)) {
    case (AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 1): return
    case (nil, _, _): found = errno == EBADF ? "is not open" : "is not a socket"
    case (AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), _): found = "does not listen"
    case (AF_UNIX, let type, _): found = "is a Unix socket of type \(type.map(name(ofType:)) ?? "unknown")"
    case (let domain?, _, _): found = "is a socket of the address family \(domain)"
    }
    throw .unusable(
      "The inherited descriptor \(descriptor) \(found); it must be a listening Unix socket of type SOCK_SEQPACKET.")
  }

  private static func name(ofType type: Int32) -> String {
    switch type {
    case Int32(SOCK_STREAM.rawValue): "SOCK_STREAM"
    case Int32(SOCK_DGRAM.rawValue): "SOCK_DGRAM"
    default: "\(type)"
    }
  }
}
