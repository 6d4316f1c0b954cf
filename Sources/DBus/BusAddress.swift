import CLinux
import Glibc

/// Where a bus listens: one or more Unix sockets, tried in order.
///
/// Grammar: D-Bus specification, "Server Addresses". Only the `unix:` transport is taken, with `path` or `abstract`:
/// all others either run programs, open the network, or are of no use to a client.
public struct BusAddress: Hashable, CustomStringConvertible {
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

  /// `$DBUS_SYSTEM_BUS_ADDRESS`, else the well-known socket. In a program that runs with more rights than its caller,
  /// the caller does not choose the bus.
  public static func system() throws(BusError) -> BusAddress {
    if let configured = secure_getenv("DBUS_SYSTEM_BUS_ADDRESS"), configured.pointee != 0 {
      return try BusAddress(String(cString: configured))
    }
    return try BusAddress(path: "/run/dbus/system_bus_socket")
  }

  /// In the form that every D-Bus library reads.
  public var description: String {
    entries.map(\.description).joined(separator: ";")
  }
}
