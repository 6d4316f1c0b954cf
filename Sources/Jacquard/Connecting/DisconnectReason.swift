/// The reason why a link ended, with the numbers of `jacquard_disconnect_reason`.
public enum DisconnectReason: UInt32, CaseIterable, Sendable {
  case none = 0
  case unknown = 1
  case timeout = 2
  case local = 3
  case remote = 4
  case authentication = 5
  case suspend = 6
  case poweredOff = 7
  case serviceGone = 8

  /// The reason with this name in `Device1.Disconnected` (BlueZ 5.83 and later).
  init(bluez name: String) {
    switch name {
    case "org.bluez.Reason.Timeout": self = .timeout
    case "org.bluez.Reason.Local": self = .local
    case "org.bluez.Reason.Remote": self = .remote
    case "org.bluez.Reason.Authentication": self = .authentication
    case "org.bluez.Reason.Suspend": self = .suspend
    default: self = .unknown
    }
  }

  /// Appended to "The link to the tag was lost"; empty if the reason is unknown.
  var explanation: String {
    switch self {
    case .none, .unknown: ""
    case .timeout: ": it is out of range or out of power"
    case .local: ": this machine dropped it"
    case .remote: ": the tag dropped it"
    case .authentication: ": authentication failed"
    case .suspend: ": the machine was suspended"
    case .poweredOff: ": Bluetooth was powered off"
    case .serviceGone: ": the Bluetooth service stopped or the adapter was removed"
    }
  }
}
