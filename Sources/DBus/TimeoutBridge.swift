import CDBus
import EventLoop

/// Runs libdbus's timeouts on the loop. They repeat until disabled or removed.
final class TimeoutBridge {
  private let loop: EventLoop
  private var timers: [OpaquePointer: LoopTimer] = [:]

  init(_ loop: EventLoop) { self.loop = loop }

  func attach(to connection: OpaquePointer) -> Bool {
    dbus_connection_set_timeout_functions(
      connection,
      { timeout, bridge in
        guard let timeout else { return 0 }
        TimeoutBridge.from(bridge)?.settle(timeout)
        return 1
      },
      { timeout, bridge in
        guard let timeout else { return }
        TimeoutBridge.from(bridge)?.remove(timeout)
      },
      { timeout, bridge in
        guard let timeout else { return }
        TimeoutBridge.from(bridge)?.settle(timeout)
      },
      Unmanaged.passRetained(self).toOpaque(),
      { bridge in
        if let bridge { Unmanaged<TimeoutBridge>.fromOpaque(bridge).release() }
      }) != 0
  }

  static func detach(from connection: OpaquePointer) {
    dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil)
  }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> TimeoutBridge? {
    pointer.map { Unmanaged<TimeoutBridge>.fromOpaque($0).takeUnretainedValue() }
  }

  private func settle(_ timeout: OpaquePointer) {
    remove(timeout)
    guard dbus_timeout_get_enabled(timeout) != 0 else { return }
    timers[timeout] = loop.schedule(after: .milliseconds(Int(dbus_timeout_get_interval(timeout)))) { [weak self] in
      // Renewed first, because handling it may remove it.
      self?.settle(timeout)
      dbus_timeout_handle(timeout)
    }
  }

  private func remove(_ timeout: OpaquePointer) {
    timers.removeValue(forKey: timeout)?.cancel()
  }
}
