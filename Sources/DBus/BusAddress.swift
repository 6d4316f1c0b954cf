import CLinux
import Glibc

/// The address of a bus: one or more Unix sockets, tried in order.
///
/// Grammar: D-Bus specification, "Server Addresses". Only the `unix:` transport with `path` or `abstract` is accepted:
/// all others either run programs, open the network, or are of no use to a client.
public struct BusAddress: Hashable, CustomStringConvertible, Sendable {
  public let entries: [Entry]

  public init(_ text: String) throws(BusError) {
    var entries: [Entry] = []
    for part in text.split(separator: ";", omittingEmptySubsequences: true) {
      entries.append(try Entry(parsing: part))
    }
    guard !entries.isEmpty else { throw .invalidArgument("bus address: empty") }
    self.entries = entries
  }

  public init(path: String) throws(BusError) {
    entries = [try Entry(path: path)]
  }

  /// `$DBUS_SYSTEM_BUS_ADDRESS`, else the well-known socket. In a program that runs with more privileges than its
  /// caller, the environment is ignored.
  public static func system() throws(BusError) -> BusAddress {
    if let configured = secure_getenv("DBUS_SYSTEM_BUS_ADDRESS"), configured.pointee != 0 {
      return try BusAddress(String(cString: configured))
    }
    return try BusAddress(path: "/run/dbus/system_bus_socket")
  }

  /// The address in D-Bus syntax.
  public var description: String {
    entries.map(\.description).joined(separator: ";")
  }
}
