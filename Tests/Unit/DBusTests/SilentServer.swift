import DBus
import EventLoop
import Glibc

/// A socket that only listens, unless instructed otherwise.
final class SilentServer {
  let path: String
  private let listener: SharedDescriptor
  private var clients: [SharedDescriptor] = []

  init(backlog: Int32 = 10) throws {
    var template = Array("/tmp/silent-XXXXXX".utf8CString)
    path = String(cString: mkdtemp(&template)) + "/bus"
    listener = Self.makeSocket()
    // If no client connects, a test must fail and not hang.
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(listener.rawValue, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    try Self.withAddress(path) { address, length in
      guard bind(listener.rawValue, address, length) == 0, listen(listener.rawValue, backlog) == 0 else {
        throw BusError.unreachable("errno \(errno)")
      }
    }
  }

  deinit {
    stop()
    unlink(path)
    rmdir(String(path.dropLast(4)))
  }

  /// Leaves the socket's file without a server.
  func stop() {
    listener.close()
    clients = []
  }

  /// Accepts one connection and waits until it receives data.
  func hear() { clients.append(takeClient()) }

  private func takeClient() -> SharedDescriptor {
    let client = SharedDescriptor(taking: accept(listener.rawValue, nil, nil))
    var byte: UInt8 = 0
    recv(client.rawValue, &byte, 1, 0)
    return client
  }

  /// Accepts one connection, reads, sends these bytes, then disconnects or stays.
  func answer(_ text: String, stay: Bool) {
    let client = takeClient()
    send(client.rawValue, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    if stay { clients.append(client) }
  }

  /// Connects until the queue is full.
  func fillQueue() {
    while true {
      let client = Self.makeSocket(Int32(SOCK_NONBLOCK.rawValue))
      clients.append(client)
      let status = Self.withAddress(path) { connect(client.rawValue, $0, $1) }
      if status != 0 { return }
    }
  }

  private static func makeSocket(_ flags: Int32 = 0) -> SharedDescriptor {
    SharedDescriptor(taking: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | flags, 0))
  }

  private static func withAddress<T>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> T) rethrows
    -> T
  {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
    return try withUnsafePointer(to: &address) {
      try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
