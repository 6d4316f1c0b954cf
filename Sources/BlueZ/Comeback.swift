import DBus
import EventLoop

/// When it is worth trying to reach a bus again.
///
/// A socket exists a moment before anybody listens on it, so each change of it is worth a few attempts. After those only
/// the next change helps, unless somebody listens there who does not serve: a bus that hangs or is full.
struct Comeback {
  private static let pauses: [Duration] = [
    .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(2), .seconds(5),
  ]
  private static let lastPause: Duration = .seconds(30)

  private var failures = 0
  private var somebodyListens = false

  mutating func reached() {
    failures = 0
    somebodyListens = false
  }

  mutating func failed(_ error: BusError) {
    failures += 1
    if case .unreachable = error { return }
    somebodyListens = true
  }

  mutating func wait(_ loop: EventLoop, _ address: BusAddress) async {
    let isChange = Completion<Bool>()
    let watches = address.entries.compactMap { entry -> FileWatch? in
      guard case .path(let path) = entry.socket else { return nil }
      return try? FileWatch(loop, path) { isChange.succeed(true) }
    }
    var timer: LoopTimer?
    if failures <= Self.pauses.count {
      timer = loop.schedule(after: Self.pauses[max(failures, 1) - 1]) { isChange.succeed(false) }
    } else if somebodyListens || watches.count < address.entries.count {
      timer = loop.schedule(after: Self.lastPause) { isChange.succeed(false) }
    }
    if (try? await isChange.value()) == true { failures = 0 }
    timer?.cancel()
    for watch in watches { watch.cancel() }
  }
}
