import DBus
import EventLoop

/// A failed BlueZ operation, classified by how the library can react.
public struct BlueZError: CancellableError, Equatable, Sendable {
  /// The failures that the library distinguishes.
  public enum Kind: Equatable, Sendable {
    /// bluetoothd or the bus became unavailable during the operation, or was unavailable.
    case unavailable
    /// The object was removed: `UnknownObject`, `UnknownMethod`, or InterfacesRemoved during the call.
    case objectGone
    /// No reply in time.
    case deadline
    case accessDenied
    /// Denied by the filter of a sandbox.
    case filtered
    case notReady
    case inProgress
    case notConnected
    case alreadyExists
    case doesNotExist
    case notSupported
    /// One of the two sides refused to pair.
    case pairingRefused
    /// Pairing did not complete: it was cancelled or timed out, or the link was lost.
    case pairingInterrupted
    /// An ATT error code, parsed back from BlueZ's error names and texts.
    case att(UInt8)
    case failed
    /// This machine has no memory or descriptors left.
    case exhausted
    /// The waiting task was cancelled.
    case cancelled
  }

  /// Derived from the D-Bus error's name, and from its text where BlueZ uses one name for several failures.
  public let kind: Kind
  /// The D-Bus error's name, if there was one.
  public let name: String?
  /// BlueZ's own text, or a sentence if BlueZ did not reply.
  public let message: String

  public init(_ kind: Kind, name: String? = nil, _ message: String) {
    self.kind = kind
    self.name = name
    self.message = message
  }

  /// BlueZ has tried BR/EDR. It also uses two of these texts for LE: for a `Connect` that was cancelled, and while it
  /// is busy.
  public var isOfClassicRadio: Bool {
    message.hasPrefix("br-connection-")
      && !["br-connection-canceled", "br-connection-busy"].contains { message.hasPrefix($0) }
  }

  /// BlueZ replied and refused.
  var isAnswer: Bool { name != nil && kind != .deadline }

  /// `Connect` has failed for any reason of the link itself; the second text is that of releases before 5.62.
  var saysAborted: Bool {
    ["le-connection-abort-by-local", "Software caused connection abort"].contains { message.hasPrefix($0) }
  }

  /// A `Connect` is already running. 5.66 reports it only in the message.
  var saysInProgress: Bool { kind == .inProgress || message == "Operation already in progress" }

  /// Thrown by calls to an object that was removed.
  public static let gone = BlueZError(.objectGone, "The Bluetooth service removed the object.")
  /// Thrown by a wait whose task was cancelled.
  public static let cancelled = BlueZError(.cancelled, "The operation was cancelled.")
  /// Thrown by calls while bluetoothd or the bus is unavailable.
  public static let unavailable = BlueZError(.unavailable, "The Bluetooth service is not running.")
}

extension BlueZError {
  init(_ error: BusError) {
    switch error {
    case .remote(let name, let message): self.init(Self.kind(name: name, message: message), name: name, message)
    case .filtered(let name, let message): self.init(.filtered, name: name, message)
    case .deadline: self.init(.deadline, "The Bluetooth service did not respond in time.")
    case .disconnected, .unreachable: self.init(.unavailable, error.message)
    case .cancelled: self = .cancelled
    case .invalidArgument, .unexpectedAnswer: self.init(.failed, error.message)
    case .exhausted: self.init(.exhausted, error.message)
    }
  }

  private static func kind(name: String, message: String) -> Kind {
    switch name {
    case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
      "org.freedesktop.DBus.Error.UnknownInterface":
      .objectGone
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.Disconnected":
      .unavailable
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout": .deadline
    case "org.freedesktop.DBus.Error.AccessDenied": .accessDenied
    case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."): .unavailable
    case "org.bluez.Error.NotReady": .notReady
    case "org.bluez.Error.InProgress": .inProgress
    case "org.bluez.Error.NotConnected": .notConnected
    case "org.bluez.Error.AlreadyExists": .alreadyExists
    case "org.bluez.Error.DoesNotExist": .doesNotExist
    case "org.bluez.Error.NotSupported": .notSupported
    case "org.bluez.Error.AuthenticationFailed", "org.bluez.Error.AuthenticationRejected": .pairingRefused
    case "org.bluez.Error.AuthenticationCanceled", "org.bluez.Error.AuthenticationTimeout",
      "org.bluez.Error.ConnectionAttemptFailed":
      .pairingInterrupted
    // src/gatt-client.c, for a device whose link has ended while `Connected` is still true.
    case "org.bluez.Error.Failed" where message == "Not connected": .notConnected
    default: attCode(name: name, message: message).map(Kind.att) ?? .failed
    }
  }

  /// The inverse of `create_gatt_dbus_error` in BlueZ's src/gatt-client.c. Several ATT codes share one D-Bus error; the
  /// one returned is the first of its group.
  private static func attCode(name: String, message: String) -> UInt8? {
    switch (name, message) {
    case ("org.bluez.Error.NotPermitted", "Read not permitted"): return 0x02
    case ("org.bluez.Error.NotPermitted", "Write not permitted"): return 0x03
    case ("org.bluez.Error.NotPermitted", "Not paired"): return 0x05
    case ("org.bluez.Error.InvalidArguments", "Invalid offset"): return 0x07
    case ("org.bluez.Error.InvalidArguments", "Invalid Length"): return 0x0d
    case ("org.bluez.Error.NotAuthorized", _): return 0x08
    default: break
    }
    let prefix = "Operation failed with ATT error: 0x"
    guard message.hasPrefix(prefix) else { return nil }
    return UInt8(message.dropFirst(prefix.count).prefix { $0.isHexDigit }, radix: 16)
  }
}
