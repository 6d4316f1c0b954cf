import CDBus
import EventLoop
import Glibc

/// One private connection to a message bus, driven by a loop. Confined to that loop; opened once, closed once.
///
/// Nothing here blocks: functions that need a reply are `async` or take a completion.
public final class BusConnection {
  /// The default of libdbus and GLib for calls without a time limit.
  public static let defaultDeadline: Duration = .seconds(25)
  /// The number of messages handled before the loop's other work runs.
  private static let messagesPerTurn = 64
  /// This many messages in one read indicate that the read was full, because signals of BlueZ have at least 250 bytes.
  private static let messagesOfFullRead = 4

  private enum State { case unopened, opening, open, closed }

  public let loop: EventLoop
  public let address: BusAddress
  public private(set) var uniqueName: String?

  /// Called once when the bus has disconnected, after every pending call has failed; not called after `close()`.
  public var onDisconnected: (() -> Void)?

  private var state = State.unopened
  private(set) var pointer: OpaquePointer?
  private var probe: SocketProbe?
  private var isIntroducing = false
  private var hasMessages = false
  /// Whether libdbus is running; its messages are checked afterwards.
  private var isHandling = false
  private var isTurnPosted = false
  private var unfinishedWork: (part: () -> Bool, abandoned: () -> Void)?
  var pendingCalls: [UInt32: PendingCall] = [:]
  var routes = RouteTable()
  var owners: [String: NameOwner] = [:]
  var exports = ExportTable()
  private var traffic: PeerTraffic?

  public init(_ loop: EventLoop, _ address: BusAddress) {
    self.loop = loop
    self.address = address
  }

  deinit { close() }

  public var isOpen: Bool { state == .open }
  /// The bus disconnects clients that send anything before Hello.
  var acceptsMessages: Bool { isOpen || isIntroducing }

  // MARK: Opening and closing

  /// Connects, authenticates and sends Hello to the bus.
  public func open(deadline: Duration = .seconds(10)) async throws(BusError) {
    loop.assertIsolated()
    guard state == .unopened else { throw .disconnected }
    state = .opening
    do throws(BusError) {
      try await loop.withDeadline(deadline, expired: .deadline) { [self] () async throws(BusError) in
        let entry = try await firstAwake()
        try connect(entry)
        let answer = try await introduce(deadline).value()
        var reader = answer.reader
        guard let name = reader.cString else { throw .unexpectedAnswer("Hello") }
        uniqueName = String(cString: name)
      }
      guard state == .opening, pointer != nil else { throw .disconnected }
      state = .open
    } catch {
      close()
      throw error
    }
  }

  private func firstAwake() async throws(BusError) -> BusAddress.Entry {
    var failure = BusError.disconnected
    for entry in address.entries {
      guard state == .opening else { break }
      let probe = SocketProbe(loop)
      self.probe = probe
      defer { self.probe = nil }
      do throws(BusError) {
        try await probe.wait(at: entry)
        return entry
      } catch {
        guard error != .cancelled else { throw error }
        failure = error
      }
    }
    throw failure
  }

  private func introduce(_ deadline: Duration) throws(BusError) -> Completion<Message, BusError> {
    isIntroducing = true
    defer { isIntroducing = false }
    let answer = Completion<Message, BusError>()
    try call(MessageBus.call("Hello"), deadline: deadline) { (result: Result<Message, BusError>) in
      answer.complete(result)
    }
    return answer
  }

  private func connect(_ entry: BusAddress.Entry) throws(BusError) {
    guard state == .opening else { throw .disconnected }
    // Thread-safe initialisation, even if other code in the process uses libdbus. It may fail, and is repeated then.
    guard dbus_threads_init_default() != 0 else { throw .exhausted("memory") }
    // The library must not change the process's signal dispositions; libdbus sends with MSG_NOSIGNAL.
    dbus_connection_set_change_sigpipe(0)

    var error = DBusError()
    dbus_error_init(&error)
    guard let connection = dbus_connection_open_private(entry.description, &error) else {
      defer { dbus_error_free(&error) }
      let names = [DBUS_ERROR_NO_MEMORY, DBUS_ERROR_LIMITS_EXCEEDED]
      guard !names.contains(where: { dbus_error_has_name(&error, $0) != 0 }) else {
        throw .exhausted("memory or descriptors")
      }
      throw .unreachable(error.message.map { String(cString: $0) } ?? "unknown reason")
    }
    let this = Unmanaged.passUnretained(self).toOpaque()
    // First, because libdbus aborts the process if a filter is removed that was not added.
    guard dbus_connection_add_filter(connection, Self.filter, this, nil) != 0 else {
      dbus_connection_close(connection)
      dbus_connection_unref(connection)
      throw .exhausted("memory")
    }
    pointer = connection
    dbus_connection_set_exit_on_disconnect(connection, 0)
    // It needs no timeouts: libdbus has them only for its own pending calls, which are not used.
    guard WatchBridge(self).attach(to: connection) else {
      throw .exhausted("memory or descriptors")
    }
    dbus_connection_set_dispatch_status_function(
      connection,
      { _, status, this in
        guard let this else { return }
        Unmanaged<BusConnection>.fromOpaque(this).takeUnretainedValue().dispatchStatusChanged(status)
      }, this, nil)
  }

  /// Ends the connection. Pending calls fail with `.disconnected`; no handler is called afterwards.
  public func close() {
    onDisconnected = nil
    disconnect()
  }

  /// Releases everything, then completes pending calls.
  private func disconnect() {
    guard state != .closed else { return }
    let wasOpen = state == .open
    state = .closed
    if let connection = pointer {
      pointer = nil
      dbus_connection_remove_filter(connection, Self.filter, Unmanaged.passUnretained(self).toOpaque())
      dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
      // Shut down explicitly: the bus only notices when the last copy of the socket is closed, and a child of fork()
      // may have one.
      var socket: Int32 = -1
      if dbus_connection_get_socket(connection, &socket) != 0 { shutdown(socket, Int32(SHUT_RDWR)) }
      dbus_connection_close(connection)
      WatchBridge.detach(from: connection)
      dbus_connection_unref(connection)
    }

    // Removed first and released at the end: releasing objects that the handlers hold may call back into this object.
    let abandoned = (routes.removeAll(), exports, owners, onDisconnected, unfinishedWork)
    (exports, owners, onDisconnected, unfinishedWork) = (ExportTable(), [:], nil, nil)
    for route in abandoned.0 { route.end() }
    probe?.cancel()
    abandoned.4?.abandoned()
    for call in pendingCalls.values.sorted(by: { $0.serial < $1.serial }) { call.complete(.failure(.disconnected)) }
    if wasOpen { abandoned.3?() }
    withExtendedLifetime(abandoned) {}
  }

  func loseLater() {
    loop.postHere { [weak self] in self?.disconnect() }
  }

  // MARK: Receiving

  private static let filter: DBusHandleMessageFunction = { _, message, this in
    guard let message, let this else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
    Unmanaged<BusConnection>.fromOpaque(this).takeUnretainedValue().receive(MessageView(pointer: message))
    return DBUS_HANDLER_RESULT_HANDLED
  }

  private func dispatchStatusChanged(_ status: DBusDispatchStatus) {
    hasMessages = status != DBUS_DISPATCH_COMPLETE
    // Data that arrives while the descriptor is handled is dispatched immediately afterwards, in the same iteration.
    if hasMessages, !isHandling { postTurn() }
  }

  private func postTurn() {
    guard !isTurnPosted else { return }
    isTurnPosted = true
    loop.postHere { [weak self] in
      self?.isTurnPosted = false
      self?.turn()
    }
  }

  /// For the handler of a long message: `part` is called again, with other work of the loop in between, until it
  /// returns false. No other message is handled before that. If this connection ends first, `abandoned` is called.
  public func handleInParts(_ part: @escaping () -> Bool, abandoned: @escaping () -> Void) {
    unfinishedWork = (part, abandoned)
    postTurn()
  }

  /// Lets libdbus read and write, then dispatches what it has read.
  ///
  /// libdbus reads at most 2 KiB each time. After that much, more is probably available, and reading again immediately
  /// is cheaper than another iteration of the loop.
  ///
  /// Work that was posted before a message arrived runs before that message is dispatched: a subscription that was made
  /// before a value was sent receives the value. So while work is posted, messages are not read.
  func handleReadiness(_ drive: () -> Void) {
    guard !isTurnPosted else { return }
    withExtendedLifetime(self) {
      var rest = Self.messagesPerTurn
      while rest > 0, pointer != nil {
        isHandling = true
        drive()
        isHandling = false
        guard !loop.hasPostedWork else { return postTurn() }
        let handled = turn(atMost: rest)
        rest -= handled
        guard handled >= Self.messagesOfFullRead else { return }
      }
    }
  }

  /// Dispatches the messages that libdbus has read, up to a limit; returns their number.
  @discardableResult
  private func turn(atMost share: Int = messagesPerTurn) -> Int {
    guard !isHandling, let connection = pointer else { return 0 }
    if let unfinishedWork {
      if !unfinishedWork.part() { self.unfinishedWork = nil }
      postTurn()
      return 0
    }
    guard hasMessages else { return 0 }
    var handled = 0
    // A handler may close the connection or release it.
    dbus_connection_ref(connection)
    withExtendedLifetime(self) {
      isHandling = true
      var status = DBUS_DISPATCH_DATA_REMAINS
      while status == DBUS_DISPATCH_DATA_REMAINS, handled < share, pointer != nil, unfinishedWork == nil {
        status = dbus_connection_dispatch(connection)
        handled += 1
      }
      isHandling = false
      hasMessages = status != DBUS_DISPATCH_COMPLETE && pointer != nil
      if hasMessages { postTurn() }
    }
    dbus_connection_unref(connection)
    return handled
  }

  /// Counts the messages from this peer from now on, instead of any other peer's.
  public func follow(_ peer: String) -> PeerTraffic {
    let traffic = PeerTraffic(peer)
    self.traffic = traffic
    return traffic
  }

  private func receive(_ message: MessageView) {
    traffic?.note(message)
    switch message.kind {
    case .signal:
      if message.isSignal("org.freedesktop.DBus.Local", "Disconnected") { return disconnect() }
      routes.deliver(message)
    case .methodReturn, .error: deliverReply(message)
    case .methodCall: deliverCall(message)
    case .unknown: break
    }
  }
}
