import DBus
import Testing

@testable import BlueZ

@Suite("Classification of BlueZ errors")
struct BlueZErrorTests {
  struct Row: CustomTestStringConvertible {
    let name: String
    let text: String
    let kind: BlueZError.Kind

    init(_ name: String, _ text: String, _ kind: BlueZError.Kind) {
      (self.name, self.text, self.kind) = (name, text, kind)
    }

    var testDescription: String { "\(name) \"\(text)\" is \(kind)" }
  }

  static let bus = "org.freedesktop.DBus.Error."
  static let bluez = "org.bluez.Error."

  static let rows: [Row] = [
    // The object was removed.
    Row(bus + "UnknownObject", "Method \"Connect\" with signature \"\" doesn't exist", .objectGone),
    Row(bus + "UnknownMethod", "Method \"StartNotify\" with signature \"\" doesn't exist", .objectGone),
    Row(bus + "UnknownInterface", "", .objectGone),
    // There is no service to reply.
    Row(bus + "ServiceUnknown", "The name :1.5 was not provided by any .service files", .unavailable),
    Row(bus + "NameHasNoOwner", "Could not get owner of name", .unavailable),
    Row(bus + "Disconnected", "", .unavailable),
    Row(bus + "Spawn.ChildExited", "Launch helper exited with unknown return code 1", .unavailable),
    Row(bus + "Spawn.ServiceNotFound", "", .unavailable),
    Row(bus + "NoReply", "Did not receive a reply", .deadline),
    Row(bus + "Timeout", "", .deadline),
    Row(bus + "AccessDenied", "Rejected send message", .accessDenied),
    // Errors about the adapter and bluetoothd.
    Row(bluez + "NotReady", "Resource Not Ready", .notReady),
    Row(bluez + "InProgress", "In Progress", .inProgress),
    Row(bluez + "InProgress", "br-connection-busy", .inProgress),
    Row(bluez + "NotConnected", "Not Connected", .notConnected),
    Row(bluez + "Failed", "Not connected", .notConnected),
    Row(bluez + "AlreadyExists", "Already Exists", .alreadyExists),
    Row(bluez + "DoesNotExist", "Does Not Exist", .doesNotExist),
    Row(bluez + "NotSupported", "Operation is not supported", .notSupported),
    Row(bluez + "AuthenticationFailed", "Authentication Failed", .pairingRefused),
    Row(bluez + "AuthenticationCanceled", "Authentication Canceled", .pairingInterrupted),
    Row(bluez + "AuthenticationRejected", "Authentication Rejected", .pairingRefused),
    Row(bluez + "AuthenticationTimeout", "Authentication Timeout", .pairingInterrupted),
    Row(bluez + "ConnectionAttemptFailed", "Page Timeout", .pairingInterrupted),
    // Errors of the attribute protocol, as bluetoothd reports them.
    Row(bluez + "NotPermitted", "Read not permitted", .att(0x02)),
    Row(bluez + "NotPermitted", "Write not permitted", .att(0x03)),
    Row(bluez + "NotPermitted", "Not paired", .att(0x05)),
    Row(bluez + "InvalidArguments", "Invalid offset", .att(0x07)),
    Row(bluez + "InvalidArguments", "Invalid Length", .att(0x0d)),
    Row(bluez + "NotAuthorized", "Operation Not Authorized", .att(0x08)),
    Row(bluez + "Failed", "Operation failed with ATT error: 0x0e", .att(0x0e)),
    Row(bluez + "Failed", "Operation failed with ATT error: 0x80 (Application Error)", .att(0x80)),
    Row(bluez + "Failed", "Operation failed with ATT error: 0xFF", .att(0xff)),
    // Similar texts that are not ATT errors.
    Row(bluez + "Failed", "Operation failed with ATT error: 0x", .failed),
    Row(bluez + "Failed", "Operation failed with ATT error: 0x100", .failed),
    Row(bluez + "Failed", "Operation failed with ATT error: 0xzz", .failed),
    Row(bluez + "Failed", "Operation failed with ATT error: 0x-1", .failed),
    Row(bluez + "Failed", "Operation failed with ATT error: 0x\u{ff11}", .failed),
    Row(bluez + "NotPermitted", "Write acquired", .failed),
    Row(bluez + "InvalidArguments", "Invalid arguments in method call", .failed),
    Row(bluez + "Failed", "le-connection-abort-by-local", .failed),
    Row(bluez + "Failed", "br-connection-canceled", .failed),
    Row(bluez + "Failed", "Operation already in progress", .failed),
    Row(bluez + "Failed", "", .failed),
    Row("org.example.Error", "anything", .failed),
  ]

  @Test("by name and text", arguments: rows)
  func mapping(_ row: Row) {
    let error = BlueZError(.remote(name: row.name, message: row.text))
    #expect(error.kind == row.kind)
    #expect(error.name == row.name)
    #expect(error.message == row.text)
  }

  @Test("errors of the bus itself keep their meaning and have no D-Bus name")
  func local() {
    let kinds: [(BusError, BlueZError.Kind)] = [
      (.deadline, .deadline), (.disconnected, .unavailable), (.unreachable("connection refused"), .unavailable),
      (.cancelled, .cancelled), (.invalidArgument("path"), .failed), (.unexpectedAnswer("Hello"), .failed),
      (.exhausted("memory"), .exhausted),
    ]
    for (cause, kind) in kinds {
      let error = BlueZError(cause)
      #expect(error.kind == kind)
      #expect(error.name == nil)
      #expect(!error.message.isEmpty)
    }
  }
}
