import CDBus
import EventLoop
import Glibc

/// One private connection to a message bus, driven by a loop. Confined to that loop; opened once, closed once.
///
/// Nothing here waits: whatever needs an answer is `async` or takes a completion.
public final class BusConnection {
  /// libdbus's own choice for calls without a deadline, and GLib's.
  public static let defaultDeadline: Duration = .seconds(25)
  /// How many messages are handled before the loop's other work gets its turn.
  private static let messagesPerTurn = 64
  /// Signals of BlueZ take 250 bytes and more.
  private static let messagesOfFullRead = 4

  private enum State { case unopened, opening, open, closed }

  public let loop: EventLoop
  public let address: BusAddress
  public private(set) var uniqueName: String?

  /// Every signal that arrives, before those that subscribed to it. The view is valid during the call only.
  public var onSignal: ((MessageView) -> Void)?
  /// The bus went away. Called once, after every outstanding call has failed; not after `close()`.
  public var onDisconnected: (() -> Void)?

  private var state = State.unopened
  private(set) var pointer: OpaquePointer?
  private var knock: Knock?
  private var isIntroducing = false
  private var hasMessages = false
  /// Whether libdbus is being driven right now, with a look at its messages to follow.
  private var isHandling = false
  private var isTurnPosted = false
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
  /// The bus drops whoever says anything before Hello.
  var acceptsMessages: Bool { isOpen || isIntroducing }

  // MARK: Opening and closing

  /// Connects, authenticates and introduces itself to the bus.
  public func open(deadline: Duration = .seconds(10)) async throws(BusError) {
    loop.assertIsolated()
    guard state == .unopened else { throw .disconnected }
    state = .opening
    do {
      try await loop.withDeadline(deadline) { [self] in
        let entry = try await firstAwake()
        try connect(entry)
        let answer = try await introduce(deadline).value()
        var reader = answer.reader
        guard let name = reader.cString else { throw BusError.unexpectedAnswer("Hello") }
        uniqueName = String(cString: name)
      }
      guard state == .opening, pointer != nil else { throw BusError.disconnected }
      state = .open
    } catch {
      close()
      switch error {
      case let error as BusError: throw error
      case is DeadlineExceeded: throw .deadline
      default: throw .cancelled
      }
    }
  }

  private func firstAwake() async throws -> BusAddress.Entry {
    var failure = BusError.disconnected
    for entry in address.entries {
      guard state == .opening else { break }
      let knock = Knock(loop)
      self.knock = knock
      defer { self.knock = nil }
      do {
        try await knock.wait(at: entry)
        return entry
      } catch .cancelled {
        throw BusError.cancelled
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private func introduce(_ deadline: Duration) throws(BusError) -> Completion<Message> {
    isIntroducing = true
    defer { isIntroducing = false }
    let answer = Completion<Message>()
    try call(Driver.call("Hello"), deadline: deadline) { (result: Result<Message, BusError>) in
      answer.complete(result.mapError { $0 })
    }
    return answer
  }

  private func connect(_ entry: BusAddress.Entry) throws(BusError) {
    guard state == .opening else { throw .disconnected }
    guard Self.threadsReady else { throw .exhausted("memory") }
    // The process's signal dispositions are not ours to change; libdbus sends with MSG_NOSIGNAL.
    dbus_connection_set_change_sigpipe(0)

    var error = DBusError()
    dbus_error_init(&error)
    guard let connection = dbus_connection_open_private(entry.description, &error) else {
      defer { dbus_error_free(&error) }
      throw .unreachable(error.message.map { String(cString: $0) } ?? "unknown reason")
    }
    pointer = connection
    dbus_connection_set_exit_on_disconnect(connection, 0)

    let this = Unmanaged.passUnretained(self).toOpaque()
    let attached =
      WatchBridge(self).attach(to: connection)
      && TimeoutBridge(loop).attach(to: connection)
      && dbus_connection_add_filter(
        connection,
        Self.filter, this, nil) != 0
    guard attached else { throw .exhausted("memory or descriptors") }
    dbus_connection_set_dispatch_status_function(
      connection,
      { _, status, this in
        guard let this else { return }
        Unmanaged<BusConnection>.fromOpaque(this).takeUnretainedValue().dispatchStatusChanged(status)
      }, this, nil)
  }

  /// Safe initialisation of libdbus, whoever else in the process uses it.
  private static let threadsReady = dbus_threads_init_default() != 0

  /// Ends the connection. Outstanding calls fail with `.disconnected`; no handler is called afterwards.
  public func close() {
    onDisconnected = nil
    disconnect()
  }

  /// Gives everything back, then tells those who wait.
  private func disconnect() {
    guard state != .closed else { return }
    let wasOpen = state == .open
    state = .closed
    if let connection = pointer {
      pointer = nil
      dbus_connection_remove_filter(connection, Self.filter, Unmanaged.passUnretained(self).toOpaque())
      dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
      // The bus notices when the last copy of the socket is closed, and a child of fork() may have one.
      var socket: Int32 = -1
      if dbus_connection_get_socket(connection, &socket) != 0 { shutdown(socket, Int32(SHUT_RDWR)) }
      dbus_connection_close(connection)
      WatchBridge.detach(from: connection)
      TimeoutBridge.detach(from: connection)
      dbus_connection_unref(connection)
    }

    // Taken out first and released at the end: what the handlers hold may come back here when it is released.
    let abandoned = (routes.removeAll(), exports, owners, onSignal, onDisconnected)
    (exports, owners, onSignal, onDisconnected) = (ExportTable(), [:], nil, nil)
    for route in abandoned.0 { route.end() }
    knock?.abandon()
    for call in pendingCalls.values.sorted(by: { $0.serial < $1.serial }) { call.complete(.failure(.disconnected)) }
    if wasOpen { abandoned.4?() }
    withExtendedLifetime(abandoned) {}
  }

  func loseLater() {
    loop.post { [weak self] in self?.disconnect() }
  }

  // MARK: Receiving

  private static let filter: DBusHandleMessageFunction = { _, message, this in
    guard let message, let this else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
    Unmanaged<BusConnection>.fromOpaque(this).takeUnretainedValue().receive(MessageView(pointer: message))
    return DBUS_HANDLER_RESULT_HANDLED
  }

  private func dispatchStatusChanged(_ status: DBusDispatchStatus) {
    hasMessages = status != DBUS_DISPATCH_COMPLETE
    // What arrives while the descriptor is handled is dispatched right after, without another trip through the loop.
    if hasMessages, !isHandling { postTurn() }
  }

  private func postTurn() {
    guard !isTurnPosted else { return }
    isTurnPosted = true
    loop.post { [weak self] in
      self?.isTurnPosted = false
      self?.turn()
    }
  }

  /// Lets libdbus read and write, then hands over what it has read.
  ///
  /// libdbus reads at most 2 KiB each time. When that much came, more is likely waiting, and asking at once is cheaper
  /// than another trip through the loop.
  ///
  /// What was posted before a message came runs before that message is handed over: a subscription that was made before
  /// a value was sent gets it. So while something is posted, messages wait their turn behind it, unread.
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

  /// Hands over what libdbus has read, up to a share; returns how many that were.
  @discardableResult
  private func turn(atMost share: Int = messagesPerTurn) -> Int {
    guard hasMessages, !isHandling, let connection = pointer else { return 0 }
    var handled = 0
    // A handler may close the connection, or let go of it.
    dbus_connection_ref(connection)
    withExtendedLifetime(self) {
      isHandling = true
      var status = DBUS_DISPATCH_DATA_REMAINS
      while status == DBUS_DISPATCH_DATA_REMAINS, handled < share, pointer != nil {
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

  /// Counts what this peer sends here, from now on and in place of any other.
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
      deliverSignal(message)
    case .methodReturn, .error: deliverReply(message)
    case .methodCall: deliverCall(message)
    case .unknown: break
    }
  }
}
