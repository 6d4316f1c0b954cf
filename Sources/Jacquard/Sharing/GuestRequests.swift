import EventLoop
import Sharing

/// The packets that a guest has passed to its host and that have not been written to the tag.
final class GuestRequests {
  private struct Request {
    let completion: (Result<Void, JacquardError>) -> Void
    let timer: LoopTimer
    var isAccepted = false
  }

  private let channel: Channel
  private let loop: EventLoop
  private let acceptance: Duration
  private let hostHangs: () -> Void
  private var waiting: [UInt32: Request] = [:]
  private var closedBy: JacquardError?

  /// - Parameter hostHangs: called if the host has not accepted a request within `acceptance`.
  init(_ channel: Channel, _ loop: EventLoop, acceptance: Duration, hostHangs: @escaping () -> Void) {
    self.channel = channel
    self.loop = loop
    self.acceptance = acceptance
    self.hostHangs = hostHangs
  }

  func send(_ message: Message, _ id: UInt32, _ completion: @escaping (Result<Void, JacquardError>) -> Void) {
    if let closedBy { return completion(.failure(closedBy)) }
    waiting[id] = Request(
      completion: completion, timer: loop.schedule(after: acceptance) { [weak self] in self?.acceptanceIsLate(id) })
    // If it cannot be sent, the channel has ended, which is about to be reported.
    channel.send(message)
  }

  private func acceptanceIsLate(_ id: UInt32) {
    // If this process was stopped itself, the host's message is waiting here.
    channel.receivePending()
    guard let request = waiting[id], !request.isAccepted else { return }
    hostHangs()
  }

  func accepted(_ id: UInt32) {
    waiting[id]?.timer.cancel()
    waiting[id]?.isAccepted = true
  }

  /// Returns whether it was waiting.
  @discardableResult
  func complete(_ id: UInt32, _ result: Result<Void, JacquardError>) -> Bool {
    guard let request = waiting.removeValue(forKey: id) else { return false }
    request.timer.cancel()
    request.completion(result)
    return true
  }

  func close(_ error: JacquardError) {
    guard closedBy == nil else { return }
    closedBy = error
    for id in waiting.keys.sorted() { complete(id, .failure(error)) }
  }
}
