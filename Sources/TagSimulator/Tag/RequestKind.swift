/// Every request that the tag supports, by its name in scenarios.
public enum RequestKind: String, CaseIterable, Sendable {
  case supported
  case hello
  case begin
  case deviceInfo = "device-info"
  case configRead = "config-read"
  case configWrite = "config-write"
  case led
  case loadModule = "load-module"
  case unloadModule = "unload-module"
  case listModules = "list-modules"
  case deleteModule = "delete-module"
  case battery
  case configGet = "config-get"
  case configSet = "config-set"
  case configGetIndex = "config-get-index"
  case disconnect
  case reboot
  case faultLogGet = "fault-log-get"
  case faultLogClear = "fault-log-clear"
  case dfuStatus = "dfu-status"
  case dfuPrepare = "dfu-prepare"
  case dfuWrite = "dfu-write"
  case dfuExecute = "dfu-execute"
  case gearCharacteristics = "gear-characteristics"
  case gearInfo = "gear-info"
  case gearLed = "gear-led"
  case haptic
  case touchMode = "touch-mode"
  case recordingStart = "recording-start"
  case recordingStop = "recording-stop"
  case recordingStatus = "recording-status"
  case sessionList = "session-list"
  case sessionData = "session-data"
  case sessionErase = "session-erase"
  case sessionEraseAll = "session-erase-all"

  struct Route: Hashable {
    var domain: UInt32
    var opcode: UInt32
  }

  static let gearDomain: UInt32 = 8

  /// Domain, opcode and the number of the payload's field.
  var wire: (route: Route, payload: UInt32?) {
    switch self {
    case .supported: (Route(domain: 0, opcode: 0), 99)
    case .hello: (Route(domain: 0, opcode: 1), nil)
    case .begin: (Route(domain: 0, opcode: 2), 101)
    case .deviceInfo: (Route(domain: 0, opcode: 4), 103)
    case .configRead: (Route(domain: 0, opcode: 10), 1100)
    case .configWrite: (Route(domain: 0, opcode: 11), 1101)
    case .led: (Route(domain: 0, opcode: 17), 118)
    case .loadModule: (Route(domain: 0, opcode: 18), 1200)
    case .unloadModule: (Route(domain: 0, opcode: 19), 1201)
    case .listModules: (Route(domain: 0, opcode: 20), nil)
    case .deleteModule: (Route(domain: 0, opcode: 21), 1203)
    case .battery: (Route(domain: 0, opcode: 23), 121)
    case .configGet: (Route(domain: 0, opcode: 24), 123)
    case .configSet: (Route(domain: 0, opcode: 25), 122)
    case .configGetIndex: (Route(domain: 0, opcode: 26), 124)
    case .disconnect: (Route(domain: 0, opcode: 27), 125)
    case .reboot: (Route(domain: 0, opcode: 28), 126)
    case .faultLogGet: (Route(domain: 0, opcode: 29), 127)
    case .faultLogClear: (Route(domain: 0, opcode: 30), nil)
    case .dfuStatus: (Route(domain: 1, opcode: 1), 200)
    case .dfuPrepare: (Route(domain: 1, opcode: 2), 201)
    case .dfuWrite: (Route(domain: 1, opcode: 3), 202)
    case .dfuExecute: (Route(domain: 1, opcode: 4), 203)
    case .gearCharacteristics: (Route(domain: 8, opcode: 2), 902)
    case .gearInfo: (Route(domain: 8, opcode: 4), 103)
    case .gearLed: (Route(domain: 8, opcode: 5), 118)
    case .haptic: (Route(domain: 8, opcode: 6), 906)
    case .touchMode: (Route(domain: 8, opcode: 7), 907)
    case .recordingStart: (Route(domain: 9, opcode: 1), 1001)
    case .recordingStop: (Route(domain: 9, opcode: 2), 1002)
    case .recordingStatus: (Route(domain: 9, opcode: 3), 1003)
    case .sessionList: (Route(domain: 9, opcode: 4), 1004)
    case .sessionData: (Route(domain: 9, opcode: 5), 1005)
    case .sessionErase: (Route(domain: 9, opcode: 6), 1007)
    case .sessionEraseAll: (Route(domain: 9, opcode: 7), 1008)
    }
  }

  private static let byRoute = Dictionary(uniqueKeysWithValues: allCases.map { ($0.wire.route, $0) })

  static func at(domain: UInt32, opcode: UInt32) -> RequestKind? { byRoute[Route(domain: domain, opcode: opcode)] }

  /// Requests of the set-up phase, for which a host waits for a shorter time.
  var isSetUp: Bool { self == .hello || self == .begin || self == .deviceInfo }
}
