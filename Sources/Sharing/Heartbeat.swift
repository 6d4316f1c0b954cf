import EventLoop

/// Notices a service that does not respond while a program waits for it: a process that hangs or is stopped keeps its
/// sockets, so nothing else shows it.
///
/// Without a wait there is no timer, so neither side of an idle channel wakes up. The timer runs to its end if the wait
/// ends earlier, because commands that follow each other are far more frequent than the timer.
public final class Heartbeat {
  /// How long the service may send nothing before it is asked for an answer.
  private static let silence: Duration = .seconds(1)
  /// How long the answer may take. Together with two silences at most 5 s pass until a hang is noticed.
  private static let answer: Duration = .seconds(3)

  private let channel: ServiceChannel
  private let loop: EventLoop
  private let isNeeded: () -> Bool
  private let onHang: () -> Void
  private var timer: LoopTimer?
  private var arrivals: UInt64 = 0
  private var hasAsked = false

  /// - Parameters:
  ///   - isNeeded: whether the program still waits for the service.
  ///   - onHang: called once, when the service does not answer.
  public init(
    _ channel: ServiceChannel, _ loop: EventLoop, isNeeded: @escaping () -> Bool, onHang: @escaping () -> Void
  ) {
    self.channel = channel
    self.loop = loop
    self.isNeeded = isNeeded
    self.onHang = onHang
  }

  deinit { timer?.cancel() }

  /// The program begins to wait.
  public func start() {
    if timer == nil { check(after: Self.silence) }
  }

  public func stop() {
    timer?.cancel()
    timer = nil
  }

  private func check(after delay: Duration) {
    arrivals = channel.arrivals
    timer = loop.schedule(after: delay) { [weak self] in self?.check() }
  }

  private func check() {
    timer = nil
    guard isNeeded(), channel.isOpen else {
      hasAsked = false
      return
    }
    // This process may have been stopped itself; then the answer is waiting in the socket.
    if hasAsked { channel.receivePending() }
    guard channel.arrivals == arrivals else {
      hasAsked = false
      return check(after: Self.silence)
    }
    guard !hasAsked else { return onHang() }
    hasAsked = true
    channel.send(.ping)
    check(after: Self.answer)
  }
}
