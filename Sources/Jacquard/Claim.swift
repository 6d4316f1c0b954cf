import EventLoop
import Glibc

/// The right to a tag, which one connection of all programs of this library on a bus has at a time.
///
/// It is a name in the kernel's abstract namespace of Unix sockets, which belongs to whoever bound it first and is free
/// again when that process ends, however it ends.
final class Claim {
  private let identifier: TagIdentifier
  private var socket: OwnedDescriptor?
  private var bus: String?

  init(_ identifier: TagIdentifier) { self.identifier = identifier }

  /// Another life of the bus is another bus: whoever is on it has to be asked again.
  func take(on bus: String) throws {
    if socket != nil, self.bus == bus { return }
    release()
    let socket = OwnedDescriptor(taking: Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    guard socket.rawValue >= 0 else { throw Self.failure("socket") }
    var address = sockaddr_un()
    let length = Self.write("jacquard/\(bus)/\(identifier.text)", to: &address)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket.rawValue, $0, length) }
    }
    guard bound == 0 else {
      if errno == EADDRINUSE { throw JacquardError(.inUse, JacquardError.Code.inUse.text) }
      throw Self.failure("bind")
    }
    self.socket = socket
    self.bus = bus
  }

  func release() {
    socket?.close()
    socket = nil
  }

  /// An abstract name begins with NUL and ends with the address. One that does not fit is cut: a bus chooses its id.
  private static func write(_ name: String, to address: inout sockaddr_un) -> socklen_t {
    address.sun_family = sa_family_t(AF_UNIX)
    let size = withUnsafeMutableBytes(of: &address.sun_path) { path in
      let bytes = [0] + name.utf8.prefix(path.count - 1)
      path.copyBytes(from: bytes)
      return bytes.count
    }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
    return socklen_t(start + size)
  }

  private static func failure(_ call: String) -> JacquardError {
    var error = JacquardError(.system, "The kernel refuses a Unix socket (\(call)).")
    error.systemErrno = errno
    return error
  }
}
