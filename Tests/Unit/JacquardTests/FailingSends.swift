import CDBus
import Glibc
import Synchronization

/// libdbus without memory for the next calls of one method: its function, which the linker finds here first.
enum FailingSends {
  fileprivate static let failing = Mutex((member: "", count: 0))

  static func fail(_ member: String, times count: Int) { failing.withLock { $0 = (member, count) } }

  fileprivate static func takes(_ message: OpaquePointer) -> Bool {
    failing.withLock { failing in
      guard failing.count > 0, let member = dbus_message_get_member(message), String(cString: member) == failing.member
      else { return false }
      failing.count -= 1
      return true
    }
  }

  fileprivate typealias Send = @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutablePointer<UInt32>?) -> UInt32
  fileprivate static let next = unsafeBitCast(
    dlsym(UnsafeMutableRawPointer(bitPattern: -1), "dbus_connection_send"), to: Send.self)
}

@_cdecl("dbus_connection_send")
func sendUnlessItFails(
  _ connection: OpaquePointer, _ message: OpaquePointer, _ serial: UnsafeMutablePointer<UInt32>?
) -> UInt32 {
  FailingSends.takes(message) ? 0 : FailingSends.next(connection, message, serial)
}
