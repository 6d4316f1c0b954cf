import EventLoop
import Glibc

/// Why a channel ended.
public enum ChannelEnd: Equatable, Sendable {
  /// The other side closed it, or its process ended.
  case closed
  /// The other side sent a message that is malformed, too long, or not for this side.
  case malformed
  /// The other side did not read the messages that had to be kept for it.
  case tooSlow
  /// A system call failed.
  case system(code: Int32)
}

/// A connection between the service and a program, for one tag: a SOCK_SEQPACKET socket, whose records are the
/// messages. The kernel keeps them apart and bounds the bytes that wait, so messages need no prefix with their length.
///
/// Every end, whatever its cause, is the end of the socket: messages that arrived before are received first. The two
/// sides are `ProgramChannel` and `ServiceChannel`.
public class Channel {
  /// The most memory of the messages that are kept for the other side beyond the socket's buffer. See also `Account`.
  public static let mostKept = 256 << 10
  /// The memory of a kept message beside its bytes: on the heap, and in the list, which grows in steps.
  private static let overhead = 64
  /// Messages received in one dispatch, so that the loop's other work is not delayed.
  private static let mostPerDispatch = 16
  /// Messages that `receivePending` receives: more than a program sends while the service is stopped, but not a flood.
  private static let mostPending = 128
  /// The pause before a call that failed for lack of memory is repeated. The socket keeps its data.
  private static let memoryPause: Duration = .milliseconds(100)

  /// The process and the user at the other end, as the kernel reports them: see also `serviceIs(_:)`.
  public private(set) var peer: Peer

  /// Takes a received record.
  typealias Receiver = (UnsafeRawBufferPointer) throws(MalformedMessage) -> Void

  /// The account of the program's process; nil on the program's side.
  public let account: Account?
  private let accounts: Accounts?
  private let loop: EventLoop
  private var socket: UnsharedDescriptor?
  private var watch: IOWatch?
  private var handlers: (record: Receiver, end: (ChannelEnd) -> Void)?

  /// The message that is sent.
  final var record = MessageRecord()
  /// Messages that wait until the socket has room, in order, and the memory that they occupy.
  private var kept: [[UInt8]] = []
  private var keptBytes = 0
  /// Events that were dropped because the other side did not read fast enough.
  private(set) var unreportedDrops: UInt32 = 0
  /// Whether the socket is full; the loop reports when there is room again.
  private var isFull = false
  /// Messages have arrived that wait for a turn of the account.
  private var isWaiting = false
  /// Set while the machine has no memory.
  private var memoryTimer: LoopTimer?
  /// Why this side has ended the socket.
  private var ownReason: ChannelEnd?
  private var isReceiving = false
  /// The number of messages that have arrived.
  private(set) var arrivals: UInt64 = 0
  /// The other side has closed the socket, so no one waits for answers to messages that still arrive.
  public private(set) var isOrphaned = false
  private let buffer: UnsafeMutableRawBufferPointer

  /// - Parameter accounts: those of the service's programs; nil at a program's side.
  init(_ socket: consuming UnsharedDescriptor, peer: Peer, accounts: Accounts? = nil, loop: EventLoop) {
    self.socket = consume socket
    self.peer = peer
    self.accounts = accounts
    account = accounts?.account(of: peer)
    self.loop = loop
    buffer = .allocate(byteCount: RecordLimits.record, alignment: 8)
    account?.opened()
  }

  /// The kernel limits the size, by default to twice that of a new socket: 550 notifications.
  fileprivate final func resizeSocket() {
    var size = Int32(min(256 << 10, account?.socketBytes ?? .max))
    _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
  }

  deinit {
    close()
    buffer.deallocate()
  }

  /// Names the process of the service in place of its supervisor. Does nothing if the kernel reports none, as for
  /// another PID namespace.
  public func serviceIs(_ process: Int32) {
    if peer.process > 0, process > 0 { peer = Peer(process: process, user: peer.user) }
  }

  /// Whether messages can be sent. Messages that have arrived may be received for longer.
  public var isOpen: Bool { socket != nil && ownReason == nil }

  private var descriptor: Int32 { socket?.rawValue ?? -1 }

  /// - Parameter onEnd: called once, after the last record, unless `close` is called first.
  fileprivate final func start(_ onRecord: @escaping Receiver, _ onEnd: @escaping (ChannelEnd) -> Void) {
    guard socket != nil else { return }
    handlers = (onRecord, onEnd)
    guard watch == nil else { return }
    do throws(SystemError) {
      watch = try loop.watch(descriptor, for: interest) { [weak self] in self?.ready($0) }
    } catch {
      loop.postHere { [weak self] in self?.end(.system(code: error.code)) }
    }
  }

  /// Receives no more until it is started again.
  public func pause() {
    watch?.cancel()
    memoryTimer?.cancel()
    (watch, handlers, memoryTimer) = (nil, nil, nil)
    isFull = false
    stopWaiting()
  }

  private func waitForMemory() {
    guard memoryTimer == nil, watch != nil else { return }
    memoryTimer = loop.schedule(after: Self.memoryPause) { [weak self] in
      self?.memoryTimer = nil
      self?.updateInterest()
    }
    updateInterest()
  }

  private var interest: IOInterest {
    if memoryTimer != nil { return [] }
    let incoming: IOInterest = isWaiting ? [] : .readable
    return kept.isEmpty && unreportedDrops == 0 ? incoming : incoming.union(.writable)
  }

  private func ready(_ readiness: IOReadiness) {
    if readiness.writable { sendKept() }
    if readiness.hangup { isOrphaned = true }
    guard !isWaiting, readiness.readable || readiness.hangup || readiness.error else { return }
    let most = account?.turnsAtOnce ?? Self.mostPerDispatch
    guard receive(atMost: most) == most, watch != nil, let account, let accounts else { return }
    isWaiting = true
    accounts.wait(self, of: account)
    updateInterest()
  }

  /// Handles one message. Returns whether more may have arrived.
  func takeTurn() -> Bool {
    if receive(atMost: 1) == 1, isWaiting { return true }
    isWaiting = false
    updateInterest()
    return false
  }

  private func stopWaiting() {
    guard isWaiting, let account, let accounts else { return }
    isWaiting = false
    accounts.leave(self, of: account)
  }

  // MARK: Ending

  /// Ends the channel; the other side sees the end after the messages that were sent. Kept messages are lost. `onEnd`
  /// is not called.
  public func close() {
    guard socket != nil else { return }
    // Closing is not enough while a child of fork() that was not entered in time has the descriptor.
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    let handlers = handlers
    pause()
    socket = nil
    releaseKept(kept.count)
    account?.closed()
    withExtendedLifetime(handlers) {}
  }

  private func end(_ reason: ChannelEnd) {
    let handlers = handlers
    close()
    handlers?.end(reason)
  }

  /// Ends the socket; messages that have arrived are still received.
  private func cutOff(_ reason: ChannelEnd) {
    guard isOpen else { return }
    ownReason = reason
    releaseKept(kept.count)
    unreportedDrops = 0
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    updateInterest()
  }

  // MARK: Receiving

  /// Receives the messages that have already arrived, before the next dispatch: a process that was stopped must first
  /// know what has happened meanwhile.
  public func receivePending() { _ = receive(atMost: Self.mostPending) }

  /// Returns how many messages were received.
  private func receive(atMost most: Int) -> Int {
    guard !isReceiving else { return 0 }
    isReceiving = true
    defer { isReceiving = false }
    var received = 0
    while received < most, let handlers, socket != nil {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT | MSG_TRUNC))
      guard count > 0 else {
        switch count == 0 ? 0 : errno {
        case 0: end(ownReason ?? .closed)
        case EAGAIN: break
        case ENOBUFS, ENOMEM: waitForMemory()
        // The other side ended before it had read everything. Its messages can still be received.
        case EINTR, ECONNRESET: continue
        case let code: end(.system(code: code))
        }
        break
      }
      received += 1
      arrivals &+= 1
      account?.handled()
      do throws(MalformedMessage) {
        // The kernel reports the whole length of a record that was truncated.
        guard count <= buffer.count else { throw MalformedMessage() }
        try handlers.record(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      } catch {
        end(.malformed)
      }
    }
    return received
  }

  // MARK: Sending

  private enum Outcome {
    case sent
    case full
    /// The other side has ended. `receive` notices this, after the other side's messages.
    case failed
  }

  /// Sends the record, or keeps it, or drops and counts an event that does not fit. Returns false if it was dropped or
  /// is too long, or the channel has ended.
  fileprivate final func sendRecord(isEvent: Bool) -> Bool {
    isEvent ? record.fits && sendEvent() || drop() : record.fits && sendOrKeep()
  }

  /// Events never overtake messages that are kept.
  private func sendEvent() -> Bool {
    // An event for a side that does not read costs no system call.
    guard kept.isEmpty, !isFull, unreportedDrops == 0 || reportDrops() else { return false }
    return write(record.bytes) == .sent
  }

  private func drop() -> Bool {
    unreportedDrops &+= 1
    updateInterest()
    return false
  }

  private func sendOrKeep() -> Bool {
    if kept.isEmpty {
      let outcome = write(record.bytes)
      guard outcome == .full else { return outcome == .sent }
    }
    kept.append(record.bytes.withUnsafeBufferPointer(Array.init))
    let size = record.bytes.count + Self.overhead
    keptBytes += size
    guard account?.keep(size) ?? true, keptBytes <= Self.mostKept else {
      cutOff(.tooSlow)
      return false
    }
    updateInterest()
    return true
  }

  private func sendKept() {
    isFull = false
    let sent = kept.firstIndex { write($0) == .full } ?? kept.count
    releaseKept(sent)
    guard kept.isEmpty else { return }
    if unreportedDrops > 0 { _ = reportDrops() }
    updateInterest()
  }

  /// The first messages are no longer kept.
  private func releaseKept(_ count: Int) {
    let bytes = kept[..<count].reduce(0) { $0 + $1.count + Self.overhead }
    kept.removeFirst(count)
    keptBytes -= bytes
    account?.keep(-bytes)
  }

  private func reportDrops() -> Bool {
    var report = MessageRecord()
    ServiceMessage.dropped(.init(count: unreportedDrops)).encode(into: &report)
    guard write(report.bytes) != .full else { return false }
    unreportedDrops = 0
    updateInterest()
    return true
  }

  private func updateInterest() { try? watch?.modify(interest) }

  private func write(_ record: [UInt8]) -> Outcome {
    while Glibc.send(descriptor, record, record.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) < 0 {
      switch errno {
      case EINTR: continue
      case let code where [EAGAIN, ENOBUFS, ENOMEM].contains(code):
        isFull = watch != nil
        if code != EAGAIN { waitForMemory() }
        return .full
      default: return .failed
      }
    }
    return .sent
  }
}

/// The service's side of a channel to a program.
public final class ProgramChannel: Channel {
  override init(
    _ socket: consuming UnsharedDescriptor, peer: Peer, accounts: Accounts? = nil, loop: EventLoop
  ) {
    super.init(socket, peer: peer, accounts: accounts, loop: loop)
    resizeSocket()
  }

  /// Begins to receive. Messages that arrived earlier have been kept.
  ///
  /// - Parameter onEnd: called once, after the last message, unless `close` is called first.
  public func start(onMessage: @escaping (ProgramMessage) -> Void, onEnd: @escaping (ChannelEnd) -> Void) {
    start(
      { (record) throws(MalformedMessage) in
        if let message = try ProgramMessage(record) { onMessage(message) }
      }, onEnd)
  }

  /// Sends the message, or keeps it, or drops and counts an event that does not fit. Returns false if it was dropped or
  /// is too long, or the channel has ended.
  @discardableResult
  public func send(_ message: ServiceMessage) -> Bool {
    guard isOpen else { return false }
    message.encode(into: &record)
    return sendRecord(isEvent: message.isEvent)
  }
}

/// A program's side of a channel to the service.
public final class ServiceChannel: Channel {
  /// Begins to receive. Messages that arrived earlier have been kept.
  ///
  /// - Parameter onEnd: called once, after the last message, unless `close` is called first.
  public func start(onMessage: @escaping (ServiceMessage) -> Void, onEnd: @escaping (ChannelEnd) -> Void) {
    start(
      { (record) throws(MalformedMessage) in
        if let message = try ServiceMessage(record) { onMessage(message) }
      }, onEnd)
  }

  /// Sends the message, or keeps it. Returns false if it is too long, or the channel has ended.
  @discardableResult
  public func send(_ message: ProgramMessage) -> Bool {
    guard isOpen else { return false }
    message.encode(into: &record)
    return sendRecord(isEvent: false)
  }
}
