import DBus
import EventLoop

/// Decides when to try to reach a bus again.
///
/// A socket exists a moment before its server listens on it, so each change of the socket is followed by a few
/// attempts. After those only the next change helps, unless a server listens but does not respond: a bus that hangs or
/// is full.
final class BusReconnection {
  private let loop: EventLoop
  private let address: BusAddress
  private var failures = 0
  private var somebodyListens = false
  /// Kept from the first failure until the bus is reached, so that a change during an attempt is not missed.
  private var watches: [FileWatch] = []
  private var isChange = Completion<Bool, CancellationError>()

  init(_ loop: EventLoop, _ address: BusAddress) {
    self.loop = loop
    self.address = address
  }

  func reached() {
    failures = 0
    somebodyListens = false
    watches = []
    isChange = Completion()
  }

  func failed(_ error: BusError) {
    failures += 1
    if case .unreachable = error { return }
    somebodyListens = true
  }

  func wait() async {
    if watches.isEmpty { watchSockets() }
    var timer: LoopTimer?
    if failures <= BlueZDeadlines.busPauses.count {
      timer = loop.schedule(after: BlueZDeadlines.busPauses[max(failures, 1) - 1]) { [isChange] in
        isChange.succeed(false)
      }
    } else if somebodyListens || watches.count < address.entries.count {
      timer = loop.schedule(after: BlueZDeadlines.lastBusPause) { [isChange] in isChange.succeed(false) }
    }
    if (try? await isChange.value()) == true { failures = 0 }
    timer?.cancel()
    isChange = Completion()
  }

  private func watchSockets() {
    watches = address.entries.compactMap { entry in
      guard case .path(let path) = entry.socket else { return nil }
      return try? FileWatch(loop, path) { [weak self] in self?.isChange.succeed(true) }
    }
  }
}
