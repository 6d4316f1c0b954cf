/// BlueZ's errors with the texts of release 5.66.
extension MethodFailure {
  static func failed(_ text: String) -> MethodFailure { .bluez("Failed", text) }

  static let notReady = bluez("NotReady", "Resource Not Ready")
  static let blocked = bluez("Blocked", "Blocked through rfkill")
  static let inProgress = bluez("InProgress", "In Progress")
  static let alreadyInProgress = bluez("InProgress", "Operation already in progress")
  static let notConnected = bluez("NotConnected", "Not Connected")
  static let notSupported = bluez("NotSupported", "Operation is not supported")
  static let invalidArguments = bluez("InvalidArguments", "Invalid arguments in method call")
  static let doesNotExist = bluez("DoesNotExist", "Does Not Exist")
  static let alreadyExists = bluez("AlreadyExists", "Already Exists")
  static let rejected = bluez("Rejected", "Rejected")
  static let authenticationFailed = bluez("AuthenticationFailed", "Authentication Failed")
  static let authenticationCanceled = bluez("AuthenticationCanceled", "Authentication Canceled")

  static func notPermitted(_ text: String) -> MethodFailure { bluez("NotPermitted", text) }

  /// bluetoothd's error for an error of the attribute protocol.
  static func attribute(_ error: AttributeError) -> MethodFailure {
    switch error {
    case .writeNotPermitted: notPermitted("Write not permitted")
    case .insufficientAuthentication: notPermitted("Not paired")
    case .requestNotSupported: notSupported
    case .invalidAttributeValueLength: bluez("InvalidArguments", "Invalid Length")
    case .unlikelyError: failed("Operation failed with ATT error: 0x0e")
    }
  }

  private static func bluez(_ name: String, _ text: String) -> MethodFailure {
    MethodFailure(name: "org.bluez.Error.\(name)", message: text)
  }
}

/// The reasons that `Device1.Disconnected` reports.
enum FakeDisconnectReason: String {
  case unknown = "org.bluez.Reason.Unknown"
  case timeout = "org.bluez.Reason.Timeout"
  case local = "org.bluez.Reason.Local"
  case remote = "org.bluez.Reason.Remote"
  case authentication = "org.bluez.Reason.Authentication"
  case suspend = "org.bluez.Reason.Suspend"

  var message: String {
    switch self {
    case .unknown: "Unspecified"
    case .timeout: "Connection timeout"
    case .local: "Connection terminated by local host"
    case .remote: "Connection terminated by remote user"
    case .authentication: "Connection terminated due to an authentication failure"
    case .suspend: "Connection terminated by local host for suspend"
    }
  }
}
