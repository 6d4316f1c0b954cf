// swift-format-ignore-file
// Generated from jacquard.proto by Sources/WireFormat/generator; do not edit.

import WireFormat

/// Status of the schema.
public enum WireStatus: Int, CaseIterable, Sendable {
  case ok = 0
  case errorUnsupported = 1
  case errorBadparam = 2
  case errorBattery = 3
  case errorHardware = 4
  case errorAuth = 5
  case errorDeviceTypeInfo = 6
  case errorInvalidState = 7
  case errorFlashAccess = 8
  case errorChecksum = 9
  case errorBusy = 10
  case errorAppTimeout = 253
  case errorAppUnknown = 254
  case errorUnknown = 255
}

/// Domain of the schema.
public enum WireDomain: Int, CaseIterable, Sendable {
  case base = 0
  case dfu = 1
  case bounceback = 5
  case developer = 6
  case gear = 8
  case dataCollection = 9
  case module = 10
}

/// PatternType of the schema.
public enum WirePatternType: Int, CaseIterable, Sendable {
  case none = 0
  case solid = 1
  case breathing = 2
  case pulsing = 3
  case singleBlink = 4
  case doubleBlink = 5
  case trippleBlink = 6
  case custom = 7
}

/// LogLevel of the schema.
public enum WireLogLevel: Int, CaseIterable, Sendable {
  case logVerboseLevelOff = 0
  case logVerboseLevelDebug = 1
  case logVerboseLevelError = 2
  case logVerboseLevelImportant = 3
  case logVerboseLevelInfo = 4
  case logVerboseLevelData = 5
  case logVerboseLevelAll = 6
}

/// Opcode of the schema.
public enum WireOpcode: Int, CaseIterable, Sendable {
  case supported = 0
  case hello = 1
  public static var dfuStatus: WireOpcode { .hello }
  public static var consoleOutput: WireOpcode { .hello }
  public static var dataCollectionStart: WireOpcode { .hello }
  case begin = 2
  public static var dfuPrepare: WireOpcode { .begin }
  public static var consoleInput: WireOpcode { .begin }
  public static var gearHwchar: WireOpcode { .begin }
  public static var dataCollectionStop: WireOpcode { .begin }
  case disconnect = 3
  public static var dfuWrite: WireOpcode { .disconnect }
  public static var consoleOptions: WireOpcode { .disconnect }
  public static var gearTest: WireOpcode { .disconnect }
  public static var dataCollectionStatus: WireOpcode { .disconnect }
  case deviceinfo = 4
  public static var dfuExecute: WireOpcode { .deviceinfo }
  public static var gearInfo: WireOpcode { .deviceinfo }
  public static var dataCollectionTrialList: WireOpcode { .deviceinfo }
  case gesture = 5
  public static var gearLed: WireOpcode { .gesture }
  public static var dataCollectionTrialData: WireOpcode { .gesture }
  case activity = 6
  public static var gearHaptic: WireOpcode { .activity }
  public static var dataCollectionTrialDataErase: WireOpcode { .activity }
  case wearstate = 7
  public static var gearData: WireOpcode { .wearstate }
  public static var dataCollectionDataErase: WireOpcode { .wearstate }
  case pattern = 8
  public static var gearBuffer: WireOpcode { .pattern }
  case attached = 9
  public static var gearPower: WireOpcode { .attached }
  case configRead = 10
  public static var gearAlwaysTogetherConfig: WireOpcode { .configRead }
  case configWrite = 11
  case metrics = 14
  case metricsNotify = 15
  case error = 16
  case ledPattern = 17
  case loadModule = 18
  case unloadModule = 19
  case listModules = 20
  case deleteModule = 21
  case batteryStatus = 23
  case configGet = 24
  case configSet = 25
  case configGetIndex = 26
  case requestDisconnect = 27
  case requestReboot = 28
  case faultlogGet = 29
  case faultlogClear = 30
  case hidKeyPattern = 31
}

/// PatternPlayType of the schema.
public enum WirePatternPlayType: Int, CaseIterable, Sendable {
  case play = 0
  case toggle = 1
}

/// HapticSymbolType of the schema.
public enum WireHapticSymbolType: Int, CaseIterable, Sendable {
  case hapticSymbolHalted = 0
  case hapticSymbolSineIncrease = 1
  case hapticSymbolSineDecrease = 2
  case hapticSymbolLinearIncrease = 3
  case hapticSymbolLinearDecrease = 4
  case hapticSymbolParabolicIncrease = 5
  case hapticSymbolParabolicDecrease = 6
  case hapticSymbolConstOn = 7
}

/// DataStreamState of the schema.
public enum WireDataStreamState: Int, CaseIterable, Sendable {
  case dataStreamDisable = 0
  case dataStreamEnable = 1
  case dataStreamNotSupported = 2
  case dataStreamEnableDetailed = 3
}

/// SKUMaterial of the schema.
public enum WireSKUMaterial: Int, CaseIterable, Sendable {
  case ribbon = 0
  case ripstop = 1
  case thread = 2
}

/// LEDType of the schema.
public enum WireLEDType: Int, CaseIterable, Sendable {
  case rgb = 0
  case singleColor = 1
}

/// LEDGeometry of the schema.
public enum WireLEDGeometry: Int, CaseIterable, Sendable {
  case linear = 0
  case circular = 2
  case ringAndCenter = 3
}

/// ConnectorType of the schema.
public enum WireConnectorType: Int, CaseIterable, Sendable {
  case cClip = 0
  case oTub = 1
  case yTub = 2
}

/// OrientationType of the schema.
public enum WireOrientationType: Int, CaseIterable, Sendable {
  case normal = 0
  case flipped = 1
}

/// HapticType of the schema.
public enum WireHapticType: Int, CaseIterable, Sendable {
  case halted = 0
  case sineIncrease = 1
  case sineDecrease = 2
  case linearIncrease = 3
  case linearDecrease = 4
  case parabolicIncrease = 5
  case parabolicDecrease = 6
  case constOn = 7
}

/// UpdateSchedule of the schema.
public enum WireUpdateSchedule: Int, CaseIterable, Sendable {
  case updateNow = 0
  case updateLater = 1
  case updateWhenAttached = 2
}

/// GenericBlobMsgType of the schema.
public enum WireGenericBlobMsgType: Int, CaseIterable, Sendable {
  case genericMsgtypeAncsDs = 0
  case genericMsgtypeAncsNs = 1
  case genericMsgtypeAmsEu = 2
  case genericMsgtypeAmsEa = 3
}

/// DataCollectionStatus of the schema.
public enum WireDataCollectionStatus: Int, CaseIterable, Sendable {
  case dataCollectionIdle = 0
  case dataCollectionLogging = 1
  case dataCollectionXferData = 2
  case dataCollectionErasingData = 3
  case dataCollectionErrorState = 4
  case dataCollectionInvalidState = 5
  case dataCollectionLowStorage = 6
  case dataCollectionLowBattery = 7
  case dataCollectionImuConfigReadError = 8
  case dataCollectionImuConfigWriteError = 9
  case dataCollectionImuSetCallbackError = 10
  case dataCollectionImuOnError = 11
  case dataCollectionImuOffError = 12
  case dataCollectionMkdirError = 13
  case dataCollectionChdirError = 14
  case dataCollectionOpendirError = 15
  case dataCollectionReaddirError = 16
  case dataCollectionGetcwdError = 17
  case dataCollectionFopenError = 18
  case dataCollectionFwriteError = 19
  case dataCollectionFreadError = 20
  case dataCollectionFseekError = 21
  case dataCollectionFunlinkError = 22
  case dataCollectionFgetfreeError = 23
  case dataCollectionBadFileFormat = 24
  case dataCollectionPbencodeError = 25
  case dataCollectionPbdecodeError = 26
  case dataCollectionRawTxError = 27
  case dataCollectionGearSetCallbackError = 28
  case dataCollectionAppSchedEvent = 29
  case dataCollectionUnknown = 30
}

/// DataCollectionMode of the schema.
public enum WireDataCollectionMode: Int, CaseIterable, Sendable {
  case streaming = 0
  case store = 1
  case storeForward = 2
}

/// ImuFilterMode of the schema.
public enum WireImuFilterMode: Int, CaseIterable, Sendable {
  case imuFilterOsr4 = 0
  case imuFilterOsr2 = 1
  case imuFilterNormal = 2
}

/// ImuAccelSampleRate of the schema.
public enum WireImuAccelSampleRate: Int, CaseIterable, Sendable {
  case accelOdr078Hz = 0
  case accelOdr156Hz = 1
  case accelOdr312Hz = 2
  case accelOdr625Hz = 3
  case accelOdr125Hz = 4
  case accelOdr25Hz = 5
  case accelOdr50Hz = 6
  case accelOdr100Hz = 7
  case accelOdr200Hz = 8
  case accelOdr400Hz = 9
  case accelOdr800Hz = 10
  case accelOdr1600Hz = 11
}

/// ImuGyroSampleRate of the schema.
public enum WireImuGyroSampleRate: Int, CaseIterable, Sendable {
  case gyroOdr25Hz = 0
  case gyroOdr50Hz = 1
  case gyroOdr100Hz = 2
  case gyroOdr200Hz = 3
  case gyroOdr400Hz = 4
  case gyroOdr800Hz = 5
  case gyroOdr1600Hz = 6
  case gyroOdr3200Hz = 7
}

/// ImuAccelRange of the schema.
public enum WireImuAccelRange: Int, CaseIterable, Sendable {
  case imuAccelRange2G = 0
  case imuAccelRange4G = 1
  case imuAccelRange8G = 2
  case imuAccelRange16G = 3
}

/// ImuGyroRange of the schema.
public enum WireImuGyroRange: Int, CaseIterable, Sendable {
  case imuGyroRange125Dps = 0
  case imuGyroRange250Dps = 1
  case imuGyroRange500Dps = 2
  case imuGyroRange1000Dps = 3
  case imuGyroRange2000Dps = 4
}

/// WomGearPowerControlPolicy of the schema.
public enum WireWomGearPowerControlPolicy: Int, CaseIterable, Sendable {
  case womMaintainGearPowerAsIs = 0
  case womMaintainGearPowerAtLowPowerMode = 1
  case womTurnOffGearPowerCompletely = 2
}

/// WomBleConnectionPolicy of the schema.
public enum WireWomBleConnectionPolicy: Int, CaseIterable, Sendable {
  case womMaintainBleConnectionAsIs = 0
  case womMaintainBleConnectionAtLowPowerMode = 1
  case womTurnOffBleCompletely = 2
}

/// ChargingStatus of the schema.
public enum WireChargingStatus: Int, CaseIterable, Sendable {
  case charging = 1
  case notCharging = 2
}

/// Request of the schema.
public struct WireRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 0) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `domain`: required; Domain
  public var domain: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDomain: Bool { fields.has(1) }

  /// Field 2, `opcode`: required; Opcode
  public var opcode: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasOpcode: Bool { fields.has(2) }

  /// Field 3, `id`: required; chosen by the host, echoed by the response
  public var id: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasID: Bool { fields.has(3) }

  /// Field 4, `component_id`: 0 = the tag, else the id of an attached gear
  public var componentID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasComponentID: Bool { fields.has(4) }

  /// Field 99, `supported`.
  public var supported: WireSupportedRequest { get { WireSupportedRequest(fields: fields.message(99)) } set { fields.set(99, message: newValue.fields) } }
  public var hasSupported: Bool { fields.has(99) }

  /// Field 101, `begin`.
  public var begin: WireBeginRequest { get { WireBeginRequest(fields: fields.message(101)) } set { fields.set(101, message: newValue.fields) } }
  public var hasBegin: Bool { fields.has(101) }

  /// Field 103, `device_info`.
  public var deviceInfo: WireDeviceInfoRequest { get { WireDeviceInfoRequest(fields: fields.message(103)) } set { fields.set(103, message: newValue.fields) } }
  public var hasDeviceInfo: Bool { fields.has(103) }

  /// Field 118, `led_pattern_request`.
  public var ledPatternRequest: WireLedPatternRequest { get { WireLedPatternRequest(fields: fields.message(118)) } set { fields.set(118, message: newValue.fields) } }
  public var hasLedPatternRequest: Bool { fields.has(118) }

  /// Field 121, `battery_status_request`.
  public var batteryStatusRequest: WireBatteryStatusRequest { get { WireBatteryStatusRequest(fields: fields.message(121)) } set { fields.set(121, message: newValue.fields) } }
  public var hasBatteryStatusRequest: Bool { fields.has(121) }

  /// Field 122, `config_set_request`.
  public var configSetRequest: WireConfigSetRequest { get { WireConfigSetRequest(fields: fields.message(122)) } set { fields.set(122, message: newValue.fields) } }
  public var hasConfigSetRequest: Bool { fields.has(122) }

  /// Field 123, `config_get_request`.
  public var configGetRequest: WireConfigGetRequest { get { WireConfigGetRequest(fields: fields.message(123)) } set { fields.set(123, message: newValue.fields) } }
  public var hasConfigGetRequest: Bool { fields.has(123) }

  /// Field 124, `config_get_index`.
  public var configGetIndex: WireConfigGetIndexRequest { get { WireConfigGetIndexRequest(fields: fields.message(124)) } set { fields.set(124, message: newValue.fields) } }
  public var hasConfigGetIndex: Bool { fields.has(124) }

  /// Field 125, `ble_disconnect_request`.
  public var bleDisconnectRequest: WireBleDisconnectRequest { get { WireBleDisconnectRequest(fields: fields.message(125)) } set { fields.set(125, message: newValue.fields) } }
  public var hasBleDisconnectRequest: Bool { fields.has(125) }

  /// Field 126, `device_reboot_request`.
  public var deviceRebootRequest: WireDeviceRebootRequest { get { WireDeviceRebootRequest(fields: fields.message(126)) } set { fields.set(126, message: newValue.fields) } }
  public var hasDeviceRebootRequest: Bool { fields.has(126) }

  /// Field 127, `fault_log_get_request`.
  public var faultLogGetRequest: WireFaultlogGetRequest { get { WireFaultlogGetRequest(fields: fields.message(127)) } set { fields.set(127, message: newValue.fields) } }
  public var hasFaultLogGetRequest: Bool { fields.has(127) }

  /// Field 200, `dfu_status`.
  public var dfuStatus: WireDFUStatusRequest { get { WireDFUStatusRequest(fields: fields.message(200)) } set { fields.set(200, message: newValue.fields) } }
  public var hasDfuStatus: Bool { fields.has(200) }

  /// Field 201, `dfu_prepare`.
  public var dfuPrepare: WireDFUPrepareRequest { get { WireDFUPrepareRequest(fields: fields.message(201)) } set { fields.set(201, message: newValue.fields) } }
  public var hasDfuPrepare: Bool { fields.has(201) }

  /// Field 202, `dfu_write`.
  public var dfuWrite: WireDFUWriteRequest { get { WireDFUWriteRequest(fields: fields.message(202)) } set { fields.set(202, message: newValue.fields) } }
  public var hasDfuWrite: Bool { fields.has(202) }

  /// Field 203, `dfu_execute`.
  public var dfuExecute: WireDFUExecuteRequest { get { WireDFUExecuteRequest(fields: fields.message(203)) } set { fields.set(203, message: newValue.fields) } }
  public var hasDfuExecute: Bool { fields.has(203) }

  /// Field 902, `hw_gear_char`.
  public var hwGearChar: WireHWGearRequest { get { WireHWGearRequest(fields: fields.message(902)) } set { fields.set(902, message: newValue.fields) } }
  public var hasHwGearChar: Bool { fields.has(902) }

  /// Field 906, `haptic`.
  public var haptic: WireHapticRequest { get { WireHapticRequest(fields: fields.message(906)) } set { fields.set(906, message: newValue.fields) } }
  public var hasHaptic: Bool { fields.has(906) }

  /// Field 907, `data`.
  public var data: WireDataChannelRequest { get { WireDataChannelRequest(fields: fields.message(907)) } set { fields.set(907, message: newValue.fields) } }
  public var hasData: Bool { fields.has(907) }

  /// Field 1001, `start`.
  public var start: WireDataCollectionStartRequest { get { WireDataCollectionStartRequest(fields: fields.message(1001)) } set { fields.set(1001, message: newValue.fields) } }
  public var hasStart: Bool { fields.has(1001) }

  /// Field 1002, `stop`.
  public var stop: WireDataCollectionStopRequest { get { WireDataCollectionStopRequest(fields: fields.message(1002)) } set { fields.set(1002, message: newValue.fields) } }
  public var hasStop: Bool { fields.has(1002) }

  /// Field 1003, `status`.
  public var status: WireDataCollectionStatusRequest { get { WireDataCollectionStatusRequest(fields: fields.message(1003)) } set { fields.set(1003, message: newValue.fields) } }
  public var hasStatus: Bool { fields.has(1003) }

  /// Field 1004, `trial_list`.
  public var trialList: WireDataCollectionTrialListRequest { get { WireDataCollectionTrialListRequest(fields: fields.message(1004)) } set { fields.set(1004, message: newValue.fields) } }
  public var hasTrialList: Bool { fields.has(1004) }

  /// Field 1005, `trial_data`.
  public var trialData: WireDataCollectionTrialDataRequest { get { WireDataCollectionTrialDataRequest(fields: fields.message(1005)) } set { fields.set(1005, message: newValue.fields) } }
  public var hasTrialData: Bool { fields.has(1005) }

  /// Field 1007, `erase_trial_data`.
  public var eraseTrialData: WireDataCollectionEraseTrialDataRequest { get { WireDataCollectionEraseTrialDataRequest(fields: fields.message(1007)) } set { fields.set(1007, message: newValue.fields) } }
  public var hasEraseTrialData: Bool { fields.has(1007) }

  /// Field 1008, `erase_all_data`.
  public var eraseAllData: WireDataCollectionEraseAllDataRequest { get { WireDataCollectionEraseAllDataRequest(fields: fields.message(1008)) } set { fields.set(1008, message: newValue.fields) } }
  public var hasEraseAllData: Bool { fields.has(1008) }

  /// Field 1100, `config_read`.
  public var configRead: WireUJTConfigReadRequest { get { WireUJTConfigReadRequest(fields: fields.message(1100)) } set { fields.set(1100, message: newValue.fields) } }
  public var hasConfigRead: Bool { fields.has(1100) }

  /// Field 1101, `config_write`.
  public var configWrite: WireUJTConfigWriteRequest { get { WireUJTConfigWriteRequest(fields: fields.message(1101)) } set { fields.set(1101, message: newValue.fields) } }
  public var hasConfigWrite: Bool { fields.has(1101) }

  /// Field 1200, `load_module`.
  public var loadModule: WireLoadModuleRequest { get { WireLoadModuleRequest(fields: fields.message(1200)) } set { fields.set(1200, message: newValue.fields) } }
  public var hasLoadModule: Bool { fields.has(1200) }

  /// Field 1201, `unload_module`.
  public var unloadModule: WireUnloadModuleRequest { get { WireUnloadModuleRequest(fields: fields.message(1201)) } set { fields.set(1201, message: newValue.fields) } }
  public var hasUnloadModule: Bool { fields.has(1201) }

  /// Field 1203, `delete_module`.
  public var deleteModule: WireDeleteModuleRequest { get { WireDeleteModuleRequest(fields: fields.message(1203)) } set { fields.set(1203, message: newValue.fields) } }
  public var hasDeleteModule: Bool { fields.has(1203) }
}

/// Response of the schema.
public struct WireResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 69) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `id`: required
  public var id: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasID: Bool { fields.has(1) }

  /// Field 2, `status`: required; Status
  public var status: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasStatus: Bool { fields.has(2) }

  /// Field 3, `component_id`.
  public var componentID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasComponentID: Bool { fields.has(3) }

  /// Field 100, `hello`.
  public var hello: WireHelloResponse { get { WireHelloResponse(fields: fields.message(100)) } set { fields.set(100, message: newValue.fields) } }
  public var hasHello: Bool { fields.has(100) }

  /// Field 101, `begin`.
  public var begin: WireBeginResponse { get { WireBeginResponse(fields: fields.message(101)) } set { fields.set(101, message: newValue.fields) } }
  public var hasBegin: Bool { fields.has(101) }

  /// Field 103, `device_info`.
  public var deviceInfo: WireDeviceInfoResponse { get { WireDeviceInfoResponse(fields: fields.message(103)) } set { fields.set(103, message: newValue.fields) } }
  public var hasDeviceInfo: Bool { fields.has(103) }

  /// Field 121, `battery_status_response`.
  public var batteryStatusResponse: WireBatteryStatusResponse { get { WireBatteryStatusResponse(fields: fields.message(121)) } set { fields.set(121, message: newValue.fields) } }
  public var hasBatteryStatusResponse: Bool { fields.has(121) }

  /// Field 123, `config_get_response`.
  public var configGetResponse: WireConfigGetResponse { get { WireConfigGetResponse(fields: fields.message(123)) } set { fields.set(123, message: newValue.fields) } }
  public var hasConfigGetResponse: Bool { fields.has(123) }

  /// Field 127, `fault_log_get_response`.
  public var faultLogGetResponse: WireFaultlogGetResponse { get { WireFaultlogGetResponse(fields: fields.message(127)) } set { fields.set(127, message: newValue.fields) } }
  public var hasFaultLogGetResponse: Bool { fields.has(127) }

  /// Field 200, `dfu_status`.
  public var dfuStatus: WireDFUStatusResponse { get { WireDFUStatusResponse(fields: fields.message(200)) } set { fields.set(200, message: newValue.fields) } }
  public var hasDfuStatus: Bool { fields.has(200) }

  /// Field 202, `dfu_write`.
  public var dfuWrite: WireDFUWriteResponse { get { WireDFUWriteResponse(fields: fields.message(202)) } set { fields.set(202, message: newValue.fields) } }
  public var hasDfuWrite: Bool { fields.has(202) }

  /// Field 902, `hw_gear_char`.
  public var hwGearChar: WireHWGearResponse { get { WireHWGearResponse(fields: fields.message(902)) } set { fields.set(902, message: newValue.fields) } }
  public var hasHwGearChar: Bool { fields.has(902) }

  /// Field 906, `haptic`.
  public var haptic: WireHapticResponse { get { WireHapticResponse(fields: fields.message(906)) } set { fields.set(906, message: newValue.fields) } }
  public var hasHaptic: Bool { fields.has(906) }

  /// Field 907, `data`.
  public var data: WireDataChannelResponse { get { WireDataChannelResponse(fields: fields.message(907)) } set { fields.set(907, message: newValue.fields) } }
  public var hasData: Bool { fields.has(907) }

  /// Field 1001, `start`.
  public var start: WireDataCollectionStartResponse { get { WireDataCollectionStartResponse(fields: fields.message(1001)) } set { fields.set(1001, message: newValue.fields) } }
  public var hasStart: Bool { fields.has(1001) }

  /// Field 1002, `stop`.
  public var stop: WireDataCollectionStopResponse { get { WireDataCollectionStopResponse(fields: fields.message(1002)) } set { fields.set(1002, message: newValue.fields) } }
  public var hasStop: Bool { fields.has(1002) }

  /// Field 1003, `dc_status_response`.
  public var dcStatusResponse: WireDataCollectionStatusResponse { get { WireDataCollectionStatusResponse(fields: fields.message(1003)) } set { fields.set(1003, message: newValue.fields) } }
  public var hasDcStatusResponse: Bool { fields.has(1003) }

  /// Field 1004, `trial_list`.
  public var trialList: WireDataCollectionTrialListResponse { get { WireDataCollectionTrialListResponse(fields: fields.message(1004)) } set { fields.set(1004, message: newValue.fields) } }
  public var hasTrialList: Bool { fields.has(1004) }

  /// Field 1005, `trial_data`.
  public var trialData: WireDataCollectionTrialDataResponse { get { WireDataCollectionTrialDataResponse(fields: fields.message(1005)) } set { fields.set(1005, message: newValue.fields) } }
  public var hasTrialData: Bool { fields.has(1005) }

  /// Field 1007, `erase_trial_data`.
  public var eraseTrialData: WireDataCollectionEraseTrialDataResponse { get { WireDataCollectionEraseTrialDataResponse(fields: fields.message(1007)) } set { fields.set(1007, message: newValue.fields) } }
  public var hasEraseTrialData: Bool { fields.has(1007) }

  /// Field 1008, `erase_all_data`.
  public var eraseAllData: WireDataCollectionEraseAllDataResponse { get { WireDataCollectionEraseAllDataResponse(fields: fields.message(1008)) } set { fields.set(1008, message: newValue.fields) } }
  public var hasEraseAllData: Bool { fields.has(1008) }

  /// Field 1101, `config_response`.
  public var configResponse: WireUJTConfigResponse { get { WireUJTConfigResponse(fields: fields.message(1101)) } set { fields.set(1101, message: newValue.fields) } }
  public var hasConfigResponse: Bool { fields.has(1101) }

  /// Field 1202, `list_modules`.
  public var listModules: WireListModuleResponse { get { WireListModuleResponse(fields: fields.message(1202)) } set { fields.set(1202, message: newValue.fields) } }
  public var hasListModules: Bool { fields.has(1202) }
}

/// Notification of the schema.
public struct WireNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 116) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `domain`: required; Domain
  public var domain: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDomain: Bool { fields.has(1) }

  /// Field 2, `opcode`: required; Opcode
  public var opcode: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasOpcode: Bool { fields.has(2) }

  /// Field 3, `component_id`.
  public var componentID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasComponentID: Bool { fields.has(3) }

  /// Field 102, `disconnect_notification`.
  public var disconnectNotification: WireDisconnectNotification { get { WireDisconnectNotification(fields: fields.message(102)) } set { fields.set(102, message: newValue.fields) } }
  public var hasDisconnectNotification: Bool { fields.has(102) }

  /// Field 109, `attached`.
  public var attached: WireAttachedNotification { get { WireAttachedNotification(fields: fields.message(109)) } set { fields.set(109, message: newValue.fields) } }
  public var hasAttached: Bool { fields.has(109) }

  /// Field 117, `error_notification`.
  public var errorNotification: WireErrorNotification { get { WireErrorNotification(fields: fields.message(117)) } set { fields.set(117, message: newValue.fields) } }
  public var hasErrorNotification: Bool { fields.has(117) }

  /// Field 118, `led_pattern_notif`.
  public var ledPatternNotif: WireLedPatternNotification { get { WireLedPatternNotification(fields: fields.message(118)) } set { fields.set(118, message: newValue.fields) } }
  public var hasLedPatternNotif: Bool { fields.has(118) }

  /// Field 121, `battery_status_notification`.
  public var batteryStatusNotification: WireBatteryStatusNotification { get { WireBatteryStatusNotification(fields: fields.message(121)) } set { fields.set(121, message: newValue.fields) } }
  public var hasBatteryStatusNotification: Bool { fields.has(121) }

  /// Field 204, `dfu_execute_update_notif`.
  public var dfuExecuteUpdateNotif: WireDFUExecuteUpdateNotification { get { WireDFUExecuteUpdateNotification(fields: fields.message(204)) } set { fields.set(204, message: newValue.fields) } }
  public var hasDfuExecuteUpdateNotif: Bool { fields.has(204) }

  /// Field 401, `generic_encrypted_notice`.
  public var genericEncryptedNotice: WireGenericEncryptedNotification { get { WireGenericEncryptedNotification(fields: fields.message(401)) } set { fields.set(401, message: newValue.fields) } }
  public var hasGenericEncryptedNotice: Bool { fields.has(401) }

  /// Field 402, `generic_plain_notice`.
  public var genericPlainNotice: WireGenericPlainNotification { get { WireGenericPlainNotification(fields: fields.message(402)) } set { fields.set(402, message: newValue.fields) } }
  public var hasGenericPlainNotice: Bool { fields.has(402) }

  /// Field 916, `haptic`.
  public var haptic: WireHapticNotification { get { WireHapticNotification(fields: fields.message(916)) } set { fields.set(916, message: newValue.fields) } }
  public var hasHaptic: Bool { fields.has(916) }

  /// Field 917, `data`.
  public var data: WireDataChannelNotification { get { WireDataChannelNotification(fields: fields.message(917)) } set { fields.set(917, message: newValue.fields) } }
  public var hasData: Bool { fields.has(917) }

  /// Field 1004, `trial_list`.
  public var trialList: WireDataCollectionTrialListNotification { get { WireDataCollectionTrialListNotification(fields: fields.message(1004)) } set { fields.set(1004, message: newValue.fields) } }
  public var hasTrialList: Bool { fields.has(1004) }

  /// Field 1009, `progress`.
  public var progress: WireDataCollectionProgressNotification { get { WireDataCollectionProgressNotification(fields: fields.message(1009)) } set { fields.set(1009, message: newValue.fields) } }
  public var hasProgress: Bool { fields.has(1009) }

  /// Field 1200, `load_module_notif`.
  public var loadModuleNotif: WireLoadModuleNotification { get { WireLoadModuleNotification(fields: fields.message(1200)) } set { fields.set(1200, message: newValue.fields) } }
  public var hasLoadModuleNotif: Bool { fields.has(1200) }
}

/// SupportedRequest of the schema.
public struct WireSupportedRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 149) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `opcode`: Opcode
  public var opcode: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasOpcode: Bool { fields.has(1) }
}

/// DeviceInfoRequest of the schema.
public struct WireDeviceInfoRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 152) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `component`: repeats the component id of the envelope
  public var component: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasComponent: Bool { fields.has(1) }
}

/// DeviceInfoResponse of the schema.
public struct WireDeviceInfoResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 155) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `vendor`: required
  public var vendor: String { get { fields.string(1) } set { fields.set(1, string: newValue) } }
  public var hasVendor: Bool { fields.has(1) }

  /// Field 2, `model`: required
  public var model: String { get { fields.string(2) } set { fields.set(2, string: newValue) } }
  public var hasModel: Bool { fields.has(2) }

  /// Field 3, `revision`, 1 when absent: required
  public var revision: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3, default: 1)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasRevision: Bool { fields.has(3) }

  /// Field 4, `uuid`: required; four parts joined by dashes; the third is the serial number
  public var uuid: String { get { fields.string(4) } set { fields.set(4, string: newValue) } }
  public var hasUuid: Bool { fields.has(4) }

  /// Field 5, `firmware_major`.
  public var firmwareMajor: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFirmwareMajor: Bool { fields.has(5) }

  /// Field 6, `firmware_minor`.
  public var firmwareMinor: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFirmwareMinor: Bool { fields.has(6) }

  /// Field 7, `firmware_point`.
  public var firmwarePoint: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(7)) } set { fields.set(7, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFirmwarePoint: Bool { fields.has(7) }

  /// Field 8, `bootloader_major`.
  public var bootloaderMajor: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(8)) } set { fields.set(8, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasBootloaderMajor: Bool { fields.has(8) }

  /// Field 9, `bootloader_minor`.
  public var bootloaderMinor: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(9)) } set { fields.set(9, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasBootloaderMinor: Bool { fields.has(9) }

  /// Field 10, `bootloader_point`.
  public var bootloaderPoint: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(10)) } set { fields.set(10, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasBootloaderPoint: Bool { fields.has(10) }

  /// Field 11, `vendor_id`.
  public var vendorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(11)) } set { fields.set(11, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVendorID: Bool { fields.has(11) }

  /// Field 12, `product_id`.
  public var productID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(12)) } set { fields.set(12, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasProductID: Bool { fields.has(12) }

  /// Field 13, `gear_id`.
  public var gearID: String { get { fields.string(13) } set { fields.set(13, string: newValue) } }
  public var hasGearID: Bool { fields.has(13) }

  /// Field 14, `sku_id`.
  public var skuID: String { get { fields.string(14) } set { fields.set(14, string: newValue) } }
  public var hasSkuID: Bool { fields.has(14) }

  /// Field 15, `ml_version`.
  public var mlVersion: String { get { fields.string(15) } set { fields.set(15, string: newValue) } }
  public var hasMlVersion: Bool { fields.has(15) }
}

/// Color of the schema.
public struct WireColor: WireMessage {
  public static var schema: Schema { Schema(table, at: 186) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `red`.
  public var red: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasRed: Bool { fields.has(1) }

  /// Field 2, `green`.
  public var green: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasGreen: Bool { fields.has(2) }

  /// Field 3, `blue`.
  public var blue: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasBlue: Bool { fields.has(3) }
}

/// LedPatternFrames of the schema.
public struct WireLedPatternFrames: WireMessage {
  public static var schema: Schema { Schema(table, at: 193) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `color`.
  public var color: WireColor { get { WireColor(fields: fields.message(1)) } set { fields.set(1, message: newValue.fields) } }
  public var hasColor: Bool { fields.has(1) }

  /// Field 2, `length_ms`.
  public var lengthMs: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasLengthMs: Bool { fields.has(2) }
}

/// LedPatternRequest of the schema.
public struct WireLedPatternRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 198) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `pattern_uid`.
  public var patternUid: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPatternUid: Bool { fields.has(1) }

  /// Field 2, `pattern_type`.
  public var patternType: WirePatternType { get { WirePatternType(rawValue: Int(truncatingIfNeeded: fields.varint(2))) ?? .none } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue.rawValue)) } }
  public var hasPatternType: Bool { fields.has(2) }

  /// Field 3, `frames`.
  public var frames: [WireLedPatternFrames] { get { fields.messages(3).map(WireLedPatternFrames.init(fields:)) } set { fields.set(3, messages: newValue.map(\.fields)) } }

  /// Field 4, `pause_between_cycles_ms`.
  public var pauseBetweenCyclesMs: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPauseBetweenCyclesMs: Bool { fields.has(4) }

  /// Field 5, `duration_ms`.
  public var durationMs: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDurationMs: Bool { fields.has(5) }

  /// Field 6, `intensity_level`.
  public var intensityLevel: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasIntensityLevel: Bool { fields.has(6) }

  /// Field 7, `priority_level`.
  public var priorityLevel: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(7)) } set { fields.set(7, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPriorityLevel: Bool { fields.has(7) }

  /// Field 8, `play_pause_toggle`.
  public var playPauseToggle: WirePatternPlayType { get { WirePatternPlayType(rawValue: Int(truncatingIfNeeded: fields.varint(8))) ?? .play } set { fields.set(8, varint: UInt64(truncatingIfNeeded: newValue.rawValue)) } }
  public var hasPlayPauseToggle: Bool { fields.has(8) }

  /// Field 9, `resumable`.
  public var resumable: Bool { get { fields.varint(9) != 0 } set { fields.set(9, varint: newValue ? 1 : 0) } }
  public var hasResumable: Bool { fields.has(9) }

  /// Field 10, `halt_all`.
  public var haltAll: Bool { get { fields.varint(10) != 0 } set { fields.set(10, varint: newValue ? 1 : 0) } }
  public var hasHaltAll: Bool { fields.has(10) }

  /// Field 11, `number_of_cycles`.
  public var numberOfCycles: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(11)) } set { fields.set(11, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasNumberOfCycles: Bool { fields.has(11) }
}

/// LedPatternNotification of the schema.
public struct WireLedPatternNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 221) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `pattern_uid`.
  public var patternUid: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPatternUid: Bool { fields.has(1) }
}

/// HapticSymbol of the schema.
public struct WireHapticSymbol: WireMessage {
  public static var schema: Schema { Schema(table, at: 224) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `on_ms`: required
  public var onMs: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasOnMs: Bool { fields.has(1) }

  /// Field 2, `off_ms`: required
  public var offMs: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasOffMs: Bool { fields.has(2) }

  /// Field 3, `pattern`: required
  public var pattern: WireHapticSymbolType { get { WireHapticSymbolType(rawValue: Int(truncatingIfNeeded: fields.varint(3))) ?? .hapticSymbolHalted } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue.rawValue)) } }
  public var hasPattern: Bool { fields.has(3) }

  /// Field 4, `max_amplitude_percent`: required
  public var maxAmplitudePercent: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasMaxAmplitudePercent: Bool { fields.has(4) }

  /// Field 5, `repeat_n_minus_one`: required; repetitions beyond the first
  public var repeatNMinusOne: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasRepeatNMinusOne: Bool { fields.has(5) }
}

/// HapticRequest of the schema.
public struct WireHapticRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 235) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `frames`: one symbol, despite the plural
  public var frames: WireHapticSymbol { get { WireHapticSymbol(fields: fields.message(1)) } set { fields.set(1, message: newValue.fields) } }
  public var hasFrames: Bool { fields.has(1) }

  /// Field 2, `pause_between_cycles_ms`.
  public var pauseBetweenCyclesMs: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPauseBetweenCyclesMs: Bool { fields.has(2) }

  /// Field 3, `repeat_full_pattern`.
  public var repeatFullPattern: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasRepeatFullPattern: Bool { fields.has(3) }

  /// Field 4, `intensity_level`.
  public var intensityLevel: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasIntensityLevel: Bool { fields.has(4) }
}

/// HapticResponse of the schema.
public struct WireHapticResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 244) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }
}

/// HapticNotification of the schema.
public struct WireHapticNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 245) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }
}

/// HelloResponse of the schema.
public struct WireHelloResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 246) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `protocol_min`: required; the version in use is 2
  public var protocolMin: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasProtocolMin: Bool { fields.has(1) }

  /// Field 2, `protocol_max`: required
  public var protocolMax: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasProtocolMax: Bool { fields.has(2) }

  /// Field 3, `vendor`: required
  public var vendor: String { get { fields.string(3) } set { fields.set(3, string: newValue) } }
  public var hasVendor: Bool { fields.has(3) }

  /// Field 4, `model`: required
  public var model: String { get { fields.string(4) } set { fields.set(4, string: newValue) } }
  public var hasModel: Bool { fields.has(4) }

  /// Field 5, `auth_challenge`.
  public var authChallenge: [UInt8] { get { fields.bytes(5) } set { fields.set(5, bytes: newValue) } }
  public var hasAuthChallenge: Bool { fields.has(5) }

  /// Field 6, `vendor_id`.
  public var vendorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVendorID: Bool { fields.has(6) }

  /// Field 7, `product_id`.
  public var productID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(7)) } set { fields.set(7, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasProductID: Bool { fields.has(7) }
}

/// BeginRequest of the schema.
public struct WireBeginRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 261) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `protocol`: required; 2
  public var `protocol`: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasProtocol: Bool { fields.has(1) }

  /// Field 2, `auth_challenge`.
  public var authChallenge: [UInt8] { get { fields.bytes(2) } set { fields.set(2, bytes: newValue) } }
  public var hasAuthChallenge: Bool { fields.has(2) }

  /// Field 3, `auth_response`.
  public var authResponse: [UInt8] { get { fields.bytes(3) } set { fields.set(3, bytes: newValue) } }
  public var hasAuthResponse: Bool { fields.has(3) }
}

/// BeginResponse of the schema.
public struct WireBeginResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 268) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `auth_response`.
  public var authResponse: [UInt8] { get { fields.bytes(1) } set { fields.set(1, bytes: newValue) } }
  public var hasAuthResponse: Bool { fields.has(1) }
}

/// DisconnectNotification of the schema.
public struct WireDisconnectNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 271) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `reconnect`: required
  public var reconnect: Bool { get { fields.varint(1) != 0 } set { fields.set(1, varint: newValue ? 1 : 0) } }
  public var hasReconnect: Bool { fields.has(1) }
}

/// AttachedNotification of the schema.
public struct WireAttachedNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 274) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `attach_state`.
  public var attachState: Bool { get { fields.varint(1) != 0 } set { fields.set(1, varint: newValue ? 1 : 0) } }
  public var hasAttachState: Bool { fields.has(1) }

  /// Field 2, `vendor_id`.
  public var vendorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVendorID: Bool { fields.has(2) }

  /// Field 3, `product_id`.
  public var productID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasProductID: Bool { fields.has(3) }

  /// Field 4, `component_id`: valid for this attachment only
  public var componentID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasComponentID: Bool { fields.has(4) }
}

/// ErrorNotification of the schema.
public struct WireErrorNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 283) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `device`.
  public var device: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDevice: Bool { fields.has(1) }

  /// Field 2, `subsystem`: required
  public var subsystem: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasSubsystem: Bool { fields.has(2) }

  /// Field 3, `errorcode`: required; a DataCollectionStatus when it ends an erase
  public var errorcode: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasErrorcode: Bool { fields.has(3) }
}

/// BatteryStatusRequest of the schema.
public struct WireBatteryStatusRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 290) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `read_battery_level`.
  public var readBatteryLevel: Bool { get { fields.varint(1) != 0 } set { fields.set(1, varint: newValue ? 1 : 0) } }
  public var hasReadBatteryLevel: Bool { fields.has(1) }

  /// Field 2, `read_charging_status`.
  public var readChargingStatus: Bool { get { fields.varint(2) != 0 } set { fields.set(2, varint: newValue ? 1 : 0) } }
  public var hasReadChargingStatus: Bool { fields.has(2) }
}

/// BatteryStatusResponse of the schema.
public struct WireBatteryStatusResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 295) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `battery_level`: percent
  public var batteryLevel: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasBatteryLevel: Bool { fields.has(1) }

  /// Field 2, `charging_status`: ChargingStatus
  public var chargingStatus: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasChargingStatus: Bool { fields.has(2) }
}

/// BatteryStatusNotification of the schema.
public struct WireBatteryStatusNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 300) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `battery_level`: percent
  public var batteryLevel: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasBatteryLevel: Bool { fields.has(1) }

  /// Field 2, `charging_status`: ChargingStatus
  public var chargingStatus: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasChargingStatus: Bool { fields.has(2) }
}

/// BleDisconnectRequest of the schema.
public struct WireBleDisconnectRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 305) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `timeout_second`.
  public var timeoutSecond: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasTimeoutSecond: Bool { fields.has(1) }

  /// Field 2, `reconnect_only_on_wom`: do not reconnect before the tag is moved
  public var reconnectOnlyOnWom: Bool { get { fields.varint(2) != 0 } set { fields.set(2, varint: newValue ? 1 : 0) } }
  public var hasReconnectOnlyOnWom: Bool { fields.has(2) }
}

/// DeviceRebootRequest of the schema.
public struct WireDeviceRebootRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 310) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `reboot_only_interposer`.
  public var rebootOnlyInterposer: Bool { get { fields.varint(1) != 0 } set { fields.set(1, varint: newValue ? 1 : 0) } }
  public var hasRebootOnlyInterposer: Bool { fields.has(1) }

  /// Field 2, `silent_reboot`, true when absent.
  public var silentReboot: Bool { get { fields.varint(2, default: 1) != 0 } set { fields.set(2, varint: newValue ? 1 : 0) } }
  public var hasSilentReboot: Bool { fields.has(2) }
}

/// InferenceData of the schema.
public struct WireInferenceData: WireMessage {
  public static var schema: Schema { Schema(table, at: 315) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `event`: gesture number
  public var event: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasEvent: Bool { fields.has(1) }
}

/// TouchData of the schema.
public struct WireTouchData: WireMessage {
  public static var schema: Schema { Schema(table, at: 318) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `diff_proximity`.
  public var diffProximity: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDiffProximity: Bool { fields.has(1) }

  /// Field 2, `diff_touch`.
  public var diffTouch: [UInt8] { get { fields.bytes(2) } set { fields.set(2, bytes: newValue) } }
  public var hasDiffTouch: Bool { fields.has(2) }

  /// Field 3, `inference_result`.
  public var inferenceResult: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasInferenceResult: Bool { fields.has(3) }

  /// Field 4, `sequence`: restarts at a lower number after the finger was lifted
  public var sequence: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasSequence: Bool { fields.has(4) }

  /// Field 5, `crc16`.
  public var crc16: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasCrc16: Bool { fields.has(5) }

  /// Field 6, `confidence_array`.
  public var confidenceArray: [UInt8] { get { fields.bytes(6) } set { fields.set(6, bytes: newValue) } }
  public var hasConfidenceArray: Bool { fields.has(6) }

  /// Field 7, `diff_data_scaled`: 13 bytes: proximity, then lines 1 to 12
  public var diffDataScaled: [UInt8] { get { fields.bytes(7) } set { fields.set(7, bytes: newValue) } }
  public var hasDiffDataScaled: Bool { fields.has(7) }

  /// Field 8, `raw_data`.
  public var rawData: [UInt8] { get { fields.bytes(8) } set { fields.set(8, bytes: newValue) } }
  public var hasRawData: Bool { fields.has(8) }
}

/// TouchWidgetConfig of the schema.
public struct WireTouchWidgetConfig: WireMessage {
  public static var schema: Schema { Schema(table, at: 335) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `resolution`: required
  public var resolution: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasResolution: Bool { fields.has(1) }

  /// Field 2, `sensor_clk_freq_divisor`: required
  public var sensorClkFreqDivisor: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasSensorClkFreqDivisor: Bool { fields.has(2) }

  /// Field 3, `idac_mod_value`: required
  public var idacModValue: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasIdacModValue: Bool { fields.has(3) }
}

/// TouchConfigData of the schema.
public struct WireTouchConfigData: WireMessage {
  public static var schema: Schema { Schema(table, at: 342) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `config`.
  public var config: [WireTouchWidgetConfig] { get { fields.messages(1).map(WireTouchWidgetConfig.init(fields:)) } set { fields.set(1, messages: newValue.map(\.fields)) } }

  /// Field 2, `compensation_idac_values`.
  public var compensationIdacValues: [UInt8] { get { fields.bytes(2) } set { fields.set(2, bytes: newValue) } }
  public var hasCompensationIdacValues: Bool { fields.has(2) }

  /// Field 3, `mod_csd_clk_divisor`.
  public var modCsdClkDivisor: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasModCsdClkDivisor: Bool { fields.has(3) }
}

/// DataChannelRequest of the schema.
public struct WireDataChannelRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 349) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `inference`.
  public var inference: WireDataStreamState { get { WireDataStreamState(rawValue: Int(truncatingIfNeeded: fields.varint(1))) ?? .dataStreamDisable } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue.rawValue)) } }
  public var hasInference: Bool { fields.has(1) }

  /// Field 2, `touch`.
  public var touch: WireDataStreamState { get { WireDataStreamState(rawValue: Int(truncatingIfNeeded: fields.varint(2))) ?? .dataStreamDisable } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue.rawValue)) } }
  public var hasTouch: Bool { fields.has(2) }
}

/// DataChannelResponse of the schema.
public struct WireDataChannelResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 354) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `inference`: DataStreamState
  public var inference: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasInference: Bool { fields.has(1) }

  /// Field 2, `touch`: DataStreamState
  public var touch: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasTouch: Bool { fields.has(2) }

  /// Field 3, `touch_config`.
  public var touchConfig: WireTouchConfigData { get { WireTouchConfigData(fields: fields.message(3)) } set { fields.set(3, message: newValue.fields) } }
  public var hasTouchConfig: Bool { fields.has(3) }
}

/// DataChannelNotification of the schema.
public struct WireDataChannelNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 361) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `inference_data`.
  public var inferenceData: WireInferenceData { get { WireInferenceData(fields: fields.message(1)) } set { fields.set(1, message: newValue.fields) } }
  public var hasInferenceData: Bool { fields.has(1) }

  /// Field 2, `touch_data`.
  public var touchData: WireTouchData { get { WireTouchData(fields: fields.message(2)) } set { fields.set(2, message: newValue.fields) } }
  public var hasTouchData: Bool { fields.has(2) }

  /// Field 3, `timestamp_ticks`.
  public var timestampTicks: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasTimestampTicks: Bool { fields.has(3) }
}

/// HWGearRequest of the schema.
public struct WireHWGearRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 368) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }
}

/// HWGearResponse of the schema.
public struct WireHWGearResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 369) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `characteristics`.
  public var characteristics: WireGearChar { get { WireGearChar(fields: fields.message(1)) } set { fields.set(1, message: newValue.fields) } }
  public var hasCharacteristics: Bool { fields.has(1) }
}

/// HapticNotificationDetails of the schema.
public struct WireHapticNotificationDetails: WireMessage {
  public static var schema: Schema { Schema(table, at: 372) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `haptic_type`: required; HapticType
  public var hapticType: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasHapticType: Bool { fields.has(1) }

  /// Field 2, `strength_percent`: required
  public var strengthPercent: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasStrengthPercent: Bool { fields.has(2) }

  /// Field 3, `symbol_duration_ms`: required
  public var symbolDurationMs: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasSymbolDurationMs: Bool { fields.has(3) }
}

/// VibeMotorChar of the schema.
public struct WireVibeMotorChar: WireMessage {
  public static var schema: Schema { Schema(table, at: 379) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `motor_num`: required
  public var motorNum: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasMotorNum: Bool { fields.has(1) }

  /// Field 2, `attach_notification`.
  public var attachNotification: WireHapticNotificationDetails { get { WireHapticNotificationDetails(fields: fields.message(2)) } set { fields.set(2, message: newValue.fields) } }
  public var hasAttachNotification: Bool { fields.has(2) }

  /// Field 3, `gesture_recognition_notification`.
  public var gestureRecognitionNotification: WireHapticNotificationDetails { get { WireHapticNotificationDetails(fields: fields.message(3)) } set { fields.set(3, message: newValue.fields) } }
  public var hasGestureRecognitionNotification: Bool { fields.has(3) }
}

/// CapacitiveTouchpadChar of the schema.
public struct WireCapacitiveTouchpadChar: WireMessage {
  public static var schema: Schema { Schema(table, at: 386) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `material`: required; SKUMaterial
  public var material: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasMaterial: Bool { fields.has(1) }

  /// Field 2, `pitch_mm`: required
  public var pitchMm: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPitchMm: Bool { fields.has(2) }

  /// Field 3, `electrode_lines_num`: required
  public var electrodeLinesNum: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasElectrodeLinesNum: Bool { fields.has(3) }

  /// Field 4, `electrode_lines_length_cm`: required
  public var electrodeLinesLengthCm: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasElectrodeLinesLengthCm: Bool { fields.has(4) }

  /// Field 5, `pitch_um`.
  public var pitchUm: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPitchUm: Bool { fields.has(5) }
}

/// LedsArrayChar of the schema.
public struct WireLedsArrayChar: WireMessage {
  public static var schema: Schema { Schema(table, at: 397) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `type`: required; LEDType
  public var type: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasType: Bool { fields.has(1) }

  /// Field 2, `led_num`: required
  public var ledNum: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasLedNum: Bool { fields.has(2) }

  /// Field 3, `format`: required; LEDGeometry
  public var format: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFormat: Bool { fields.has(3) }
}

/// GearChar of the schema.
public struct WireGearChar: WireMessage {
  public static var schema: Schema { Schema(table, at: 404) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `id`: required
  public var id: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasID: Bool { fields.has(1) }

  /// Field 4, `motor_1`.
  public var motor1: WireVibeMotorChar { get { WireVibeMotorChar(fields: fields.message(4)) } set { fields.set(4, message: newValue.fields) } }
  public var hasMotor1: Bool { fields.has(4) }

  /// Field 5, `motor_2`.
  public var motor2: WireVibeMotorChar { get { WireVibeMotorChar(fields: fields.message(5)) } set { fields.set(5, message: newValue.fields) } }
  public var hasMotor2: Bool { fields.has(5) }

  /// Field 6, `cap_touchpad_1`.
  public var capTouchpad1: WireCapacitiveTouchpadChar { get { WireCapacitiveTouchpadChar(fields: fields.message(6)) } set { fields.set(6, message: newValue.fields) } }
  public var hasCapTouchpad1: Bool { fields.has(6) }

  /// Field 7, `cap_touchpad_2`.
  public var capTouchpad2: WireCapacitiveTouchpadChar { get { WireCapacitiveTouchpadChar(fields: fields.message(7)) } set { fields.set(7, message: newValue.fields) } }
  public var hasCapTouchpad2: Bool { fields.has(7) }

  /// Field 8, `led_array_1`.
  public var ledArray1: WireLedsArrayChar { get { WireLedsArrayChar(fields: fields.message(8)) } set { fields.set(8, message: newValue.fields) } }
  public var hasLedArray1: Bool { fields.has(8) }

  /// Field 9, `led_array_2`.
  public var ledArray2: WireLedsArrayChar { get { WireLedsArrayChar(fields: fields.message(9)) } set { fields.set(9, message: newValue.fields) } }
  public var hasLedArray2: Bool { fields.has(9) }

  /// Field 10, `connector_type`: ConnectorType
  public var connectorType: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(10)) } set { fields.set(10, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasConnectorType: Bool { fields.has(10) }
}

/// ConfigElement of the schema.
public struct WireConfigElement: WireMessage {
  public static var schema: Schema { Schema(table, at: 421) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `key`.
  public var key: String { get { fields.string(1) } set { fields.set(1, string: newValue) } }
  public var hasKey: Bool { fields.has(1) }

  /// Field 2, `bool_val`.
  public var boolVal: Bool { get { fields.varint(2) != 0 } set { fields.set(2, varint: newValue ? 1 : 0) } }
  public var hasBoolVal: Bool { fields.has(2) }

  /// Field 3, `uint32_val`.
  public var uint32Val: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasUint32Val: Bool { fields.has(3) }

  /// Field 4, `uint64_val`.
  public var uint64Val: UInt64 { get { UInt64(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasUint64Val: Bool { fields.has(4) }

  /// Field 5, `int32_val`.
  public var int32Val: Int32 { get { Int32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasInt32Val: Bool { fields.has(5) }

  /// Field 6, `int64_val`.
  public var int64Val: Int64 { get { Int64(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasInt64Val: Bool { fields.has(6) }

  /// Field 7, `float_val`.
  public var floatVal: Float { get { fields.float(7) } set { fields.set(7, float: newValue) } }
  public var hasFloatVal: Bool { fields.has(7) }

  /// Field 8, `double_val`.
  public var doubleVal: Double { get { fields.double(8) } set { fields.set(8, double: newValue) } }
  public var hasDoubleVal: Bool { fields.has(8) }

  /// Field 9, `string_val`.
  public var stringVal: String { get { fields.string(9) } set { fields.set(9, string: newValue) } }
  public var hasStringVal: Bool { fields.has(9) }
}

/// ConfigSetRequest of the schema.
public struct WireConfigSetRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 440) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `vid`.
  public var vid: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVid: Bool { fields.has(1) }

  /// Field 2, `pid`.
  public var pid: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPid: Bool { fields.has(2) }

  /// Field 3, `config`.
  public var config: WireConfigElement { get { WireConfigElement(fields: fields.message(3)) } set { fields.set(3, message: newValue.fields) } }
  public var hasConfig: Bool { fields.has(3) }
}

/// ConfigGetRequest of the schema.
public struct WireConfigGetRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 447) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `vid`.
  public var vid: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVid: Bool { fields.has(1) }

  /// Field 2, `pid`.
  public var pid: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPid: Bool { fields.has(2) }

  /// Field 3, `key`.
  public var key: String { get { fields.string(3) } set { fields.set(3, string: newValue) } }
  public var hasKey: Bool { fields.has(3) }
}

/// ConfigGetResponse of the schema.
public struct WireConfigGetResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 454) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `config`.
  public var config: WireConfigElement { get { WireConfigElement(fields: fields.message(1)) } set { fields.set(1, message: newValue.fields) } }
  public var hasConfig: Bool { fields.has(1) }
}

/// ConfigGetIndexRequest of the schema.
public struct WireConfigGetIndexRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 457) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `vid`.
  public var vid: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVid: Bool { fields.has(1) }

  /// Field 2, `pid`.
  public var pid: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPid: Bool { fields.has(2) }

  /// Field 3, `index`.
  public var index: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasIndex: Bool { fields.has(3) }
}

/// ImuConfiguration of the schema.
public struct WireImuConfiguration: WireMessage {
  public static var schema: Schema { Schema(table, at: 464) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `sensor_id`: 0 = motion sensor, 1 = gear
  public var sensorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasSensorID: Bool { fields.has(1) }

  /// Field 2, `accel_low_power_mode`.
  public var accelLowPowerMode: Bool { get { fields.varint(2) != 0 } set { fields.set(2, varint: newValue ? 1 : 0) } }
  public var hasAccelLowPowerMode: Bool { fields.has(2) }

  /// Field 3, `accel_filter_mode`: ImuFilterMode
  public var accelFilterMode: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasAccelFilterMode: Bool { fields.has(3) }

  /// Field 4, `accel_sample_rate`: ImuAccelSampleRate
  public var accelSampleRate: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasAccelSampleRate: Bool { fields.has(4) }

  /// Field 5, `accel_range`: ImuAccelRange
  public var accelRange: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasAccelRange: Bool { fields.has(5) }

  /// Field 6, `gyro_low_power_mode`.
  public var gyroLowPowerMode: Bool { get { fields.varint(6) != 0 } set { fields.set(6, varint: newValue ? 1 : 0) } }
  public var hasGyroLowPowerMode: Bool { fields.has(6) }

  /// Field 7, `gyro_filter_mode`: ImuFilterMode
  public var gyroFilterMode: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(7)) } set { fields.set(7, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasGyroFilterMode: Bool { fields.has(7) }

  /// Field 8, `gyro_sample_rate`: ImuGyroSampleRate
  public var gyroSampleRate: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(8)) } set { fields.set(8, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasGyroSampleRate: Bool { fields.has(8) }

  /// Field 9, `gyro_range`: ImuGyroRange
  public var gyroRange: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(9)) } set { fields.set(9, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasGyroRange: Bool { fields.has(9) }
}

/// BleConfiguration of the schema.
public struct WireBleConfiguration: WireMessage {
  public static var schema: Schema { Schema(table, at: 483) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `custom_adv_name_utf8`: not a string, which would have to be valid UTF-8
  public var customAdvNameUtf8: [UInt8] { get { fields.bytes(1) } set { fields.set(1, bytes: newValue) } }
  public var hasCustomAdvNameUtf8: Bool { fields.has(1) }

  /// Field 2, `tx_power_default`: dBm
  public var txPowerDefault: Int32 { get { Int32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasTxPowerDefault: Bool { fields.has(2) }

  /// Field 3, `tx_power_max`: dBm
  public var txPowerMax: Int32 { get { Int32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasTxPowerMax: Bool { fields.has(3) }

  /// Field 4, `fast_adv_interval_ms`.
  public var fastAdvIntervalMs: Float { get { fields.float(4) } set { fields.set(4, float: newValue) } }
  public var hasFastAdvIntervalMs: Bool { fields.has(4) }

  /// Field 5, `fast_adv_duration_sec`, 60 when absent.
  public var fastAdvDurationSec: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5, default: 60)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFastAdvDurationSec: Bool { fields.has(5) }

  /// Field 6, `slow_adv_interval_ms`.
  public var slowAdvIntervalMs: Float { get { fields.float(6) } set { fields.set(6, float: newValue) } }
  public var hasSlowAdvIntervalMs: Bool { fields.has(6) }

  /// Field 7, `slow_adv_duration_sec`, 60 when absent.
  public var slowAdvDurationSec: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(7, default: 60)) } set { fields.set(7, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasSlowAdvDurationSec: Bool { fields.has(7) }

  /// Field 8, `min_conn_interval`: 1.25 ms units, presumably
  public var minConnInterval: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(8)) } set { fields.set(8, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasMinConnInterval: Bool { fields.has(8) }

  /// Field 9, `max_conn_interval`: 1.25 ms units, presumably
  public var maxConnInterval: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(9)) } set { fields.set(9, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasMaxConnInterval: Bool { fields.has(9) }

  /// Field 10, `notif_queue_depth`, 14 when absent.
  public var notifQueueDepth: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(10, default: 14)) } set { fields.set(10, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasNotifQueueDepth: Bool { fields.has(10) }

  /// Field 11, `medium_adv_interval_ms`.
  public var mediumAdvIntervalMs: Float { get { fields.float(11) } set { fields.set(11, float: newValue) } }
  public var hasMediumAdvIntervalMs: Bool { fields.has(11) }

  /// Field 12, `medium_adv_duration_sec`, 60 when absent.
  public var mediumAdvDurationSec: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(12, default: 60)) } set { fields.set(12, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasMediumAdvDurationSec: Bool { fields.has(12) }
}

/// WomConfiguration of the schema.
public struct WireWomConfiguration: WireMessage {
  public static var schema: Schema { Schema(table, at: 508) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `enable`.
  public var enable: Bool { get { fields.varint(1) != 0 } set { fields.set(1, varint: newValue ? 1 : 0) } }
  public var hasEnable: Bool { fields.has(1) }

  /// Field 2, `sensitivity`, 2 when absent: ImuAccelSampleRate
  public var sensitivity: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2, default: 2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasSensitivity: Bool { fields.has(2) }

  /// Field 3, `motion_threshold`, 20 when absent.
  public var motionThreshold: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3, default: 20)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasMotionThreshold: Bool { fields.has(3) }

  /// Field 4, `no_motion_timeout_ms`.
  public var noMotionTimeoutMs: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasNoMotionTimeoutMs: Bool { fields.has(4) }

  /// Field 5, `gear_power_policy`: WomGearPowerControlPolicy
  public var gearPowerPolicy: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasGearPowerPolicy: Bool { fields.has(5) }

  /// Field 6, `ble_conn_policy`: WomBleConnectionPolicy
  public var bleConnPolicy: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasBleConnPolicy: Bool { fields.has(6) }
}

/// UJTConfigReadRequest of the schema.
public struct WireUJTConfigReadRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 521) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `imu_config`.
  public var imuConfig: Bool { get { fields.varint(1) != 0 } set { fields.set(1, varint: newValue ? 1 : 0) } }
  public var hasImuConfig: Bool { fields.has(1) }

  /// Field 2, `ble_config`.
  public var bleConfig: Bool { get { fields.varint(2) != 0 } set { fields.set(2, varint: newValue ? 1 : 0) } }
  public var hasBleConfig: Bool { fields.has(2) }

  /// Field 3, `wom_config`.
  public var womConfig: Bool { get { fields.varint(3) != 0 } set { fields.set(3, varint: newValue ? 1 : 0) } }
  public var hasWomConfig: Bool { fields.has(3) }
}

/// UJTConfigWriteRequest of the schema.
public struct WireUJTConfigWriteRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 528) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `imu_config`.
  public var imuConfig: WireImuConfiguration { get { WireImuConfiguration(fields: fields.message(1)) } set { fields.set(1, message: newValue.fields) } }
  public var hasImuConfig: Bool { fields.has(1) }

  /// Field 2, `ble_config`.
  public var bleConfig: WireBleConfiguration { get { WireBleConfiguration(fields: fields.message(2)) } set { fields.set(2, message: newValue.fields) } }
  public var hasBleConfig: Bool { fields.has(2) }

  /// Field 3, `wom_config`.
  public var womConfig: WireWomConfiguration { get { WireWomConfiguration(fields: fields.message(3)) } set { fields.set(3, message: newValue.fields) } }
  public var hasWomConfig: Bool { fields.has(3) }
}

/// UJTConfigResponse of the schema.
public struct WireUJTConfigResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 535) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `imu_config`.
  public var imuConfig: WireImuConfiguration { get { WireImuConfiguration(fields: fields.message(1)) } set { fields.set(1, message: newValue.fields) } }
  public var hasImuConfig: Bool { fields.has(1) }

  /// Field 2, `ble_config`.
  public var bleConfig: WireBleConfiguration { get { WireBleConfiguration(fields: fields.message(2)) } set { fields.set(2, message: newValue.fields) } }
  public var hasBleConfig: Bool { fields.has(2) }

  /// Field 3, `wom_config`.
  public var womConfig: WireWomConfiguration { get { WireWomConfiguration(fields: fields.message(3)) } set { fields.set(3, message: newValue.fields) } }
  public var hasWomConfig: Bool { fields.has(3) }
}

/// DFUStatusRequest of the schema.
public struct WireDFUStatusRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 542) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `vendor_id`.
  public var vendorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVendorID: Bool { fields.has(1) }

  /// Field 2, `product_id`.
  public var productID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasProductID: Bool { fields.has(2) }
}

/// DFUStatusResponse of the schema.
public struct WireDFUStatusResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 547) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `component`.
  public var component: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasComponent: Bool { fields.has(1) }

  /// Field 2, `final_size`: required
  public var finalSize: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFinalSize: Bool { fields.has(2) }

  /// Field 3, `final_crc`: of the whole image
  public var finalCrc: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFinalCrc: Bool { fields.has(3) }

  /// Field 4, `current_size`.
  public var currentSize: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasCurrentSize: Bool { fields.has(4) }

  /// Field 5, `current_crc`: of the part stored so far
  public var currentCrc: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasCurrentCrc: Bool { fields.has(5) }
}

/// DFUPrepareRequest of the schema.
public struct WireDFUPrepareRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 558) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `component`: required
  public var component: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasComponent: Bool { fields.has(1) }

  /// Field 2, `final_size`: required
  public var finalSize: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFinalSize: Bool { fields.has(2) }

  /// Field 3, `final_crc`: required; CRC-16/XMODEM of the image
  public var finalCrc: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFinalCrc: Bool { fields.has(3) }

  /// Field 4, `vendor_id`.
  public var vendorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVendorID: Bool { fields.has(4) }

  /// Field 5, `product_id`.
  public var productID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasProductID: Bool { fields.has(5) }
}

/// DFUWriteRequest of the schema.
public struct WireDFUWriteRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 569) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `offset`: required
  public var offset: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasOffset: Bool { fields.has(1) }

  /// Field 2, `data`: required; 128 bytes, the last one may be shorter
  public var data: [UInt8] { get { fields.bytes(2) } set { fields.set(2, bytes: newValue) } }
  public var hasData: Bool { fields.has(2) }
}

/// DFUWriteResponse of the schema.
public struct WireDFUWriteResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 574) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `offset`: required; bytes stored in total
  public var offset: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasOffset: Bool { fields.has(1) }

  /// Field 2, `crc`: required; of all bytes stored
  public var crc: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasCrc: Bool { fields.has(2) }
}

/// DFUExecuteRequest of the schema.
public struct WireDFUExecuteRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 579) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `vendor_id`.
  public var vendorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVendorID: Bool { fields.has(1) }

  /// Field 2, `product_id`.
  public var productID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasProductID: Bool { fields.has(2) }

  /// Field 3, `update_sched`.
  public var updateSched: WireUpdateSchedule { get { WireUpdateSchedule(rawValue: Int(truncatingIfNeeded: fields.varint(3))) ?? .updateNow } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue.rawValue)) } }
  public var hasUpdateSched: Bool { fields.has(3) }

  /// Field 4, `keep_fw_binary`.
  public var keepFwBinary: Bool { get { fields.varint(4) != 0 } set { fields.set(4, varint: newValue ? 1 : 0) } }
  public var hasKeepFwBinary: Bool { fields.has(4) }
}

/// DFUExecuteUpdateNotification of the schema.
public struct WireDFUExecuteUpdateNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 588) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `vendor_id`.
  public var vendorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVendorID: Bool { fields.has(1) }

  /// Field 2, `product_id`.
  public var productID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasProductID: Bool { fields.has(2) }

  /// Field 3, `firmware_major`.
  public var firmwareMajor: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFirmwareMajor: Bool { fields.has(3) }

  /// Field 4, `firmware_minor`.
  public var firmwareMinor: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFirmwareMinor: Bool { fields.has(4) }

  /// Field 5, `firmware_point`.
  public var firmwarePoint: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFirmwarePoint: Bool { fields.has(5) }

  /// Field 6, `status`: Status; absent = success
  public var status: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasStatus: Bool { fields.has(6) }
}

/// OtaDfuMetadata of the schema.
public struct WireOtaDfuMetadata: WireMessage {
  public static var schema: Schema { Schema(table, at: 601) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `final_size`.
  public var finalSize: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFinalSize: Bool { fields.has(1) }

  /// Field 2, `final_crc`.
  public var finalCrc: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFinalCrc: Bool { fields.has(2) }

  /// Field 3, `current_size`.
  public var currentSize: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasCurrentSize: Bool { fields.has(3) }

  /// Field 4, `current_crc`.
  public var currentCrc: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasCurrentCrc: Bool { fields.has(4) }

  /// Field 5, `final_image_size`.
  public var finalImageSize: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFinalImageSize: Bool { fields.has(5) }

  /// Field 6, `final_image_crc`.
  public var finalImageCrc: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFinalImageCrc: Bool { fields.has(6) }

  /// Field 7, `current_image_size`.
  public var currentImageSize: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(7)) } set { fields.set(7, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasCurrentImageSize: Bool { fields.has(7) }

  /// Field 8, `current_image_crc`.
  public var currentImageCrc: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(8)) } set { fields.set(8, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasCurrentImageCrc: Bool { fields.has(8) }

  /// Field 9, `write_addr`.
  public var writeAddr: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(9)) } set { fields.set(9, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasWriteAddr: Bool { fields.has(9) }

  /// Field 10, `signed_hash`.
  public var signedHash: [UInt32] { get { fields.varints(10) } set { fields.set(10, varints: newValue) } }

  /// Field 11, `hash_context`.
  public var hashContext: [UInt32] { get { fields.varints(11) } set { fields.set(11, varints: newValue) } }

  /// Field 12, `is_signed`.
  public var isSigned: Bool { get { fields.varint(12) != 0 } set { fields.set(12, varint: newValue ? 1 : 0) } }
  public var hasIsSigned: Bool { fields.has(12) }
}

/// ModuleDescriptor of the schema.
public struct WireModuleDescriptor: WireMessage {
  public static var schema: Schema { Schema(table, at: 626) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `name`.
  public var name: String { get { fields.string(1) } set { fields.set(1, string: newValue) } }
  public var hasName: Bool { fields.has(1) }

  /// Field 2, `vendor_id`.
  public var vendorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVendorID: Bool { fields.has(2) }

  /// Field 3, `product_id`.
  public var productID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasProductID: Bool { fields.has(3) }

  /// Field 4, `module_id`.
  public var moduleID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasModuleID: Bool { fields.has(4) }

  /// Field 5, `ver_major`.
  public var verMajor: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVerMajor: Bool { fields.has(5) }

  /// Field 6, `ver_minor`.
  public var verMinor: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVerMinor: Bool { fields.has(6) }

  /// Field 7, `ver_point`.
  public var verPoint: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(7)) } set { fields.set(7, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasVerPoint: Bool { fields.has(7) }

  /// Field 8, `is_enabled`: loaded now
  public var isEnabled: Bool { get { fields.varint(8) != 0 } set { fields.set(8, varint: newValue ? 1 : 0) } }
  public var hasIsEnabled: Bool { fields.has(8) }

  /// Field 9, `api_level`.
  public var apiLevel: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(9)) } set { fields.set(9, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasApiLevel: Bool { fields.has(9) }

  /// Field 10, `ml_version`.
  public var mlVersion: String { get { fields.string(10) } set { fields.set(10, string: newValue) } }
  public var hasMlVersion: Bool { fields.has(10) }

  /// Field 11, `size_bytes`.
  public var sizeBytes: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(11)) } set { fields.set(11, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasSizeBytes: Bool { fields.has(11) }
}

/// LoadModuleRequest of the schema.
public struct WireLoadModuleRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 649) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `module`.
  public var module: WireModuleDescriptor { get { WireModuleDescriptor(fields: fields.message(1)) } set { fields.set(1, message: newValue.fields) } }
  public var hasModule: Bool { fields.has(1) }
}

/// LoadModuleNotification of the schema.
public struct WireLoadModuleNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 652) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `status`: Status
  public var status: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasStatus: Bool { fields.has(1) }

  /// Field 2, `module`.
  public var module: WireModuleDescriptor { get { WireModuleDescriptor(fields: fields.message(2)) } set { fields.set(2, message: newValue.fields) } }
  public var hasModule: Bool { fields.has(2) }
}

/// UnloadModuleRequest of the schema.
public struct WireUnloadModuleRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 657) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `module`.
  public var module: WireModuleDescriptor { get { WireModuleDescriptor(fields: fields.message(1)) } set { fields.set(1, message: newValue.fields) } }
  public var hasModule: Bool { fields.has(1) }
}

/// ListModuleResponse of the schema.
public struct WireListModuleResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 660) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `modules`.
  public var modules: [WireModuleDescriptor] { get { fields.messages(1).map(WireModuleDescriptor.init(fields:)) } set { fields.set(1, messages: newValue.map(\.fields)) } }
}

/// DeleteModuleRequest of the schema.
public struct WireDeleteModuleRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 663) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `module`.
  public var module: WireModuleDescriptor { get { WireModuleDescriptor(fields: fields.message(1)) } set { fields.set(1, message: newValue.fields) } }
  public var hasModule: Bool { fields.has(1) }
}

/// DataCollectionMetadata of the schema.
public struct WireDataCollectionMetadata: WireMessage {
  public static var schema: Schema { Schema(table, at: 666) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `campaign_id`.
  public var campaignID: String { get { fields.string(1) } set { fields.set(1, string: newValue) } }
  public var hasCampaignID: Bool { fields.has(1) }

  /// Field 2, `session_id`.
  public var sessionID: String { get { fields.string(2) } set { fields.set(2, string: newValue) } }
  public var hasSessionID: Bool { fields.has(2) }

  /// Field 3, `trial_id`.
  public var trialID: String { get { fields.string(3) } set { fields.set(3, string: newValue) } }
  public var hasTrialID: Bool { fields.has(3) }

  /// Field 4, `subject_id`.
  public var subjectID: String { get { fields.string(4) } set { fields.set(4, string: newValue) } }
  public var hasSubjectID: Bool { fields.has(4) }

  /// Field 5, `mode`: DataCollectionMode
  public var mode: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasMode: Bool { fields.has(5) }

  /// Field 6, `action_id`.
  public var actionID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasActionID: Bool { fields.has(6) }

  /// Field 7, `sensor_ids`: not packed
  public var sensorIds: [UInt32] { get { fields.varints(7) } set { fields.set(7, varints: newValue) } }

  /// Field 8, `custom_data`.
  public var customData: [UInt8] { get { fields.bytes(8) } set { fields.set(8, bytes: newValue) } }
  public var hasCustomData: Bool { fields.has(8) }

  /// Field 9, `product_id`.
  public var productID: String { get { fields.string(9) } set { fields.set(9, string: newValue) } }
  public var hasProductID: Bool { fields.has(9) }
}

/// DataCollectionTrialSensorData of the schema.
public struct WireDataCollectionTrialSensorData: WireMessage {
  public static var schema: Schema { Schema(table, at: 685) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `sensor_id`.
  public var sensorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasSensorID: Bool { fields.has(1) }

  /// Field 2, `format_version`.
  public var formatVersion: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFormatVersion: Bool { fields.has(2) }

  /// Field 3, `fsize`: file length in bytes
  public var fsize: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasFsize: Bool { fields.has(3) }

  /// Field 4, `crc16`.
  public var crc16: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasCrc16: Bool { fields.has(4) }
}

/// DataCollectionTrialData of the schema.
public struct WireDataCollectionTrialData: WireMessage {
  public static var schema: Schema { Schema(table, at: 694) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `subject_id`.
  public var subjectID: String { get { fields.string(1) } set { fields.set(1, string: newValue) } }
  public var hasSubjectID: Bool { fields.has(1) }

  /// Field 2, `sensor_data`.
  public var sensorData: [WireDataCollectionTrialSensorData] { get { fields.messages(2).map(WireDataCollectionTrialSensorData.init(fields:)) } set { fields.set(2, messages: newValue.map(\.fields)) } }
}

/// DataCollectionTrialList of the schema.
public struct WireDataCollectionTrialList: WireMessage {
  public static var schema: Schema { Schema(table, at: 699) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `trial_id`.
  public var trialID: String { get { fields.string(1) } set { fields.set(1, string: newValue) } }
  public var hasTrialID: Bool { fields.has(1) }

  /// Field 2, `trial_data`.
  public var trialData: [WireDataCollectionTrialData] { get { fields.messages(2).map(WireDataCollectionTrialData.init(fields:)) } set { fields.set(2, messages: newValue.map(\.fields)) } }

  /// Field 3, `campaign_id`.
  public var campaignID: String { get { fields.string(3) } set { fields.set(3, string: newValue) } }
  public var hasCampaignID: Bool { fields.has(3) }

  /// Field 4, `session_id`.
  public var sessionID: String { get { fields.string(4) } set { fields.set(4, string: newValue) } }
  public var hasSessionID: Bool { fields.has(4) }

  /// Field 5, `product_id`.
  public var productID: String { get { fields.string(5) } set { fields.set(5, string: newValue) } }
  public var hasProductID: Bool { fields.has(5) }
}

/// DataCollectionStartRequest of the schema.
public struct WireDataCollectionStartRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 710) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `metadata`.
  public var metadata: WireDataCollectionMetadata { get { WireDataCollectionMetadata(fields: fields.message(1)) } set { fields.set(1, message: newValue.fields) } }
  public var hasMetadata: Bool { fields.has(1) }
}

/// DataCollectionStartResponse of the schema.
public struct WireDataCollectionStartResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 713) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `dc_status`: DataCollectionStatus
  public var dcStatus: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDcStatus: Bool { fields.has(1) }
}

/// DataCollectionStopRequest of the schema.
public struct WireDataCollectionStopRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 716) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `is_error`.
  public var isError: Bool { get { fields.varint(1) != 0 } set { fields.set(1, varint: newValue ? 1 : 0) } }
  public var hasIsError: Bool { fields.has(1) }
}

/// DataCollectionStopResponse of the schema.
public struct WireDataCollectionStopResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 719) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `timestamp`.
  public var timestamp: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasTimestamp: Bool { fields.has(1) }

  /// Field 2, `dc_status`: DataCollectionStatus
  public var dcStatus: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDcStatus: Bool { fields.has(2) }
}

/// DataCollectionStatusRequest of the schema.
public struct WireDataCollectionStatusRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 724) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }
}

/// DataCollectionStatusResponse of the schema.
public struct WireDataCollectionStatusResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 725) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `dc_status`: DataCollectionStatus
  public var dcStatus: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDcStatus: Bool { fields.has(1) }
}

/// DataCollectionTrialListRequest of the schema.
public struct WireDataCollectionTrialListRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 728) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `campaign_id`.
  public var campaignID: String { get { fields.string(1) } set { fields.set(1, string: newValue) } }
  public var hasCampaignID: Bool { fields.has(1) }

  /// Field 2, `session_id`.
  public var sessionID: String { get { fields.string(2) } set { fields.set(2, string: newValue) } }
  public var hasSessionID: Bool { fields.has(2) }

  /// Field 3, `product_id`.
  public var productID: String { get { fields.string(3) } set { fields.set(3, string: newValue) } }
  public var hasProductID: Bool { fields.has(3) }
}

/// DataCollectionTrialListResponse of the schema.
public struct WireDataCollectionTrialListResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 735) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `dc_status`: DataCollectionStatus
  public var dcStatus: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDcStatus: Bool { fields.has(1) }
}

/// DataCollectionTrialListNotification of the schema.
public struct WireDataCollectionTrialListNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 738) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `trials`.
  public var trials: [WireDataCollectionTrialList] { get { fields.messages(1).map(WireDataCollectionTrialList.init(fields:)) } set { fields.set(1, messages: newValue.map(\.fields)) } }

  /// Field 2, `trial`: one entry per notification
  public var trial: WireDataCollectionTrialList { get { WireDataCollectionTrialList(fields: fields.message(2)) } set { fields.set(2, message: newValue.fields) } }
  public var hasTrial: Bool { fields.has(2) }

  /// Field 3, `total_trials`: 0 = nothing stored
  public var totalTrials: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasTotalTrials: Bool { fields.has(3) }

  /// Field 4, `trial_index`: from 0
  public var trialIndex: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasTrialIndex: Bool { fields.has(4) }
}

/// DataCollectionTrialDataRequest of the schema.
public struct WireDataCollectionTrialDataRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 747) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `campaign_id`.
  public var campaignID: String { get { fields.string(1) } set { fields.set(1, string: newValue) } }
  public var hasCampaignID: Bool { fields.has(1) }

  /// Field 2, `session_id`.
  public var sessionID: String { get { fields.string(2) } set { fields.set(2, string: newValue) } }
  public var hasSessionID: Bool { fields.has(2) }

  /// Field 3, `trial_id`.
  public var trialID: String { get { fields.string(3) } set { fields.set(3, string: newValue) } }
  public var hasTrialID: Bool { fields.has(3) }

  /// Field 4, `subject_id`.
  public var subjectID: String { get { fields.string(4) } set { fields.set(4, string: newValue) } }
  public var hasSubjectID: Bool { fields.has(4) }

  /// Field 5, `sensor_id`.
  public var sensorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasSensorID: Bool { fields.has(5) }

  /// Field 6, `offset`: resume from this byte
  public var offset: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasOffset: Bool { fields.has(6) }

  /// Field 7, `product_id`.
  public var productID: String { get { fields.string(7) } set { fields.set(7, string: newValue) } }
  public var hasProductID: Bool { fields.has(7) }
}

/// DataCollectionTrialDataResponse of the schema.
public struct WireDataCollectionTrialDataResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 762) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 4, `dc_status`: DataCollectionStatus; not number 1, as in the others
  public var dcStatus: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDcStatus: Bool { fields.has(4) }
}

/// DataCollectionEraseTrialDataRequest of the schema.
public struct WireDataCollectionEraseTrialDataRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 765) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `campaign_id`.
  public var campaignID: String { get { fields.string(1) } set { fields.set(1, string: newValue) } }
  public var hasCampaignID: Bool { fields.has(1) }

  /// Field 2, `session_id`.
  public var sessionID: String { get { fields.string(2) } set { fields.set(2, string: newValue) } }
  public var hasSessionID: Bool { fields.has(2) }

  /// Field 3, `trial_id`.
  public var trialID: String { get { fields.string(3) } set { fields.set(3, string: newValue) } }
  public var hasTrialID: Bool { fields.has(3) }

  /// Field 4, `product_id`.
  public var productID: String { get { fields.string(4) } set { fields.set(4, string: newValue) } }
  public var hasProductID: Bool { fields.has(4) }

  /// Field 5, `subject_id`.
  public var subjectID: String { get { fields.string(5) } set { fields.set(5, string: newValue) } }
  public var hasSubjectID: Bool { fields.has(5) }
}

/// DataCollectionEraseTrialDataResponse of the schema.
public struct WireDataCollectionEraseTrialDataResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 776) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `dc_status`: DataCollectionStatus
  public var dcStatus: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDcStatus: Bool { fields.has(1) }
}

/// DataCollectionEraseAllDataRequest of the schema.
public struct WireDataCollectionEraseAllDataRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 779) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }
}

/// DataCollectionEraseAllDataResponse of the schema.
public struct WireDataCollectionEraseAllDataResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 780) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `dc_status`: DataCollectionStatus
  public var dcStatus: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasDcStatus: Bool { fields.has(1) }
}

/// DataCollectionProgressNotification of the schema.
public struct WireDataCollectionProgressNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 783) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `sensor_id`.
  public var sensorID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasSensorID: Bool { fields.has(1) }

  /// Field 2, `crc_progress_pct`.
  public var crcProgressPct: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasCrcProgressPct: Bool { fields.has(2) }

  /// Field 3, `compression_progress_pct`.
  public var compressionProgressPct: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasCompressionProgressPct: Bool { fields.has(3) }
}

/// DataCollectionActionHeader of the schema.
public struct WireDataCollectionActionHeader: WireMessage {
  public static var schema: Schema { Schema(table, at: 790) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `action_id`.
  public var actionID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasActionID: Bool { fields.has(1) }

  /// Field 2, `is_error`.
  public var isError: Bool { get { fields.varint(2) != 0 } set { fields.set(2, varint: newValue ? 1 : 0) } }
  public var hasIsError: Bool { fields.has(2) }

  /// Field 3, `num_samples`.
  public var numSamples: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasNumSamples: Bool { fields.has(3) }
}

/// FaultlogGetRequest of the schema.
public struct WireFaultlogGetRequest: WireMessage {
  public static var schema: Schema { Schema(table, at: 797) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `start_record_index`.
  public var startRecordIndex: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasStartRecordIndex: Bool { fields.has(1) }

  /// Field 2, `records_count`.
  public var recordsCount: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasRecordsCount: Bool { fields.has(2) }

  /// Field 3, `get_faults`.
  public var getFaults: Bool { get { fields.varint(3) != 0 } set { fields.set(3, varint: newValue ? 1 : 0) } }
  public var hasGetFaults: Bool { fields.has(3) }

  /// Field 4, `get_errors`.
  public var getErrors: Bool { get { fields.varint(4) != 0 } set { fields.set(4, varint: newValue ? 1 : 0) } }
  public var hasGetErrors: Bool { fields.has(4) }

  /// Field 5, `get_resets`.
  public var getResets: Bool { get { fields.varint(5) != 0 } set { fields.set(5, varint: newValue ? 1 : 0) } }
  public var hasGetResets: Bool { fields.has(5) }

  /// Field 6, `get_app_err_faults`.
  public var getAppErrFaults: Bool { get { fields.varint(6) != 0 } set { fields.set(6, varint: newValue ? 1 : 0) } }
  public var hasGetAppErrFaults: Bool { fields.has(6) }
}

/// AppErrFaultRecord of the schema.
public struct WireAppErrFaultRecord: WireMessage {
  public static var schema: Schema { Schema(table, at: 810) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `record_id`.
  public var recordID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasRecordID: Bool { fields.has(1) }

  /// Field 2, `id`.
  public var id: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasID: Bool { fields.has(2) }

  /// Field 3, `info`.
  public var info: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasInfo: Bool { fields.has(3) }

  /// Field 4, `pc_error`.
  public var pcError: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPcError: Bool { fields.has(4) }

  /// Field 5, `stack_trace`.
  public var stackTrace: [UInt32] { get { fields.varints(5) } set { fields.set(5, varints: newValue) } }
}

/// FaultRecord of the schema.
public struct WireFaultRecord: WireMessage {
  public static var schema: Schema { Schema(table, at: 821) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `record_id`.
  public var recordID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasRecordID: Bool { fields.has(1) }

  /// Field 2, `parameter`.
  public var parameter: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasParameter: Bool { fields.has(2) }

  /// Field 3, `pc_register`.
  public var pcRegister: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(3)) } set { fields.set(3, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPcRegister: Bool { fields.has(3) }

  /// Field 4, `lr_register`.
  public var lrRegister: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasLrRegister: Bool { fields.has(4) }

  /// Field 5, `stack_trace`.
  public var stackTrace: [UInt32] { get { fields.varints(5) } set { fields.set(5, varints: newValue) } }
}

/// ErrorRecord of the schema.
public struct WireErrorRecord: WireMessage {
  public static var schema: Schema { Schema(table, at: 832) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `record_id`.
  public var recordID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasRecordID: Bool { fields.has(1) }

  /// Field 2, `parameter`.
  public var parameter: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasParameter: Bool { fields.has(2) }

  /// Field 3, `function_name`.
  public var functionName: String { get { fields.string(3) } set { fields.set(3, string: newValue) } }
  public var hasFunctionName: Bool { fields.has(3) }

  /// Field 4, `line_number`.
  public var lineNumber: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(4)) } set { fields.set(4, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasLineNumber: Bool { fields.has(4) }

  /// Field 5, `pc_register`.
  public var pcRegister: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(5)) } set { fields.set(5, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasPcRegister: Bool { fields.has(5) }

  /// Field 6, `lr_register`.
  public var lrRegister: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(6)) } set { fields.set(6, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasLrRegister: Bool { fields.has(6) }
}

/// ResetReasonRecord of the schema.
public struct WireResetReasonRecord: WireMessage {
  public static var schema: Schema { Schema(table, at: 845) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `record_id`.
  public var recordID: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasRecordID: Bool { fields.has(1) }

  /// Field 2, `reset_reason`.
  public var resetReason: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(2)) } set { fields.set(2, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasResetReason: Bool { fields.has(2) }
}

/// FaultlogGetResponse of the schema.
public struct WireFaultlogGetResponse: WireMessage {
  public static var schema: Schema { Schema(table, at: 850) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `last_record_index`.
  public var lastRecordIndex: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasLastRecordIndex: Bool { fields.has(1) }

  /// Field 2, `reset_reason_records`.
  public var resetReasonRecords: [WireResetReasonRecord] { get { fields.messages(2).map(WireResetReasonRecord.init(fields:)) } set { fields.set(2, messages: newValue.map(\.fields)) } }

  /// Field 3, `apperrfault_records`.
  public var apperrfaultRecords: [WireAppErrFaultRecord] { get { fields.messages(3).map(WireAppErrFaultRecord.init(fields:)) } set { fields.set(3, messages: newValue.map(\.fields)) } }

  /// Field 4, `fault_records`.
  public var faultRecords: [WireFaultRecord] { get { fields.messages(4).map(WireFaultRecord.init(fields:)) } set { fields.set(4, messages: newValue.map(\.fields)) } }

  /// Field 5, `error_records`.
  public var errorRecords: [WireErrorRecord] { get { fields.messages(5).map(WireErrorRecord.init(fields:)) } set { fields.set(5, messages: newValue.map(\.fields)) } }
}

/// GenericBlobMessagePayload of the schema.
public struct WireGenericBlobMessagePayload: WireMessage {
  public static var schema: Schema { Schema(table, at: 861) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `msg_type`: required; GenericBlobMsgType
  public var msgType: UInt32 { get { UInt32(truncatingIfNeeded: fields.varint(1)) } set { fields.set(1, varint: UInt64(truncatingIfNeeded: newValue)) } }
  public var hasMsgType: Bool { fields.has(1) }

  /// Field 2, `block`: required
  public var block: [UInt8] { get { fields.bytes(2) } set { fields.set(2, bytes: newValue) } }
  public var hasBlock: Bool { fields.has(2) }
}

/// GenericEncryptedNotification of the schema.
public struct WireGenericEncryptedNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 866) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `block_vector`: required
  public var blockVector: [UInt8] { get { fields.bytes(1) } set { fields.set(1, bytes: newValue) } }
  public var hasBlockVector: Bool { fields.has(1) }

  /// Field 2, `encrypted_block`: required
  public var encryptedBlock: [UInt8] { get { fields.bytes(2) } set { fields.set(2, bytes: newValue) } }
  public var hasEncryptedBlock: Bool { fields.has(2) }
}

/// GenericPlainNotification of the schema.
public struct WireGenericPlainNotification: WireMessage {
  public static var schema: Schema { Schema(table, at: 871) }
  public var fields: Fields
  public init(fields: Fields) { self.fields = fields }

  /// Field 1, `plain_block`: required
  public var plainBlock: [UInt8] { get { fields.bytes(1) } set { fields.set(1, bytes: newValue) } }
  public var hasPlainBlock: Bool { fields.has(1) }
}

/// The table that `Schema` describes; one message or sparse enum per line.
private let table: [UInt32] = [
  34, 256, 0, 512, 0, 768, 0, 1024, 0, 25355, 149, 25867, 261, 26379, 152, 30219, 198, 30987, 290, 31243, 440, 31499, 447, 31755, 457, 32011, 305, 32267, 310, 32523, 797, 51211, 542, 51467, 558, 51723, 569, 51979, 579, 230923, 368, 231947, 235, 232203, 349, 256267, 710, 256523, 716, 256779, 724, 257035, 728, 257291, 747, 257803, 765, 258059, 779, 281611, 521, 281867, 528, 307211, 649, 307467, 657, 307979, 663,  // Request
  23, 256, 0, 512, 0, 768, 0, 25611, 246, 25867, 268, 26379, 155, 30987, 295, 31499, 454, 32523, 850, 51211, 547, 51723, 574, 230923, 369, 231947, 244, 232203, 354, 256267, 713, 256523, 719, 256779, 725, 257035, 735, 257291, 762, 257803, 776, 258059, 780, 281867, 535, 307723, 660,  // Response
  16, 256, 0, 512, 0, 768, 0, 26123, 271, 27915, 274, 29963, 283, 30219, 221, 30987, 300, 52235, 588, 102667, 866, 102923, 871, 234507, 245, 234763, 361, 257035, 738, 258315, 783, 307211, 652,  // Notification
  1, 256, 0,  // SupportedRequest
  1, 256, 0,  // DeviceInfoRequest
  15, 265, 0, 521, 0, 768, 0, 1033, 0, 1280, 0, 1536, 0, 1792, 0, 2048, 0, 2304, 0, 2560, 0, 2816, 0, 3072, 0, 3337, 0, 3593, 0, 3849, 0,  // DeviceInfoResponse
  3, 256, 0, 512, 0, 768, 0,  // Color
  2, 267, 186, 512, 0,  // LedPatternFrames
  11, 256, 0, 517, 8, 781, 193, 1024, 0, 1280, 0, 1536, 0, 1792, 0, 2053, 2, 2308, 0, 2564, 0, 2816, 0,  // LedPatternRequest
  1, 256, 0,  // LedPatternNotification
  5, 256, 0, 512, 0, 773, 8, 1024, 0, 1280, 0,  // HapticSymbol
  4, 267, 224, 512, 0, 768, 0, 1024, 0,  // HapticRequest
  0,  // HapticResponse
  0,  // HapticNotification
  7, 256, 0, 512, 0, 777, 0, 1033, 0, 1290, 0, 1536, 0, 1792, 0,  // HelloResponse
  3, 256, 0, 522, 0, 778, 0,  // BeginRequest
  1, 266, 0,  // BeginResponse
  1, 260, 0,  // DisconnectNotification
  4, 260, 0, 512, 0, 768, 0, 1024, 0,  // AttachedNotification
  3, 256, 0, 512, 0, 768, 0,  // ErrorNotification
  2, 260, 0, 516, 0,  // BatteryStatusRequest
  2, 256, 0, 512, 0,  // BatteryStatusResponse
  2, 256, 0, 512, 0,  // BatteryStatusNotification
  2, 256, 0, 516, 0,  // BleDisconnectRequest
  2, 260, 0, 516, 0,  // DeviceRebootRequest
  1, 256, 0,  // InferenceData
  8, 256, 0, 522, 0, 768, 0, 1024, 0, 1280, 0, 1546, 0, 1802, 0, 2058, 0,  // TouchData
  3, 256, 0, 512, 0, 768, 0,  // TouchWidgetConfig
  3, 269, 335, 522, 0, 768, 0,  // TouchConfigData
  2, 261, 4, 517, 4,  // DataChannelRequest
  3, 256, 0, 512, 0, 779, 342,  // DataChannelResponse
  3, 267, 315, 523, 318, 768, 0,  // DataChannelNotification
  0,  // HWGearRequest
  1, 267, 404,  // HWGearResponse
  3, 256, 0, 512, 0, 768, 0,  // HapticNotificationDetails
  3, 256, 0, 523, 372, 779, 372,  // VibeMotorChar
  5, 256, 0, 512, 0, 768, 0, 1024, 0, 1280, 0,  // CapacitiveTouchpadChar
  3, 256, 0, 512, 0, 768, 0,  // LedsArrayChar
  8, 256, 0, 1035, 379, 1291, 379, 1547, 386, 1803, 386, 2059, 397, 2315, 397, 2560, 0,  // GearChar
  9, 265, 0, 516, 0, 768, 0, 1026, 0, 1281, 0, 1539, 0, 1799, 0, 2056, 0, 2313, 0,  // ConfigElement
  3, 256, 0, 512, 0, 779, 421,  // ConfigSetRequest
  3, 256, 0, 512, 0, 777, 0,  // ConfigGetRequest
  1, 267, 421,  // ConfigGetResponse
  3, 256, 0, 512, 0, 768, 0,  // ConfigGetIndexRequest
  9, 256, 0, 516, 0, 768, 0, 1024, 0, 1280, 0, 1540, 0, 1792, 0, 2048, 0, 2304, 0,  // ImuConfiguration
  12, 266, 0, 513, 0, 769, 0, 1031, 0, 1280, 0, 1543, 0, 1792, 0, 2048, 0, 2304, 0, 2560, 0, 2823, 0, 3072, 0,  // BleConfiguration
  6, 260, 0, 512, 0, 768, 0, 1024, 0, 1280, 0, 1536, 0,  // WomConfiguration
  3, 260, 0, 516, 0, 772, 0,  // UJTConfigReadRequest
  3, 267, 464, 523, 483, 779, 508,  // UJTConfigWriteRequest
  3, 267, 464, 523, 483, 779, 508,  // UJTConfigResponse
  2, 256, 0, 512, 0,  // DFUStatusRequest
  5, 256, 0, 512, 0, 768, 0, 1024, 0, 1280, 0,  // DFUStatusResponse
  5, 256, 0, 512, 0, 768, 0, 1024, 0, 1280, 0,  // DFUPrepareRequest
  2, 256, 0, 522, 0,  // DFUWriteRequest
  2, 256, 0, 512, 0,  // DFUWriteResponse
  4, 256, 0, 512, 0, 773, 3, 1028, 0,  // DFUExecuteRequest
  6, 256, 0, 512, 0, 768, 0, 1024, 0, 1280, 0, 1536, 0,  // DFUExecuteUpdateNotification
  12, 256, 0, 512, 0, 768, 0, 1024, 0, 1280, 0, 1536, 0, 1792, 0, 2048, 0, 2304, 0, 2572, 0, 2828, 0, 3076, 0,  // OtaDfuMetadata
  11, 265, 0, 512, 0, 768, 0, 1024, 0, 1280, 0, 1536, 0, 1792, 0, 2052, 0, 2304, 0, 2569, 0, 2816, 0,  // ModuleDescriptor
  1, 267, 626,  // LoadModuleRequest
  2, 256, 0, 523, 626,  // LoadModuleNotification
  1, 267, 626,  // UnloadModuleRequest
  1, 269, 626,  // ListModuleResponse
  1, 267, 626,  // DeleteModuleRequest
  9, 265, 0, 521, 0, 777, 0, 1033, 0, 1280, 0, 1536, 0, 1804, 0, 2058, 0, 2313, 0,  // DataCollectionMetadata
  4, 256, 0, 512, 0, 768, 0, 1024, 0,  // DataCollectionTrialSensorData
  2, 265, 0, 525, 685,  // DataCollectionTrialData
  5, 265, 0, 525, 694, 777, 0, 1033, 0, 1289, 0,  // DataCollectionTrialList
  1, 267, 666,  // DataCollectionStartRequest
  1, 256, 0,  // DataCollectionStartResponse
  1, 260, 0,  // DataCollectionStopRequest
  2, 256, 0, 512, 0,  // DataCollectionStopResponse
  0,  // DataCollectionStatusRequest
  1, 256, 0,  // DataCollectionStatusResponse
  3, 265, 0, 521, 0, 777, 0,  // DataCollectionTrialListRequest
  1, 256, 0,  // DataCollectionTrialListResponse
  4, 269, 699, 523, 699, 768, 0, 1024, 0,  // DataCollectionTrialListNotification
  7, 265, 0, 521, 0, 777, 0, 1033, 0, 1280, 0, 1536, 0, 1801, 0,  // DataCollectionTrialDataRequest
  1, 1024, 0,  // DataCollectionTrialDataResponse
  5, 265, 0, 521, 0, 777, 0, 1033, 0, 1289, 0,  // DataCollectionEraseTrialDataRequest
  1, 256, 0,  // DataCollectionEraseTrialDataResponse
  0,  // DataCollectionEraseAllDataRequest
  1, 256, 0,  // DataCollectionEraseAllDataResponse
  3, 256, 0, 512, 0, 768, 0,  // DataCollectionProgressNotification
  3, 256, 0, 516, 0, 768, 0,  // DataCollectionActionHeader
  6, 256, 0, 512, 0, 772, 0, 1028, 0, 1284, 0, 1540, 0,  // FaultlogGetRequest
  5, 256, 0, 512, 0, 768, 0, 1024, 0, 1292, 0,  // AppErrFaultRecord
  5, 256, 0, 512, 0, 768, 0, 1024, 0, 1292, 0,  // FaultRecord
  6, 256, 0, 512, 0, 777, 0, 1024, 0, 1280, 0, 1536, 0,  // ErrorRecord
  2, 256, 0, 512, 0,  // ResetReasonRecord
  5, 256, 0, 525, 845, 781, 810, 1037, 821, 1293, 832,  // FaultlogGetResponse
  2, 256, 0, 522, 0,  // GenericBlobMessagePayload
  2, 266, 0, 522, 0,  // GenericEncryptedNotification
  1, 266, 0,  // GenericPlainNotification
]
