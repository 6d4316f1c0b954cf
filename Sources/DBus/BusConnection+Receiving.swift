import CDBus
import EventLoop

extension BusConnection {
  /// The number of messages handled before the loop's other work runs.
  private static let messagesPerTurn = 64
  /// The pause before a message for which the machine had no memory is parsed again.
  private static let memoryPause: Duration = .milliseconds(100)

  /// Reads messages and handles them.
  ///
  /// Work that was posted before a message arrived runs before that message is handled: a subscription that was made
  /// before a value was sent receives the value. So while work is posted, messages are not read.
  func readSocket() {
    guard let stream, !isTurnPosted, stream.read() != .nothing else { return }
    if loop.hasPostedWork { postTurn() } else { handleFrames(of: stream) }
  }

  func postTurn() {
    guard !isTurnPosted else { return }
    isTurnPosted = true
    loop.postHere { [weak self] in
      self?.isTurnPosted = false
      self?.turn()
    }
  }

  private func turn() {
    if let unfinishedWork {
      if !unfinishedWork.part() { self.unfinishedWork = nil }
      return postTurn()
    }
    if let stream { handleFrames(of: stream) }
    // libdbus has a message only after it has closed the socket.
    guard !isTurnPosted, let connection = pointer else { return }
    dbus_connection_ref(connection)
    withExtendedLifetime(self) { _ = dbus_connection_dispatch(connection) }
    dbus_connection_unref(connection)
  }

  /// Called by the handler of a long message: `part` is called again, with other work of the loop in between, until it
  /// returns false. No other message is handled before that. If this connection ends first, `abandoned` is called.
  public func handleInParts(_ part: @escaping () -> Bool, abandoned: @escaping () -> Void) {
    unfinishedWork = (part, abandoned)
    postTurn()
  }

  /// Handles complete frames, up to a limit, and then the end of the connection. A handler may close it or release it.
  private func handleFrames(of stream: MessageStream) {
    withExtendedLifetime(self) {
      var rest = Self.messagesPerTurn
      repeat {
        while let frame = stream.next() {
          guard handle(frame, stream) else { return }
          rest -= 1
          guard self.stream === stream else { return }
          if rest == 0 || unfinishedWork != nil { return postTurn() }
        }
        if stream.isMalformed || stream.hasEnded { return disconnect() }
      } while stream.mayHaveMore && !loop.hasPostedWork && stream.read() != .nothing
      stream.releaseMemory()
    }
  }

  /// Returns false if there was not enough memory for the message, which is handled later.
  private func handle(_ frame: Frame, _ stream: MessageStream) -> Bool {
    if let (reader, value) = inPlace.find(frame) {
      traffic?.note(frame.serial)
      reader.handler(value, frame.serial)
      return true
    }
    if let emptyReply, let call = emptyReply.replySerial(of: frame) {
      let sender = emptyReply.message.view.sender
      traffic?.note(sender, frame.serial)
      deliverReply(emptyReply.message, to: call, from: sender)
      return true
    }
    do throws(Frame.Refusal) {
      let message = try frame.message(stream)
      defer { dbus_message_unref(message) }
      currentFrame = frame
      receive(MessageView(pointer: message), frame)
      currentFrame = nil
    } catch .memory {
      stream.putBack(frame)
      memoryTimer = loop.schedule(after: Self.memoryPause) { [weak self] in self?.postTurn() }
      return false
    } catch {
      disconnect()
    }
    return true
  }

  private func receive(_ message: MessageView, _ frame: Frame) {
    traffic?.note(message.sender, message.serial)
    switch message.kind {
    case .signal: routes.deliver(message)
    case .methodReturn, .error:
      if let reply = EmptyReply(message, frame) { emptyReply = reply }
      deliverReply(Message(message), to: message.replySerial, from: message.sender)
    case .methodCall: deliverCall(message)
    case .unknown: break
    }
  }

  /// Counts the messages from this peer from now on, instead of any other peer's.
  public func follow(_ peer: String) -> PeerTraffic {
    let traffic = PeerTraffic(peer)
    self.traffic = traffic
    inPlace.removeAll()
    return traffic
  }

  /// While a PropertiesChanged of the followed peer is handled, in which `value` is the only change: calls `handler`
  /// for each later value of that property, instead of the signal's route, until the reader is cancelled or the routes
  /// of that signal change. Nil if another route would receive the signal, too.
  public func readInPlace(
    _ value: UnsafeRawBufferPointer, _ handler: @escaping (_ value: UnsafeRawBufferPointer, _ serial: UInt32) -> Void
  ) -> InPlaceReader? {
    guard routes.hasOnePropertyRoute, let currentFrame,
      let template = FrameTemplate(currentFrame, valueOf: value.count)
    else { return nil }
    let reader = InPlaceReader(template, self, handler)
    inPlace.insert(reader)
    return reader
  }
}
