import EventLoop
import Glibc

/// Why a channel ended.
public enum ChannelEnd: Equatable, Sendable {
  /// The other side closed it, or its process ended.
  case closed
  /// The other side sent a message that is malformed, too long, or not for this side.
  case malformed
  /// The other side did not read what had to be kept for it.
  case tooSlow
  /// A system call failed.
  case system(code: Int32)
}

/// A connection between the service and a program, for one tag: a SOCK_SEQPACKET socket, whose records are the messages.
/// The kernel keeps them apart and bounds the bytes that wait, so messages need no prefix with their length.
///
/// Every end, whatever its cause, is the end of the socket: what arrived before is received first.
public final class Channel {
  /// The most memory that messages occupy which are kept for the other side beyond the socket's buffer.
  public static let mostKept = 256 << 10
  /// Messages received in one dispatch, so that the loop's other work is not delayed.
  private static let mostPerDispatch = 16

  public private(set) var peer: Peer
  /// The number of events that were dropped because the other side did not read fast enough.
  public private(set) var droppedEvents: UInt32 = 0

  private let isService: Bool
  private let loop: EventLoop
  private var socket: UnsharedDescriptor?
  private var watch: IOWatch?
  private var handlers: Handlers?

  private var header: [UInt8] = []
  private var outgoing = KeptMessages()
  private var unreportedDrops: UInt32 = 0
  /// Until the loop reports that there is room again.
  private var isFull = false
  /// Why this side has ended the socket.
  private var ownReason: ChannelEnd?
  private var isReceiving = false
  private let buffer: UnsafeMutableRawBufferPointer

  private struct Handlers {
    let message: (ServiceMessage) -> Void
    let end: (ChannelEnd) -> Void
  }

  /// - Parameter isService: whether this side is the service.
  init(_ socket: consuming UnsharedDescriptor, peer: Peer, isService: Bool, loop: EventLoop) {
    self.socket = consume socket
    self.peer = peer
    self.isService = isService
    self.loop = loop
    buffer = .allocate(byteCount: ServiceMessage.longest, alignment: 8)
    if isService { enlargeSocket() }
  }

  /// The kernel limits the size, by default to twice that of a new socket: 550 notifications.
  private func enlargeSocket() {
    var size: Int32 = 256 << 10
    _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
  }

  deinit {
    close()
    buffer.deallocate()
  }

  /// Names the process of the service in place of its supervisor. A kernel that reports none shows another PID namespace.
  public func serviceIs(_ process: Int32) {
    if peer.process > 0, process > 0 { peer = Peer(process: process, user: peer.user) }
  }

  public var isOpen: Bool { socket != nil && ownReason == nil }

  private var descriptor: Int32 { socket?.rawValue ?? -1 }

  /// Begins to receive. Messages that arrived earlier have been kept.
  ///
  /// - Parameter onEnd: called once, after the last message, unless `close` is called first.
  public func start(onMessage: @escaping (ServiceMessage) -> Void, onEnd: @escaping (ChannelEnd) -> Void) {
    guard socket != nil else { return }
    handlers = Handlers(message: onMessage, end: onEnd)
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
    (watch, handlers) = (nil, nil)
    isFull = false
  }

  private var interest: IOInterest {
    outgoing.isEmpty && unreportedDrops == 0 ? .readable : [.readable, .writable]
  }

  private func ready(_ readiness: IOReadiness) {
    if readiness.writable { sendKept() }
    if readiness.readable || readiness.hangup || readiness.error { receive(atMost: Self.mostPerDispatch) }
  }

  // MARK: Ending

  /// Ends the channel; the other side sees the end after what was sent. What is kept for it is lost. `onEnd` is not called.
  public func close() {
    guard socket != nil else { return }
    // Closing is not enough while a child of fork() that was not entered in time has the descriptor.
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    let handlers = handlers
    pause()
    socket = nil
    outgoing = KeptMessages()
    withExtendedLifetime(handlers) {}
  }

  private func end(_ reason: ChannelEnd) {
    let handlers = handlers
    close()
    handlers?.end(reason)
  }

  /// Ends the socket; what has arrived is still received.
  private func cutOff(_ reason: ChannelEnd) {
    guard isOpen else { return }
    ownReason = reason
    outgoing = KeptMessages()
    unreportedDrops = 0
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    updateInterest()
  }

  // MARK: Receiving

  /// Receives what has already arrived, before the next dispatch: a process that was stopped itself must not take the
  /// service for one that hangs.
  public func receivePending() { receive(atMost: .max) }

  private func receive(atMost most: Int) {
    guard !isReceiving else { return }
    isReceiving = true
    defer { isReceiving = false }
    var received = 0
    while received < most, let handlers, socket != nil {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT | MSG_TRUNC))
      guard count > 0 else {
        switch count == 0 ? 0 : errno {
        case 0: return end(ownReason ?? .closed)
        case EAGAIN: return
        // The other side ended before it had read everything. What it sent can still be received.
        case EINTR, ECONNRESET: continue
        case let code: return end(.system(code: code))
        }
      }
      received += 1
      // The kernel reports the whole length of a record that was truncated.
      guard count <= buffer.count else { return end(.malformed) }
      do throws(MalformedMessage) {
        guard let message = try ServiceMessage(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { continue }
        guard message.kind.isFromService != isService else { return end(.malformed) }
        handlers.message(message)
      } catch {
        return end(.malformed)
      }
    }
  }

  // MARK: Sending

  private enum Outcome {
    case sent
    case full
    /// The other side has ended. `receive` notices this, after what it sent.
    case failed
  }

  /// Sends the message, or keeps it, or drops and counts an event that does not fit. Returns false if it was dropped, is
  /// longer than `ServiceMessage.longest`, or the channel has ended.
  @discardableResult
  public func send(_ message: ServiceMessage) -> Bool {
    guard isOpen else { return false }
    message.encodeHeader(&header)
    let payload = message.payload
    let fits = payload.count <= ServiceMessage.longestPayload && header.count + payload.count <= ServiceMessage.longest
    return message.isEvent ? fits && sendEvent(payload) || drop() : fits && sendOrKeep(payload)
  }

  /// Events never overtake messages that are kept.
  private func sendEvent(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard outgoing.isEmpty else { return false }
    // An event for a side that does not read costs no system call.
    guard !isFull, unreportedDrops == 0 || reportDrops() else { return false }
    return write(header, payload) == .sent
  }

  private func drop() -> Bool {
    droppedEvents &+= 1
    unreportedDrops &+= 1
    updateInterest()
    return false
  }

  private func sendOrKeep(_ payload: UnsafeRawBufferPointer) -> Bool {
    if outgoing.isEmpty {
      switch write(header, payload) {
      case .sent: return true
      case .failed: return false
      case .full: break
      }
    }
    outgoing.append(header + payload)
    guard outgoing.byteCount <= Self.mostKept else {
      cutOff(.tooSlow)
      return false
    }
    updateInterest()
    return true
  }

  private func sendKept() {
    isFull = false
    while let first = outgoing.first {
      switch write(first) {
      case .full: return
      case .sent, .failed: outgoing.removeFirst()
      }
    }
    if unreportedDrops > 0 { _ = reportDrops() }
    updateInterest()
  }

  private func reportDrops() -> Bool {
    var report: [UInt8] = []
    ServiceMessage(.dropped, [unreportedDrops]).encodeHeader(&report)
    guard write(report) != .full else { return false }
    unreportedDrops = 0
    updateInterest()
    return true
  }

  private func updateInterest() { try? watch?.modify(interest) }

  /// One record: the bytes are not joined before.
  private func write(
    _ header: [UInt8], _ payload: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) -> Outcome {
    header.withUnsafeBytes { header in
      var parts = (
        iovec(iov_base: UnsafeMutableRawPointer(mutating: header.baseAddress), iov_len: header.count),
        iovec(iov_base: UnsafeMutableRawPointer(mutating: payload.baseAddress), iov_len: payload.count)
      )
      return withUnsafeMutablePointer(to: &parts) { parts in
        parts.withMemoryRebound(to: iovec.self, capacity: 2) { parts in
          var record = msghdr()
          record.msg_iov = parts
          record.msg_iovlen = 2
          while sendmsg(descriptor, &record, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) < 0 {
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS, ENOMEM:
              isFull = watch != nil
              return .full
            default: return .failed
            }
          }
          return .sent
        }
      }
    }
  }
}

/// Messages that wait until the socket has room, in order.
private struct KeptMessages {
  /// What a message occupies beside its bytes: on the heap, and in the list, which grows in steps.
  private static let overhead = 64

  private var messages: ArraySlice<[UInt8]> = []
  /// The memory that the messages occupy.
  private(set) var byteCount = 0

  var isEmpty: Bool { messages.isEmpty }
  var first: [UInt8]? { messages.first }

  mutating func append(_ message: [UInt8]) {
    messages.append(message)
    byteCount += message.count + Self.overhead
  }

  mutating func removeFirst() {
    guard let first = messages.first else { return }
    byteCount -= first.count + Self.overhead
    // A slice retains what was removed from it.
    messages[messages.startIndex] = []
    messages = messages.dropFirst()
    if messages.isEmpty { messages = [] }
  }
}
