import CDBus
import EventLoop
import Glibc

/// One private connection to a message bus, driven by a loop. Confined to that loop; opened once, closed once.
///
/// Nothing here blocks: functions that need a reply are `async` or take a completion.
public final class BusConnection {
  /// The default of libdbus and GLib for calls without a time limit.
  public static let defaultDeadline: Duration = .seconds(25)

  private enum State { case unopened, opening, open, closed }

  /// The loop that drives the connection, and on which every function of it must be called.
  public let loop: EventLoop
  /// The address that `open` connects to: its entries are tried in order.
  public let address: BusAddress
  /// The name that the bus assigned, such as `:1.42`; nil until `open` has received it.
  public private(set) var uniqueName: String?

  /// Called once when the bus has disconnected, after every pending call has failed; not called after `close()`.
  public var onDisconnected: (() -> Void)?

  private var state = State.unopened
  private(set) var pointer: OpaquePointer?
  private var probe: SocketProbe?
  private let authenticated = Completion<Void, BusError>()
  private var isIntroducing = false
  /// Set after authentication; libdbus only writes from then on.
  private(set) var stream: MessageStream?
  private var bridge: WatchBridge?
  var isTurnPosted = false
  var unfinishedWork: (part: () -> Bool, abandoned: () -> Void)?
  var memoryTimer: LoopTimer?
  /// The frame whose message is being handled.
  var currentFrame: Frame?
  var inPlace = InPlaceReaders()
  /// The latest reply without a value.
  var emptyReply: EmptyReply?
  var pendingCalls: [UInt32: PendingCall] = [:]
  var routes = RouteTable()
  var owners: [String: NameOwner] = [:]
  var exports = ExportTable()
  var traffic: PeerTraffic?

  /// Creates an unopened connection. Nothing is sent before `open`.
  public init(_ loop: EventLoop, _ address: BusAddress) {
    self.loop = loop
    self.address = address
  }

  deinit { close() }

  /// Whether `open` has succeeded, and the connection has not been lost or closed since.
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
        try await authenticated.value()
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
    let bridge = WatchBridge(self)
    guard bridge.attach(to: connection) else { throw .exhausted("memory or descriptors") }
    self.bridge = bridge
    dbus_connection_set_dispatch_status_function(
      connection,
      { _, status, this in
        guard let this, status != DBUS_DISPATCH_COMPLETE else { return }
        Unmanaged<BusConnection>.fromOpaque(this).takeUnretainedValue().postTurn()
      }, this, nil)
  }

  /// Ends the connection. Pending calls fail with `.disconnected`; no handler is called afterwards.
  public func close() {
    onDisconnected = nil
    disconnect()
  }

  /// A bus sends nothing between the end of authentication and Hello, so libdbus has read no message, and never will.
  func readIfAuthenticated() {
    guard stream == nil, let connection = pointer, dbus_connection_get_is_authenticated(connection) != 0 else { return }
    var socket: Int32 = -1
    guard dbus_connection_get_socket(connection, &socket) != 0 else { return loseLater() }
    guard let stream = MessageStream(socket) else { return loseLater() }
    self.stream = stream
    bridge?.stream = stream
    authenticated.succeed(())
  }

  /// Releases everything, then completes pending calls.
  func disconnect() {
    guard state != .closed else { return }
    let wasOpen = state == .open
    state = .closed
    stream = nil
    bridge = nil
    inPlace.removeAll()
    memoryTimer?.cancel()
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

    let handlers = removeHandlers()
    for route in handlers.routes { route.end() }
    probe?.cancel()
    handlers.unfinishedWork?.abandoned()
    authenticated.fail(.disconnected)
    for call in pendingCalls.values.sorted(by: { $0.serial < $1.serial }) { call.complete(.failure(.disconnected)) }
    if wasOpen { handlers.onDisconnected?() }
    withExtendedLifetime(handlers) {}
  }

  /// The handlers of a connection that is being closed. They are removed before the first is called and released after
  /// the last: releasing objects that they hold may call back into the connection.
  private struct RemovedHandlers {
    let routes: [SignalRoute]
    let exports: ExportTable
    let owners: [String: NameOwner]
    let onDisconnected: (() -> Void)?
    let unfinishedWork: (part: () -> Bool, abandoned: () -> Void)?
  }

  private func removeHandlers() -> RemovedHandlers {
    defer { (exports, owners, onDisconnected, unfinishedWork) = (ExportTable(), [:], nil, nil) }
    return RemovedHandlers(
      routes: routes.removeAll(), exports: exports, owners: owners, onDisconnected: onDisconnected,
      unfinishedWork: unfinishedWork)
  }

  func loseLater() {
    loop.postHere { [weak self] in self?.disconnect() }
  }

  // MARK: libdbus

  /// libdbus passes on only its own signal, which it sends when it has closed the socket.
  private static let filter: DBusHandleMessageFunction = { _, message, this in
    guard let message, let this else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
    Unmanaged<BusConnection>.fromOpaque(this).takeUnretainedValue().disconnect()
    return DBUS_HANDLER_RESULT_HANDLED
  }
}
