import EventLoop
import Glibc

/// A call that waits for its reply. Its completion runs exactly once.
public final class PendingCall {
  let serial: UInt32
  /// The expected sender of the reply, if known; the bus may also reply on its behalf. The bus fills in senders, so
  /// they cannot be forged.
  private let responder: [CChar]?
  private weak var connection: BusConnection?
  private var completion: ((Result<Message, BusError>) -> Void)?
  var timer: LoopTimer?

  init(
    serial: UInt32, destination: String?, connection: BusConnection,
    completion: @escaping (Result<Message, BusError>) -> Void
  ) {
    self.serial = serial
    self.connection = connection
    self.completion = completion
    if let destination, destination.hasPrefix(":") || destination == Driver.name {
      responder = Array(destination.utf8CString)
    } else {
      responder = nil
    }
  }

  public var isPending: Bool { completion != nil }

  /// Completes the call with `.cancelled`; a later reply is dropped.
  public func cancel() { complete(.failure(.cancelled)) }

  func mayBeAnswered(by sender: UnsafePointer<CChar>?) -> Bool {
    guard let responder else { return true }
    guard let sender else { return false }
    return strcmp(sender, responder) == 0 || strcmp(sender, Driver.name) == 0
  }

  func complete(_ result: Result<Message, BusError>) {
    guard let completion else { return }
    self.completion = nil
    timer?.cancel()
    timer = nil
    connection?.forget(self)
    completion(result)
  }
}
