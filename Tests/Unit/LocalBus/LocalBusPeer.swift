import CDBus
import EventLoop

/// The bus's side of a program's connection.
final class LocalBusPeer {
  /// The unique name, assigned at Hello.
  var name: String?
  var rules: [LocalBusRule] = []
  /// The calls that it must reply to, in order.
  var owed: [(caller: LocalBusPeer, serial: UInt32)] = []

  /// The address at which it has connected.
  let address: String
  private let connection: OpaquePointer
  private unowned let bus: LocalBus
  private var watch: IOWatch?
  private var isClosed = false

  init(_ connection: OpaquePointer, at address: String, _ bus: LocalBus) throws {
    self.address = address
    self.connection = dbus_connection_ref(connection)
    self.bus = bus
    dbus_connection_set_exit_on_disconnect(connection, 0)
    dbus_connection_set_route_peer_messages(connection, 1)
    dbus_connection_add_filter(
      connection,
      { _, message, this in
        guard let message, let this else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
        Unmanaged<LocalBusPeer>.fromOpaque(this).takeUnretainedValue().receive(message)
        return DBUS_HANDLER_RESULT_HANDLED
      }, Unmanaged.passUnretained(self).toOpaque(), nil)
    var descriptor: Int32 = -1
    guard dbus_connection_get_unix_fd(connection, &descriptor) != 0 else { throw LocalBusError(reason: "no socket") }
    watch = try bus.loop.watch(descriptor, for: .readable) { [weak self] _ in self?.pump() }
  }

  deinit {
    close()
    dbus_connection_unref(connection)
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    watch?.cancel()
    watch = nil
    dbus_connection_close(connection)
    bus.lost(self)
    owed = []
  }

  /// Reads and writes all pending data, then forwards the messages that were read.
  private func pump() {
    withExtendedLifetime(self) {
      // A step of the authentication is either read or written.
      for _ in 0..<(dbus_connection_get_is_authenticated(connection) != 0 ? 1 : 3) {
        dbus_connection_read_write(connection, 0)
      }
      while !isClosed, dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS {}
      follow()
    }
  }

  private func receive(_ message: OpaquePointer) {
    if dbus_message_is_signal(message, DBUS_INTERFACE_LOCAL, "Disconnected") != 0 { return close() }
    if !isClosed { bus.receive(message, from: self) }
  }

  /// Messages to a program that does not read are queued here.
  private func follow() {
    guard !isClosed else { return }
    let isFull = dbus_connection_has_messages_to_send(connection) != 0
    try? watch?.modify(isFull ? [.readable, .writable] : .readable)
  }

  // MARK: Sending

  func send(_ message: OpaquePointer) {
    guard !isClosed else { return }
    dbus_connection_send(connection, message, nil)
    if dbus_connection_has_messages_to_send(connection) != 0 { follow() }
  }

  func reply(_ call: OpaquePointer, _ body: [LocalBusMessage.Argument] = []) {
    guard dbus_message_get_no_reply(call) == 0, let answer = dbus_message_new_method_return(call) else { return }
    LocalBusMessage.append(body, to: answer)
    sendFromBus(answer)
  }

  func fail(_ call: OpaquePointer, _ name: String, _ text: String) {
    guard dbus_message_get_no_reply(call) == 0 else { return }
    failCall(dbus_message_get_serial(call), name, text)
  }

  func failCall(_ serial: UInt32, _ name: String, _ text: String) {
    guard let answer = dbus_message_new(DBUS_MESSAGE_TYPE_ERROR) else { return }
    dbus_message_set_error_name(answer, "org.freedesktop.DBus.Error.\(name)")
    dbus_message_set_reply_serial(answer, serial)
    LocalBusMessage.append([.string(text)], to: answer)
    sendFromBus(answer)
  }

  func emit(_ member: String, _ body: [String]) {
    LocalBusMessage.withSignal(member, body) {
      dbus_message_set_destination($0, name)
      send($0)
    }
  }

  private func sendFromBus(_ message: OpaquePointer) {
    dbus_message_set_sender(message, LocalBus.name)
    dbus_message_set_destination(message, name)
    send(message)
    dbus_message_unref(message)
  }
}
