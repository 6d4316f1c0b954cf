/// The kind of a request: a domain and an opcode. Opcodes are unique only within their domain.
public struct Command: Hashable, Sendable {
  public let domain: UInt32
  public let opcode: UInt32

  public init(domain: UInt32, opcode: UInt32) {
    self.domain = domain
    self.opcode = opcode
  }

  init(_ domain: WireDomain, _ opcode: WireOpcode) {
    self.init(
      domain: UInt32(truncatingIfNeeded: domain.rawValue), opcode: UInt32(truncatingIfNeeded: opcode.rawValue))
  }

  public static let hello = Command(.base, .hello)
  public static let begin = Command(.base, .begin)
  public static let deviceInfo = Command(.base, .deviceinfo)
  public static let configRead = Command(.base, .configRead)
  public static let configWrite = Command(.base, .configWrite)
  public static let ledPattern = Command(.base, .ledPattern)
  public static let loadModule = Command(.base, .loadModule)
  public static let unloadModule = Command(.base, .unloadModule)
  public static let listModules = Command(.base, .listModules)
  public static let deleteModule = Command(.base, .deleteModule)
  public static let batteryStatus = Command(.base, .batteryStatus)
  public static let configGet = Command(.base, .configGet)
  public static let configSet = Command(.base, .configSet)
  public static let configGetIndex = Command(.base, .configGetIndex)
  public static let requestDisconnect = Command(.base, .requestDisconnect)
  public static let requestReboot = Command(.base, .requestReboot)
  public static let faultLogGet = Command(.base, .faultlogGet)
  public static let faultLogClear = Command(.base, .faultlogClear)

  /// Notifications only.
  public static let disconnect = Command(.base, .disconnect)
  public static let attached = Command(.base, .attached)
  public static let error = Command(.base, .error)

  public static let dfuStatus = Command(.dfu, .dfuStatus)
  public static let dfuPrepare = Command(.dfu, .dfuPrepare)
  public static let dfuWrite = Command(.dfu, .dfuWrite)
  public static let dfuExecute = Command(.dfu, .dfuExecute)

  public static let gearCharacteristics = Command(.gear, .gearHwchar)
  public static let gearInfo = Command(.gear, .gearInfo)
  public static let gearLED = Command(.gear, .gearLed)
  public static let gearHaptic = Command(.gear, .gearHaptic)
  public static let gearData = Command(.gear, .gearData)

  public static let collectionStart = Command(.dataCollection, .dataCollectionStart)
  public static let collectionStop = Command(.dataCollection, .dataCollectionStop)
  public static let collectionStatus = Command(.dataCollection, .dataCollectionStatus)
  public static let collectionList = Command(.dataCollection, .dataCollectionTrialList)
  public static let collectionData = Command(.dataCollection, .dataCollectionTrialData)
  public static let collectionErase = Command(.dataCollection, .dataCollectionTrialDataErase)
  public static let collectionEraseAll = Command(.dataCollection, .dataCollectionDataErase)
}

extension Command: CustomStringConvertible {
  /// For logs: the name, or both numbers of an unknown command.
  public var description: String { Self.names[self] ?? "\(domain)/\(opcode)" }

  private static let names: [Command: String] = [
    hello: "hello",
    begin: "begin",
    deviceInfo: "device info",
    configRead: "config read",
    configWrite: "config write",
    ledPattern: "LED pattern",
    loadModule: "load module",
    unloadModule: "unload module",
    listModules: "list modules",
    deleteModule: "delete module",
    batteryStatus: "battery status",
    configGet: "config get",
    configSet: "config set",
    configGetIndex: "config get index",
    requestDisconnect: "request disconnect",
    requestReboot: "request reboot",
    faultLogGet: "fault log get",
    faultLogClear: "fault log clear",
    disconnect: "disconnect",
    attached: "attached",
    error: "error",
    dfuStatus: "DFU status",
    dfuPrepare: "DFU prepare",
    dfuWrite: "DFU write",
    dfuExecute: "DFU execute",
    gearCharacteristics: "gear characteristics",
    gearInfo: "gear info",
    gearLED: "gear LED",
    gearHaptic: "gear haptic",
    gearData: "gear data",
    collectionStart: "collection start",
    collectionStop: "collection stop",
    collectionStatus: "collection status",
    collectionList: "collection list",
    collectionData: "collection data",
    collectionErase: "collection erase",
    collectionEraseAll: "collection erase all",
  ]
}

extension WireRequest {
  /// A request without a payload. Its ID is set when it is sent.
  public init(_ command: Command, component: UInt32? = nil) {
    self.init()
    domain = command.domain
    opcode = command.opcode
    if let component { componentID = component }
  }

  public var command: Command { Command(domain: domain, opcode: opcode) }
}

extension WireNotification {
  public var command: Command { Command(domain: domain, opcode: opcode) }
}
