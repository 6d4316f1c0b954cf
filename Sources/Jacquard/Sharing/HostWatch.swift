import EventLoop
import Sharing

/// Notices for a guest that its host hangs while the tag is not connected: a guest that only waits sends no requests.
/// Nothing is asked while the tag is connected.
///
/// Pauses grow until they are longer than those between the states of a host that waits for its tag, so in the long run
/// nothing is sent. They begin again with each step of a link.
final class HostWatch {
  /// No request has it.
  static let inquiryID: UInt32 = 0

  private let channel: Channel
  private let loop: EventLoop
  private let deadlines: Deadlines
  private let hostHangs: () -> Void
  private var timer: LoopTimer?
  private var answers = 0
  private var isAsked = false

  init(_ channel: Channel, _ loop: EventLoop, _ deadlines: Deadlines, hostHangs: @escaping () -> Void) {
    self.channel = channel
    self.loop = loop
    self.deadlines = deadlines
    self.hostHangs = hostHangs
    askLater()
  }

  func hostCame(to state: SharedState) {
    guard state.phase != Phase.connected.rawValue else { return stop() }
    if state.step >= Step.linkUp.rawValue { answers = 0 }
    askLater()
  }

  func answered() {
    guard isAsked else { return }
    stopTimer()
    answers += 1
    if answers < deadlines.hostInquiries.count { askLater() }
  }

  func stop() {
    stopTimer()
    answers = 0
  }

  private func stopTimer() {
    timer?.cancel()
    timer = nil
    isAsked = false
  }

  private func askLater() {
    stopTimer()
    let pauses = deadlines.hostInquiries
    timer = loop.schedule(after: pauses[min(answers, pauses.count - 1)]) { [weak self] in self?.ask() }
  }

  private func ask() {
    isAsked = true
    timer = loop.schedule(after: deadlines.acceptance) { [weak self] in self?.answerIsLate() }
    channel.send(.inquire(id: Self.inquiryID))
  }

  private func answerIsLate() {
    // If this process was stopped itself, the host's message is waiting here.
    channel.receivePending()
    if isAsked { hostHangs() }
  }
}
