import CLinux
import Glibc

/// The address of a bus: one or more Unix sockets, tried in order.
///
/// Grammar: D-Bus specification, "Server Addresses". Only the `unix:` transport with `path` or `abstract` is accepted:
/// all others either run programs, open the network, or are of no use to a client.
public struct BusAddress: Hashable, CustomStringConvertible, Sendable {
  /// The sockets to try, in this order; never empty.
  public let entries: [Entry]

  /// Parses an address in D-Bus syntax. Throws `invalidArgument` unless each part is a valid `unix:` address.
  public init(_ text: String) throws(BusError) {
    var entries: [Entry] = []
    for part in text.split(separator: ";", omittingEmptySubsequences: true) {
      entries.append(try Entry(parsing: part))
    }
    guard !entries.isEmpty else { throw .invalidArgument("bus address: empty") }
    self.entries = entries
  }

  /// The address of one socket. Throws if the path is empty, contains a zero byte, or is longer than 98 bytes.
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

extension BusAddress {
  /// One socket.
  public struct Entry: Hashable, CustomStringConvertible, Sendable {
    /// A socket in the file system, or a name in the kernel's abstract namespace, without its leading zero byte.
    public enum Socket: Hashable, Sendable {
      case path(String)
      case abstract(String)
    }

    /// libdbus copies the name into a buffer of this size, terminator included.
    private static let longestSocketName = 99

    public let socket: Socket
    /// The 32 hexadecimal digits that the address states for the server; nil if it states none.
    public let guid: String?

    init(path: String) throws(BusError) {
      socket = .path(try Self.checked(path, "path"))
      guid = nil
    }

    /// The entry in D-Bus syntax, with escapes.
    public var description: String {
      let address =
        switch socket {
        case .path(let path): "unix:path=\(Self.escape(path))"
        case .abstract(let name): "unix:abstract=\(Self.escape(name))"
        }
      return guid.map { "\(address),guid=\($0)" } ?? address
    }

    init(parsing text: Substring) throws(BusError) {
      guard let colon = text.firstIndex(of: ":") else {
        throw .invalidArgument("bus address: no transport in '\(text)'")
      }
      guard text[..<colon] == "unix" else {
        throw .invalidArgument("bus address: transport '\(text[..<colon])' is not supported")
      }
      var socket: Socket?
      var guid: String?
      for pair in text[text.index(after: colon)...].split(separator: ",", omittingEmptySubsequences: false) {
        guard let equals = pair.firstIndex(of: "=") else {
          throw .invalidArgument("bus address: no value in '\(pair)'")
        }
        let value = try Self.unescape(pair[pair.index(after: equals)...])
        switch pair[..<equals] {
        case "path" where socket == nil: socket = .path(try Self.checked(value, "path"))
        case "abstract" where socket == nil: socket = .abstract(try Self.checked(value, "abstract name"))
        case "guid" where guid == nil:
          guard value.utf8.count == 32, value.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw .invalidArgument("bus address: guid '\(value)'")
          }
          guid = value
        case let key: throw .invalidArgument("bus address: '\(key)' is not supported or given twice")
        }
      }
      guard let socket else { throw .invalidArgument("bus address: neither path nor abstract in '\(text)'") }
      self.socket = socket
      self.guid = guid
    }

    private static func checked(_ name: String, _ what: String) throws(BusError) -> String {
      guard !name.isEmpty, !name.utf8.contains(0), name.utf8.count < longestSocketName else {
        throw .invalidArgument("bus address: \(what) is empty or too long")
      }
      return name
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        true
      default: "-_/.\\*".utf8.contains(byte)
      }
    }

    private static func escape(_ text: String) -> String {
      let digits = Array("0123456789abcdef".utf8)
      var escaped: [UInt8] = []
      for byte in text.utf8 {
        if isPlain(byte) {
          escaped.append(byte)
        } else {
          escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
      }
      return String(decoding: escaped, as: UTF8.self)
    }

    private static func unescape(_ text: Substring) throws(BusError) -> String {
      var bytes: [UInt8] = []
      var rest = text.utf8[...]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%") {
          let digits = rest.prefix(2)
          rest = rest.dropFirst(2)
          guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
            digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-")
          else { throw .invalidArgument("bus address: invalid escape in '\(text)'") }
          bytes.append(value)
        } else {
          guard isPlain(byte) else { throw .invalidArgument("bus address: unescaped character in '\(text)'") }
          bytes.append(byte)
        }
      }
      guard let value = String(validating: bytes, as: UTF8.self) else {
        throw .invalidArgument("bus address: '\(text)' is not UTF-8")
      }
      return value
    }
  }
}
