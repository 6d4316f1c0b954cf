import CDBus
import EventLoop

/// Runs libdbus's watches on the loop. libdbus creates one for reading and one for writing on the same descriptor; the
/// loop has one watch per descriptor, so they are combined here.
final class WatchBridge {
  private final class Descriptor {
    let number: Int32
    var watches: [OpaquePointer] = []
    var registration: IOWatch?

    init(number: Int32) { self.number = number }
  }

  private unowned let connection: BusConnection
  private var descriptors: [Descriptor] = []
  /// Reads instead of libdbus, if set.
  var stream: MessageStream? {
    didSet { for descriptor in descriptors where !update(descriptor) { connection.loseLater() } }
  }

  init(_ connection: BusConnection) { self.connection = connection }

  /// Returns false, libdbus's "out of memory", if the connection cannot be watched.
  func attach(to connection: OpaquePointer) -> Bool {
    let this = Unmanaged.passRetained(self)
    let isAttached =
      dbus_connection_set_watch_functions(
        connection,
        { watch, bridge in
          guard let watch, let bridge = WatchBridge.from(bridge) else { return 0 }
          return bridge.add(watch) ? 1 : 0
        },
        { watch, bridge in
          guard let watch else { return }
          WatchBridge.from(bridge)?.remove(watch)
        },
        { watch, bridge in
          guard let watch else { return }
          WatchBridge.from(bridge)?.toggle(watch)
        },
        this.toOpaque(),
        { bridge in
          if let bridge { Unmanaged<WatchBridge>.fromOpaque(bridge).release() }
        }) != 0
    // On failure, libdbus has kept nothing.
    if !isAttached { this.release() }
    return isAttached
  }

  static func detach(from connection: OpaquePointer) {
    dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
  }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> WatchBridge? {
    pointer.map { Unmanaged<WatchBridge>.fromOpaque($0).takeUnretainedValue() }
  }

  private func add(_ watch: OpaquePointer) -> Bool {
    let number = dbus_watch_get_unix_fd(watch)
    let descriptor: Descriptor
    if let known = descriptors.first(where: { $0.number == number }) {
      descriptor = known
    } else {
      descriptor = Descriptor(number: number)
      descriptors.append(descriptor)
    }
    descriptor.watches.append(watch)
    if update(descriptor) { return true }
    remove(watch)
    return false
  }

  private func remove(_ watch: OpaquePointer) {
    guard let index = descriptors.firstIndex(where: { $0.watches.contains(watch) }) else { return }
    // libdbus removes its watches before it closes the socket.
    stream?.close()
    let descriptor = descriptors[index]
    descriptor.watches.removeAll { $0 == watch }
    _ = update(descriptor)
    if descriptor.watches.isEmpty { descriptors.remove(at: index) }
  }

  private func toggle(_ watch: OpaquePointer) {
    guard let descriptor = descriptors.first(where: { $0.watches.contains(watch) }), !update(descriptor) else { return }
    // Otherwise no message would ever arrive again.
    connection.loseLater()
  }

  private func update(_ descriptor: Descriptor) -> Bool {
    // libdbus's watch for reading counts only until the stream reads.
    var interest: IOInterest = stream == nil || descriptor.watches.isEmpty ? [] : .readable
    for watch in descriptor.watches where dbus_watch_get_enabled(watch) != 0 {
      let flags = dbus_watch_get_flags(watch)
      if flags & DBUS_WATCH_READABLE.rawValue != 0, stream == nil { interest.insert(.readable) }
      if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { interest.insert(.writable) }
    }
    do {
      if interest.isEmpty {
        // The kernel reports a hang-up even without interest in events; libdbus, with all watches disabled, would
        // ignore it, and the loop would spin.
        descriptor.registration?.cancel()
        descriptor.registration = nil
      } else if let registration = descriptor.registration {
        try registration.modify(interest)
      } else {
        // libdbus never blocks, and finds the end of the connection by reading.
        descriptor.registration = try connection.loop.watch(descriptor.number, for: interest, canPresume: true) {
          [unowned self, unowned descriptor] readiness in handle(descriptor, readiness)
        }
      }
      return true
    } catch {
      return false
    }
  }

  private func handle(_ descriptor: Descriptor, _ readiness: IOReadiness) {
    guard stream != nil else {
      drive(descriptor) { Self.flags(readiness, for: $0) }
      return connection.readIfAuthenticated()
    }
    if readiness.writable { drive(descriptor) { $0 & DBUS_WATCH_WRITABLE.rawValue } }
    if readiness.readable || readiness.hangup || readiness.error { connection.readSocket() }
  }

  private func drive(_ descriptor: Descriptor, _ flags: (_ wanted: UInt32) -> UInt32) {
    // libdbus may remove watches while one is handled.
    for watch in descriptor.watches {
      guard descriptor.watches.contains(watch), dbus_watch_get_enabled(watch) != 0 else { continue }
      let flags = flags(dbus_watch_get_flags(watch))
      // False means "out of memory": the descriptor stays ready, so libdbus is called again.
      if flags != 0 { dbus_watch_handle(watch, flags) }
    }
  }

  private static func flags(_ readiness: IOReadiness, for wanted: UInt32) -> UInt32 {
    var flags: UInt32 = 0
    if readiness.readable { flags |= DBUS_WATCH_READABLE.rawValue & wanted }
    if readiness.writable { flags |= DBUS_WATCH_WRITABLE.rawValue & wanted }
    if readiness.hangup { flags |= DBUS_WATCH_HANGUP.rawValue }
    if readiness.error { flags |= DBUS_WATCH_ERROR.rawValue }
    return flags
  }
}
