import EventLoop
import Glibc
import Sharing

/// Notifies the supervisor that has started this process: sd_notify(3), sd_watchdog_enabled(3).
final class Supervisor {
  private let loop: EventLoop
  private let address: UnixAddress?
  private let interval: Duration?
  private var timer: LoopTimer?

  init(_ loop: EventLoop) {
    self.loop = loop
    address = ServicePlace.environment("NOTIFY_SOCKET").flatMap {
      $0.hasPrefix("@") ? UnixAddress(abstract: String($0.dropFirst())) : UnixAddress(path: $0)
    }
    // The watchdog may be meant for the parent.
    let isForThis = ServicePlace.environment("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
    let limit = ServicePlace.environment("WATCHDOG_USEC").flatMap { Int64($0) }
    interval = isForThis ? limit.flatMap { $0 > 0 ? .microseconds($0 / 2) : nil } : nil
  }

  func isReady() {
    send("READY=1")
    keepAlive()
  }

  func isStopping() {
    timer?.cancel()
    send("STOPPING=1")
  }

  /// Runs on the loop, so a hung loop stops the notifications.
  private func keepAlive() {
    guard let interval, address != nil else { return }
    send("WATCHDOG=1")
    timer = loop.schedule(after: interval) { [weak self] in self?.keepAlive() }
  }

  private func send(_ state: String) {
    guard let address else { return }
    let socket = OwnedDescriptor(taking: UnixAddress.makeSocket(SOCK_DGRAM))
    let bytes = Array(state.utf8)
    _ = address.withPointer { sendto(socket.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }
  }
}
