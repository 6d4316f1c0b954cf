/// Whether Bluetooth can be used, with the numbers of `jacquard_adapter_state`.
public enum AdapterState: UInt32, CaseIterable, Sendable {
  case unknown = 0
  case resetting = 1
  case unsupported = 2
  case unauthorized = 3
  case poweredOff = 4
  case poweredOn = 5

  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .resetting: "resetting"
    case .unsupported: "unsupported"
    case .unauthorized: "unauthorized"
    case .poweredOff: "powered off"
    case .poweredOn: "powered on"
    }
  }
}

/// The adapter in use, or why there is none.
public struct AdapterStatus: Equatable, Sendable {
  public var state: AdapterState
  public var address = ""
  public var name = ""
  public var error: JacquardError?
}
