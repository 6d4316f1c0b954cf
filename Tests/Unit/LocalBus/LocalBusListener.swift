import CDBus
import EventLoop

/// libdbus's server on the loop: it listens and authenticates.
final class LocalBusListener {
  let address: String
  let identifier: String
  private let server: OpaquePointer
  private unowned let bus: LocalBus
  private var watch: IOWatch?

  init(_ bus: LocalBus, _ address: String) throws(LocalBusError) {
    self.bus = bus
    self.address = address
    dbus_threads_init_default()
    var error = DBusError()
    dbus_error_init(&error)
    guard let server = dbus_server_listen(address, &error) else {
      defer { dbus_error_free(&error) }
      throw LocalBusError(reason: error.message.map { String(cString: $0) } ?? "")
    }
    self.server = server
    let text = dbus_server_get_id(server)
    identifier = text.map { String(cString: $0) } ?? ""
    dbus_free(text)
    Self.withMechanisms { _ = dbus_server_set_auth_mechanisms(server, $0) }
    dbus_server_set_new_connection_function(
      server,
      { _, connection, this in
        guard let connection, let this else { return }
        let listener = Unmanaged<LocalBusListener>.fromOpaque(this).takeUnretainedValue()
        listener.bus.accept(connection, at: listener.address)
      }, Unmanaged.passUnretained(self).toOpaque(), nil)
    dbus_server_set_watch_functions(
      server,
      { watch, this in
        guard let watch, let this else { return 0 }
        return Unmanaged<LocalBusListener>.fromOpaque(this).takeUnretainedValue().add(watch) ? 1 : 0
      }, { _, _ in }, { _, _ in }, Unmanaged.passUnretained(self).toOpaque(), nil)
  }

  func close() {
    watch?.cancel()
    watch = nil
    dbus_server_set_watch_functions(server, nil, nil, nil, nil, nil)
    dbus_server_disconnect(server)
    dbus_server_unref(server)
  }

  private func add(_ accepting: OpaquePointer) -> Bool {
    watch = try? bus.loop.watch(dbus_watch_get_unix_fd(accepting), for: .readable) { _ in
      dbus_watch_handle(accepting, DBUS_WATCH_READABLE.rawValue)
    }
    return watch != nil
  }

  /// Only EXTERNAL: the other mechanism of libdbus writes files and draws random numbers.
  private static func withMechanisms(_ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Void) {
    "EXTERNAL".withCString { external in
      var mechanisms: [UnsafePointer<CChar>?] = [external, nil]
      mechanisms.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { body(base) } }
    }
  }
}
