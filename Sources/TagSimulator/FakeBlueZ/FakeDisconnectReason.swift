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
