import EventLoop
import Glibc

/// Notifies the supervisor that has started this process: sd_notify(3), sd_watchdog_enabled(3).
public final class Supervisor {
  private let loop: EventLoop
  private let path: String?
  private let interval: Duration?
  private var timer: LoopTimer?

  public init(_ loop: EventLoop) {
    self.loop = loop
    path = ServicePlace.environment("NOTIFY_SOCKET")
    // The watchdog may be meant for the parent.
    let isForThis = ServicePlace.environment("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
    let limit = ServicePlace.environment("WATCHDOG_USEC").flatMap { Int64($0) }
    interval = isForThis ? limit.flatMap { $0 > 0 ? .microseconds($0 / 2) : nil } : nil
  }

  public func isReady() {
    send("READY=1")
    keepAlive()
  }

  public func isStopping() {
    timer?.cancel()
    send("STOPPING=1")
  }

  /// From the loop, so that a loop that hangs shows.
  private func keepAlive() {
    guard let interval, path != nil else { return }
    send("WATCHDOG=1")
    timer = loop.schedule(after: interval) { [weak self] in self?.keepAlive() }
  }

  private func send(_ state: String) {
    guard let path, path.hasPrefix("/") || path.hasPrefix("@") else { return }
    let type = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let socket = UnsharedDescriptor(taking: Glibc.socket(AF_UNIX, Int32(type), 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let count = withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      // The first byte of an abstract name is NUL.
      let name = path.hasPrefix("@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
      bytes.copyBytes(from: name.prefix(bytes.count))
      return min(name.count, bytes.count)
    }
    let size = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + count
    let bytes = Array(state.utf8)
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(socket.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(size))
      }
    }
  }
}
