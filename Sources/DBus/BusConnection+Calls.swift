import CDBus
import EventLoop
import Glibc

extension BusConnection {
  /// Sends a message that expects no reply.
  @discardableResult
  public func send(_ message: Message) throws(BusError) -> UInt32 {
    loop.assertIsolated()
    guard acceptsMessages, let pointer else { throw .disconnected }
    let message = message.serial == 0 ? message : try message.unsentCopy()
    if dbus_message_contains_unix_fds(message.pointer) != 0,
      dbus_connection_can_send_type(pointer, TypeCode.descriptor.code) == 0
    {
      throw .invalidArgument("file descriptor: not supported by this bus")
    }
    var serial: dbus_uint32_t = 0
    guard dbus_connection_send(pointer, message.pointer, &serial) != 0 else { throw .exhausted("memory") }
    return serial
  }

  /// Sends a method call; `completion` runs exactly once, on the loop, never from within this function.
  ///
  /// - Parameter deadline: nil for no time limit.
  @discardableResult
  public func call(
    _ message: Message, deadline: Duration? = defaultDeadline,
    completion: @escaping (Result<Message, BusError>) -> Void
  ) throws(BusError) -> PendingCall {
    guard message.kind == .methodCall else { throw .invalidArgument("method call") }
    let message = message.serial == 0 ? message : try message.unsentCopy()
    dbus_message_set_no_reply(message.pointer, 0)
    let serial = try send(message)
    let call = PendingCall(
      serial: serial, destination: message.destination, connection: self, completion: completion)
    pendingCalls[serial] = call
    if let deadline {
      call.timer = loop.schedule(after: deadline) { [unowned call] in call.complete(.failure(.deadline)) }
    }
    return call
  }

  /// Sends a method call and waits for its reply. An error reply is thrown as `.remote`.
  @discardableResult
  public func call(_ message: Message, deadline: Duration = defaultDeadline) async throws(BusError) -> Message {
    guard !Task.isCancelled else { throw .cancelled }
    let answer = Completion<Message, BusError>()
    let pending = try call(message, deadline: deadline) { (result: Result<Message, BusError>) in
      answer.complete(result)
    }
    defer { pending.cancel() }
    return try await answer.value()
  }

  /// The number of calls that wait for a reply.
  public var outstandingCallCount: Int { pendingCalls.count }

  /// Calls a method of a service.
  @discardableResult
  public func call(
    to destination: String, path: String, interface: String, member: String, _ body: [Value] = [],
    deadline: Duration = defaultDeadline
  ) async throws(BusError) -> Message {
    try await call(
      .methodCall(destination: destination, path: path, interface: interface, member: member, body),
      deadline: deadline)
  }

  func deliverReply(_ message: @autoclosure () -> Message, to serial: UInt32, from sender: UnsafePointer<CChar>?) {
    // No entry: cancelled, timed out, or unsolicited.
    guard let call = pendingCalls[serial], call.mayBeAnswered(by: sender) else { return }
    let answer = message()
    call.complete(answer.kind == .error ? .failure(answer.asError) : .success(answer))
  }

  func forget(_ call: PendingCall) {
    pendingCalls[call.serial] = nil
  }
}

/// A call that waits for its reply. Its completion runs exactly once.
public final class PendingCall {
  let serial: UInt32
  /// The expected sender of the reply, if known. The bus may also reply on its behalf, and so may a filter in front of
  /// the bus, without a sender. The bus fills in senders, so other programs can neither forge nor omit them.
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
    if let destination, destination.hasPrefix(":") || destination == MessageBus.name {
      responder = Array(destination.utf8CString)
    } else {
      responder = nil
    }
  }

  /// Whether the completion has yet to run.
  public var isPending: Bool { completion != nil }

  /// Completes the call with `.cancelled`; a later reply is dropped.
  public func cancel() { complete(.failure(.cancelled)) }

  func mayBeAnswered(by sender: UnsafePointer<CChar>?) -> Bool {
    guard let responder, let sender else { return true }
    return strcmp(sender, responder) == 0 || strcmp(sender, MessageBus.name) == 0
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
