import EventLoop
import Sharing

/// The packets that a guest has passed to its host, until the host has no more to do for them. If the host does not accept one
/// in time, or gives no sign of life while it has one, it hangs.
final class GuestRequests {
  private struct Request {
    /// Nil once it has been written.
    var completion: ((Result<Void, JacquardError>) -> Void)?
    var timer: LoopTimer
    /// Whether the host must respond at once.
    var isAsked = true
  }

  private let channel: Channel
  private let loop: EventLoop
  private let deadlines: Deadlines
  private let hostHangs: () -> Void
  private var open: [UInt32: Request] = [:]
  private var closedBy: JacquardError?

  init(_ channel: Channel, _ loop: EventLoop, _ deadlines: Deadlines, hostHangs: @escaping () -> Void) {
    self.channel = channel
    self.loop = loop
    self.deadlines = deadlines
    self.hostHangs = hostHangs
  }

  /// - Parameter completion: called when the packet has been written, or cannot be.
  func send(_ message: Message, _ id: UInt32, _ completion: @escaping (Result<Void, JacquardError>) -> Void) {
    if let closedBy { return completion(.failure(closedBy)) }
    open[id] = Request(completion: completion, timer: acceptanceTimer(id))
    // If it cannot be sent, the channel has ended, which is about to be reported.
    channel.send(message)
  }

  /// The caller's time limit starts when the tag has the packet, which the host otherwise reports only if the tag does
  /// not respond soon.
  func followProgress(of id: UInt32) { channel.send(.inquire(id: id)) }

  private func acceptanceTimer(_ id: UInt32) -> LoopTimer {
    loop.schedule(after: deadlines.acceptance) { [weak self] in self?.acceptanceIsLate(id) }
  }

  private func acceptanceIsLate(_ id: UInt32) {
    // If this process was stopped itself, the host's message is waiting here.
    channel.receivePending()
    if open[id]?.isAsked ?? false { hostHangs() }
  }

  /// The host has it, or still has it.
  func accepted(_ id: UInt32) {
    guard let request = open[id] else { return }
    request.timer.cancel()
    open[id]?.isAsked = false
    open[id]?.timer = loop.schedule(after: deadlines.inquiry) { [weak self] in self?.inquire(id) }
  }

  private func inquire(_ id: UInt32) {
    channel.receivePending()
    guard let request = open[id] else { return }
    request.timer.cancel()
    open[id]?.isAsked = true
    open[id]?.timer = acceptanceTimer(id)
    channel.send(.inquire(id: id))
  }

  /// The tag has the packet.
  ///
  /// - Parameter isOpen: whether a response follows.
  func written(_ id: UInt32, isOpen: Bool) {
    let completion = open[id]?.completion
    open[id]?.completion = nil
    if !isOpen { forget(id) }
    completion?(.success(()))
  }

  /// Returns whether it had not been written.
  func failed(_ id: UInt32, _ error: JacquardError) -> Bool {
    let completion = open[id]?.completion
    forget(id)
    completion?(.failure(error))
    return completion != nil
  }

  /// The tag has responded.
  func answered(_ id: UInt32) { written(id, isOpen: false) }

  /// No one waits for the response any more. One that has not been written still ends with the host's message.
  func withdraw(_ id: UInt32) {
    channel.send(.withdraw(id: id))
    if open[id]?.completion == nil { forget(id) }
  }

  private func forget(_ id: UInt32) { open.removeValue(forKey: id)?.timer.cancel() }

  func close(_ error: JacquardError) {
    guard closedBy == nil else { return }
    closedBy = error
    for id in open.keys.sorted() { _ = failed(id, error) }
  }
}
