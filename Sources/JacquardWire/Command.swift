/// The kind of a request: a domain and an opcode. Opcodes are unique only within their domain.
public struct Command: Hashable, Sendable {
  /// The part of the firmware that handles the request; gives the opcode its meaning.
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

  /// Asks for the lowest and highest protocol version that the tag supports. The first request of a link.
  public static let hello = Command(.base, .hello)
  /// Selects the protocol version. The second request of a link.
  public static let begin = Command(.base, .begin)
  /// Asks the tag for its versions, IDs and manufacturing ID.
  public static let deviceInfo = Command(.base, .deviceinfo)
  /// Reads the tag's configuration: advertising, wake-up by motion, motion sensor.
  public static let configRead = Command(.base, .configRead)
  /// Writes the fields of the tag's configuration that the request contains.
  public static let configWrite = Command(.base, .configWrite)
  /// Plays a pattern on the tag's own LED.
  public static let ledPattern = Command(.base, .ledPattern)
  /// Loads an installed module. A notification reports whether it runs.
  public static let loadModule = Command(.base, .loadModule)
  /// Unloads a module, which stays installed.
  public static let unloadModule = Command(.base, .unloadModule)
  public static let listModules = Command(.base, .listModules)
  /// Removes a module from the tag.
  public static let deleteModule = Command(.base, .deleteModule)
  public static let batteryStatus = Command(.base, .batteryStatus)
  /// Reads an application's value, which is stored under a key.
  public static let configGet = Command(.base, .configGet)
  /// Stores an application's value under a key.
  public static let configSet = Command(.base, .configSet)
  public static let configGetIndex = Command(.base, .configGetIndex)
  /// Asks the tag to drop the link.
  public static let requestDisconnect = Command(.base, .requestDisconnect)
  public static let requestReboot = Command(.base, .requestReboot)
  public static let faultLogGet = Command(.base, .faultlogGet)
  public static let faultLogClear = Command(.base, .faultlogClear)

  /// Notifications only.
  public static let disconnect = Command(.base, .disconnect)
  /// Reports the gear that is attached, or that none is.
  public static let attached = Command(.base, .attached)
  /// Reports that a recording or an erasure has ended.
  public static let error = Command(.base, .error)

  /// Asks how much of a firmware image the tag has stored, and its checksum.
  public static let dfuStatus = Command(.dfu, .dfuStatus)
  public static let dfuPrepare = Command(.dfu, .dfuPrepare)
  /// Transfers one block of a firmware image.
  public static let dfuWrite = Command(.dfu, .dfuWrite)
  /// Installs a firmware image that has been transferred completely.
  public static let dfuExecute = Command(.dfu, .dfuExecute)

  public static let gearCharacteristics = Command(.gear, .gearHwchar)
  /// Asks attached gear for its version and manufacturing ID.
  public static let gearInfo = Command(.gear, .gearInfo)
  public static let gearLED = Command(.gear, .gearLed)
  public static let gearHaptic = Command(.gear, .gearHaptic)
  /// Selects whether gear reports gestures or touch data.
  public static let gearData = Command(.gear, .gearData)

  /// Starts a recording or a motion stream.
  public static let collectionStart = Command(.dataCollection, .dataCollectionStart)
  /// Stops a recording, a stream or a transfer, whichever program started it.
  public static let collectionStop = Command(.dataCollection, .dataCollectionStop)
  public static let collectionStatus = Command(.dataCollection, .dataCollectionStatus)
  /// Lists the stored sessions; each arrives in its own notification.
  public static let collectionList = Command(.dataCollection, .dataCollectionTrialList)
  /// Requests the bytes of a stored session, which arrive on the raw data channel.
  public static let collectionData = Command(.dataCollection, .dataCollectionTrialData)
  public static let collectionErase = Command(.dataCollection, .dataCollectionTrialDataErase)
  public static let collectionEraseAll = Command(.dataCollection, .dataCollectionDataErase)
}

extension Command: CustomStringConvertible {
  /// The text for logs: the name, or both numbers of an unknown command.
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
