import EventLoop
import Glibc

/// Sockets whose records are messages, with names in the runtime directory.
enum LocalSocket {
  /// Connections that a host has not accepted yet. A stopped host accepts none.
  private static let backlog: Int32 = 4096

  static func make() throws(SharingError) -> UnsharedDescriptor {
    let type = SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let socket = UnsharedDescriptor(taking: Glibc.socket(AF_UNIX, Int32(type), 0))
    guard socket.rawValue >= 0 else { throw .last("socket") }
    return socket
  }

  /// A listening socket. One that has the name already is left over from a host that ended: the caller holds its lock.
  static func listen(_ name: String, _ directory: RuntimeDirectory) throws(SharingError) -> UnsharedDescriptor {
    let socket = try make()
    let folder = try directory.open()
    _ = unlinkat(folder.rawValue, name, 0)
    // Becomes the mode of the file.
    _ = fchmod(socket.rawValue, MeetingFiles.mode)
    let bound = Address(name, directory, folder.rawValue).withPointer { bind(socket.rawValue, $0, $1) }
    guard bound == 0 else { throw .last("bind \(directory.path)/\(name)") }
    guard Glibc.listen(socket.rawValue, backlog) == 0 else { throw .last("listen") }
    return socket
  }

  /// Nil if no process listens there, or more connect than it accepts.
  static func connect(_ name: String, _ directory: RuntimeDirectory) throws(SharingError) -> UnsharedDescriptor? {
    let socket = try make()
    let folder = try directory.open()
    let address = Address(name, directory, folder.rawValue)
    while address.withPointer({ Glibc.connect(socket.rawValue, $0, $1) }) != 0 {
      switch errno {
      case EINTR: continue
      case ENOENT, ECONNREFUSED, EAGAIN: return nil
      default: throw .last("connect \(directory.path)/\(name)")
      }
    }
    return socket
  }

  /// The process that created the other end, or listened there; nil if it belongs to another user. The process is 0 if the
  /// kernel does not report it, as for another PID namespace.
  static func ownPeer(_ socket: Int32) -> Int32? {
    // struct ucred: process, user, group.
    var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0, credentials.1 == geteuid() else {
      return nil
    }
    return max(credentials.0, 0)
  }

  /// An address has room for 107 bytes; a longer path goes through the descriptor of its directory.
  private struct Address {
    private var address = sockaddr_un()

    init(_ name: String, _ directory: RuntimeDirectory, _ folder: Int32) {
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { path in
        let whole = "\(directory.path)/\(name)"
        let short = whole.utf8.count < path.count ? whole : "/proc/self/fd/\(folder)/\(name)"
        path.copyBytes(from: short.utf8.prefix(path.count - 1))
      }
    }

    func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
      withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
      }
    }
  }
}
