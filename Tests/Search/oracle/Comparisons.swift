// swift-format-ignore-file
// Generated from jacquard.proto by Sources/WireFormat/generator; do not edit.

import JacquardWire

extension JacquardWire.WireRequest: Compared {
  func compare(_ other: WireRequest, _ properties: inout Properties) {
    properties.compare("domain", domain, other.domain, hasDomain, other.hasDomain)
    properties.compare("opcode", opcode, other.opcode, hasOpcode, other.hasOpcode)
    properties.compare("id", id, other.id, hasID, other.hasID)
    properties.compare("component_id", componentID, other.componentID, hasComponentID, other.hasComponentID)
    properties.compare("supported", supported, other.supported, hasSupported, other.hasSupported)
    properties.compare("begin", begin, other.begin, hasBegin, other.hasBegin)
    properties.compare("device_info", deviceInfo, other.deviceInfo, hasDeviceInfo, other.hasDeviceInfo)
    properties.compare("led_pattern_request", ledPatternRequest, other.ledPatternRequest, hasLedPatternRequest, other.hasLedPatternRequest)
    properties.compare("battery_status_request", batteryStatusRequest, other.batteryStatusRequest, hasBatteryStatusRequest, other.hasBatteryStatusRequest)
    properties.compare("config_set_request", configSetRequest, other.configSetRequest, hasConfigSetRequest, other.hasConfigSetRequest)
    properties.compare("config_get_request", configGetRequest, other.configGetRequest, hasConfigGetRequest, other.hasConfigGetRequest)
    properties.compare("config_get_index", configGetIndex, other.configGetIndex, hasConfigGetIndex, other.hasConfigGetIndex)
    properties.compare("ble_disconnect_request", bleDisconnectRequest, other.bleDisconnectRequest, hasBleDisconnectRequest, other.hasBleDisconnectRequest)
    properties.compare("device_reboot_request", deviceRebootRequest, other.deviceRebootRequest, hasDeviceRebootRequest, other.hasDeviceRebootRequest)
    properties.compare("fault_log_get_request", faultLogGetRequest, other.faultLogGetRequest, hasFaultLogGetRequest, other.hasFaultLogGetRequest)
    properties.compare("dfu_status", dfuStatus, other.dfuStatus, hasDfuStatus, other.hasDfuStatus)
    properties.compare("dfu_prepare", dfuPrepare, other.dfuPrepare, hasDfuPrepare, other.hasDfuPrepare)
    properties.compare("dfu_write", dfuWrite, other.dfuWrite, hasDfuWrite, other.hasDfuWrite)
    properties.compare("dfu_execute", dfuExecute, other.dfuExecute, hasDfuExecute, other.hasDfuExecute)
    properties.compare("hw_gear_char", hwGearChar, other.hwGearChar, hasHwGearChar, other.hasHwGearChar)
    properties.compare("haptic", haptic, other.haptic, hasHaptic, other.hasHaptic)
    properties.compare("data", data, other.data, hasData, other.hasData)
    properties.compare("start", start, other.start, hasStart, other.hasStart)
    properties.compare("stop", stop, other.stop, hasStop, other.hasStop)
    properties.compare("status", status, other.status, hasStatus, other.hasStatus)
    properties.compare("trial_list", trialList, other.trialList, hasTrialList, other.hasTrialList)
    properties.compare("trial_data", trialData, other.trialData, hasTrialData, other.hasTrialData)
    properties.compare("erase_trial_data", eraseTrialData, other.eraseTrialData, hasEraseTrialData, other.hasEraseTrialData)
    properties.compare("erase_all_data", eraseAllData, other.eraseAllData, hasEraseAllData, other.hasEraseAllData)
    properties.compare("config_read", configRead, other.configRead, hasConfigRead, other.hasConfigRead)
    properties.compare("config_write", configWrite, other.configWrite, hasConfigWrite, other.hasConfigWrite)
    properties.compare("load_module", loadModule, other.loadModule, hasLoadModule, other.hasLoadModule)
    properties.compare("unload_module", unloadModule, other.unloadModule, hasUnloadModule, other.hasUnloadModule)
    properties.compare("delete_module", deleteModule, other.deleteModule, hasDeleteModule, other.hasDeleteModule)
  }

  func copied() -> Self {
    var copy = Self()
    copy.domain = domain
    if !hasDomain { copy.clearDomain() }
    copy.opcode = opcode
    if !hasOpcode { copy.clearOpcode() }
    copy.id = id
    if !hasID { copy.clearID() }
    copy.componentID = componentID
    if !hasComponentID { copy.clearComponentID() }
    copy.supported = supported
    if !hasSupported { copy.clearSupported() }
    copy.begin = begin
    if !hasBegin { copy.clearBegin() }
    copy.deviceInfo = deviceInfo
    if !hasDeviceInfo { copy.clearDeviceInfo() }
    copy.ledPatternRequest = ledPatternRequest
    if !hasLedPatternRequest { copy.clearLedPatternRequest() }
    copy.batteryStatusRequest = batteryStatusRequest
    if !hasBatteryStatusRequest { copy.clearBatteryStatusRequest() }
    copy.configSetRequest = configSetRequest
    if !hasConfigSetRequest { copy.clearConfigSetRequest() }
    copy.configGetRequest = configGetRequest
    if !hasConfigGetRequest { copy.clearConfigGetRequest() }
    copy.configGetIndex = configGetIndex
    if !hasConfigGetIndex { copy.clearConfigGetIndex() }
    copy.bleDisconnectRequest = bleDisconnectRequest
    if !hasBleDisconnectRequest { copy.clearBleDisconnectRequest() }
    copy.deviceRebootRequest = deviceRebootRequest
    if !hasDeviceRebootRequest { copy.clearDeviceRebootRequest() }
    copy.faultLogGetRequest = faultLogGetRequest
    if !hasFaultLogGetRequest { copy.clearFaultLogGetRequest() }
    copy.dfuStatus = dfuStatus
    if !hasDfuStatus { copy.clearDfuStatus() }
    copy.dfuPrepare = dfuPrepare
    if !hasDfuPrepare { copy.clearDfuPrepare() }
    copy.dfuWrite = dfuWrite
    if !hasDfuWrite { copy.clearDfuWrite() }
    copy.dfuExecute = dfuExecute
    if !hasDfuExecute { copy.clearDfuExecute() }
    copy.hwGearChar = hwGearChar
    if !hasHwGearChar { copy.clearHwGearChar() }
    copy.haptic = haptic
    if !hasHaptic { copy.clearHaptic() }
    copy.data = data
    if !hasData { copy.clearData() }
    copy.start = start
    if !hasStart { copy.clearStart() }
    copy.stop = stop
    if !hasStop { copy.clearStop() }
    copy.status = status
    if !hasStatus { copy.clearStatus() }
    copy.trialList = trialList
    if !hasTrialList { copy.clearTrialList() }
    copy.trialData = trialData
    if !hasTrialData { copy.clearTrialData() }
    copy.eraseTrialData = eraseTrialData
    if !hasEraseTrialData { copy.clearEraseTrialData() }
    copy.eraseAllData = eraseAllData
    if !hasEraseAllData { copy.clearEraseAllData() }
    copy.configRead = configRead
    if !hasConfigRead { copy.clearConfigRead() }
    copy.configWrite = configWrite
    if !hasConfigWrite { copy.clearConfigWrite() }
    copy.loadModule = loadModule
    if !hasLoadModule { copy.clearLoadModule() }
    copy.unloadModule = unloadModule
    if !hasUnloadModule { copy.clearUnloadModule() }
    copy.deleteModule = deleteModule
    if !hasDeleteModule { copy.clearDeleteModule() }
    return copy
  }
}

extension JacquardWire.WireResponse: Compared {
  func compare(_ other: WireResponse, _ properties: inout Properties) {
    properties.compare("id", id, other.id, hasID, other.hasID)
    properties.compare("status", status, other.status, hasStatus, other.hasStatus)
    properties.compare("component_id", componentID, other.componentID, hasComponentID, other.hasComponentID)
    properties.compare("hello", hello, other.hello, hasHello, other.hasHello)
    properties.compare("begin", begin, other.begin, hasBegin, other.hasBegin)
    properties.compare("device_info", deviceInfo, other.deviceInfo, hasDeviceInfo, other.hasDeviceInfo)
    properties.compare("battery_status_response", batteryStatusResponse, other.batteryStatusResponse, hasBatteryStatusResponse, other.hasBatteryStatusResponse)
    properties.compare("config_get_response", configGetResponse, other.configGetResponse, hasConfigGetResponse, other.hasConfigGetResponse)
    properties.compare("fault_log_get_response", faultLogGetResponse, other.faultLogGetResponse, hasFaultLogGetResponse, other.hasFaultLogGetResponse)
    properties.compare("dfu_status", dfuStatus, other.dfuStatus, hasDfuStatus, other.hasDfuStatus)
    properties.compare("dfu_write", dfuWrite, other.dfuWrite, hasDfuWrite, other.hasDfuWrite)
    properties.compare("hw_gear_char", hwGearChar, other.hwGearChar, hasHwGearChar, other.hasHwGearChar)
    properties.compare("haptic", haptic, other.haptic, hasHaptic, other.hasHaptic)
    properties.compare("data", data, other.data, hasData, other.hasData)
    properties.compare("start", start, other.start, hasStart, other.hasStart)
    properties.compare("stop", stop, other.stop, hasStop, other.hasStop)
    properties.compare("dc_status_response", dcStatusResponse, other.dcStatusResponse, hasDcStatusResponse, other.hasDcStatusResponse)
    properties.compare("trial_list", trialList, other.trialList, hasTrialList, other.hasTrialList)
    properties.compare("trial_data", trialData, other.trialData, hasTrialData, other.hasTrialData)
    properties.compare("erase_trial_data", eraseTrialData, other.eraseTrialData, hasEraseTrialData, other.hasEraseTrialData)
    properties.compare("erase_all_data", eraseAllData, other.eraseAllData, hasEraseAllData, other.hasEraseAllData)
    properties.compare("config_response", configResponse, other.configResponse, hasConfigResponse, other.hasConfigResponse)
    properties.compare("list_modules", listModules, other.listModules, hasListModules, other.hasListModules)
  }

  func copied() -> Self {
    var copy = Self()
    copy.id = id
    if !hasID { copy.clearID() }
    copy.status = status
    if !hasStatus { copy.clearStatus() }
    copy.componentID = componentID
    if !hasComponentID { copy.clearComponentID() }
    copy.hello = hello
    if !hasHello { copy.clearHello() }
    copy.begin = begin
    if !hasBegin { copy.clearBegin() }
    copy.deviceInfo = deviceInfo
    if !hasDeviceInfo { copy.clearDeviceInfo() }
    copy.batteryStatusResponse = batteryStatusResponse
    if !hasBatteryStatusResponse { copy.clearBatteryStatusResponse() }
    copy.configGetResponse = configGetResponse
    if !hasConfigGetResponse { copy.clearConfigGetResponse() }
    copy.faultLogGetResponse = faultLogGetResponse
    if !hasFaultLogGetResponse { copy.clearFaultLogGetResponse() }
    copy.dfuStatus = dfuStatus
    if !hasDfuStatus { copy.clearDfuStatus() }
    copy.dfuWrite = dfuWrite
    if !hasDfuWrite { copy.clearDfuWrite() }
    copy.hwGearChar = hwGearChar
    if !hasHwGearChar { copy.clearHwGearChar() }
    copy.haptic = haptic
    if !hasHaptic { copy.clearHaptic() }
    copy.data = data
    if !hasData { copy.clearData() }
    copy.start = start
    if !hasStart { copy.clearStart() }
    copy.stop = stop
    if !hasStop { copy.clearStop() }
    copy.dcStatusResponse = dcStatusResponse
    if !hasDcStatusResponse { copy.clearDcStatusResponse() }
    copy.trialList = trialList
    if !hasTrialList { copy.clearTrialList() }
    copy.trialData = trialData
    if !hasTrialData { copy.clearTrialData() }
    copy.eraseTrialData = eraseTrialData
    if !hasEraseTrialData { copy.clearEraseTrialData() }
    copy.eraseAllData = eraseAllData
    if !hasEraseAllData { copy.clearEraseAllData() }
    copy.configResponse = configResponse
    if !hasConfigResponse { copy.clearConfigResponse() }
    copy.listModules = listModules
    if !hasListModules { copy.clearListModules() }
    return copy
  }
}

extension JacquardWire.WireNotification: Compared {
  func compare(_ other: WireNotification, _ properties: inout Properties) {
    properties.compare("domain", domain, other.domain, hasDomain, other.hasDomain)
    properties.compare("opcode", opcode, other.opcode, hasOpcode, other.hasOpcode)
    properties.compare("component_id", componentID, other.componentID, hasComponentID, other.hasComponentID)
    properties.compare("disconnect_notification", disconnectNotification, other.disconnectNotification, hasDisconnectNotification, other.hasDisconnectNotification)
    properties.compare("attached", attached, other.attached, hasAttached, other.hasAttached)
    properties.compare("error_notification", errorNotification, other.errorNotification, hasErrorNotification, other.hasErrorNotification)
    properties.compare("led_pattern_notif", ledPatternNotif, other.ledPatternNotif, hasLedPatternNotif, other.hasLedPatternNotif)
    properties.compare("battery_status_notification", batteryStatusNotification, other.batteryStatusNotification, hasBatteryStatusNotification, other.hasBatteryStatusNotification)
    properties.compare("dfu_execute_update_notif", dfuExecuteUpdateNotif, other.dfuExecuteUpdateNotif, hasDfuExecuteUpdateNotif, other.hasDfuExecuteUpdateNotif)
    properties.compare("generic_encrypted_notice", genericEncryptedNotice, other.genericEncryptedNotice, hasGenericEncryptedNotice, other.hasGenericEncryptedNotice)
    properties.compare("generic_plain_notice", genericPlainNotice, other.genericPlainNotice, hasGenericPlainNotice, other.hasGenericPlainNotice)
    properties.compare("haptic", haptic, other.haptic, hasHaptic, other.hasHaptic)
    properties.compare("data", data, other.data, hasData, other.hasData)
    properties.compare("trial_list", trialList, other.trialList, hasTrialList, other.hasTrialList)
    properties.compare("progress", progress, other.progress, hasProgress, other.hasProgress)
    properties.compare("load_module_notif", loadModuleNotif, other.loadModuleNotif, hasLoadModuleNotif, other.hasLoadModuleNotif)
  }

  func copied() -> Self {
    var copy = Self()
    copy.domain = domain
    if !hasDomain { copy.clearDomain() }
    copy.opcode = opcode
    if !hasOpcode { copy.clearOpcode() }
    copy.componentID = componentID
    if !hasComponentID { copy.clearComponentID() }
    copy.disconnectNotification = disconnectNotification
    if !hasDisconnectNotification { copy.clearDisconnectNotification() }
    copy.attached = attached
    if !hasAttached { copy.clearAttached() }
    copy.errorNotification = errorNotification
    if !hasErrorNotification { copy.clearErrorNotification() }
    copy.ledPatternNotif = ledPatternNotif
    if !hasLedPatternNotif { copy.clearLedPatternNotif() }
    copy.batteryStatusNotification = batteryStatusNotification
    if !hasBatteryStatusNotification { copy.clearBatteryStatusNotification() }
    copy.dfuExecuteUpdateNotif = dfuExecuteUpdateNotif
    if !hasDfuExecuteUpdateNotif { copy.clearDfuExecuteUpdateNotif() }
    copy.genericEncryptedNotice = genericEncryptedNotice
    if !hasGenericEncryptedNotice { copy.clearGenericEncryptedNotice() }
    copy.genericPlainNotice = genericPlainNotice
    if !hasGenericPlainNotice { copy.clearGenericPlainNotice() }
    copy.haptic = haptic
    if !hasHaptic { copy.clearHaptic() }
    copy.data = data
    if !hasData { copy.clearData() }
    copy.trialList = trialList
    if !hasTrialList { copy.clearTrialList() }
    copy.progress = progress
    if !hasProgress { copy.clearProgress() }
    copy.loadModuleNotif = loadModuleNotif
    if !hasLoadModuleNotif { copy.clearLoadModuleNotif() }
    return copy
  }
}

extension JacquardWire.WireSupportedRequest: Compared {
  func compare(_ other: WireSupportedRequest, _ properties: inout Properties) {
    properties.compare("opcode", opcode, other.opcode, hasOpcode, other.hasOpcode)
  }

  func copied() -> Self {
    var copy = Self()
    copy.opcode = opcode
    if !hasOpcode { copy.clearOpcode() }
    return copy
  }
}

extension JacquardWire.WireDeviceInfoRequest: Compared {
  func compare(_ other: WireDeviceInfoRequest, _ properties: inout Properties) {
    properties.compare("component", component, other.component, hasComponent, other.hasComponent)
  }

  func copied() -> Self {
    var copy = Self()
    copy.component = component
    if !hasComponent { copy.clearComponent() }
    return copy
  }
}

extension JacquardWire.WireDeviceInfoResponse: Compared {
  func compare(_ other: WireDeviceInfoResponse, _ properties: inout Properties) {
    properties.compare("vendor", vendor, other.vendor, hasVendor, other.hasVendor)
    properties.compare("model", model, other.model, hasModel, other.hasModel)
    properties.compare("revision", revision, other.revision, hasRevision, other.hasRevision)
    properties.compare("uuid", uuid, other.uuid, hasUuid, other.hasUuid)
    properties.compare("firmware_major", firmwareMajor, other.firmwareMajor, hasFirmwareMajor, other.hasFirmwareMajor)
    properties.compare("firmware_minor", firmwareMinor, other.firmwareMinor, hasFirmwareMinor, other.hasFirmwareMinor)
    properties.compare("firmware_point", firmwarePoint, other.firmwarePoint, hasFirmwarePoint, other.hasFirmwarePoint)
    properties.compare("bootloader_major", bootloaderMajor, other.bootloaderMajor, hasBootloaderMajor, other.hasBootloaderMajor)
    properties.compare("bootloader_minor", bootloaderMinor, other.bootloaderMinor, hasBootloaderMinor, other.hasBootloaderMinor)
    properties.compare("bootloader_point", bootloaderPoint, other.bootloaderPoint, hasBootloaderPoint, other.hasBootloaderPoint)
    properties.compare("vendor_id", vendorID, other.vendorID, hasVendorID, other.hasVendorID)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
    properties.compare("gear_id", gearID, other.gearID, hasGearID, other.hasGearID)
    properties.compare("sku_id", skuID, other.skuID, hasSkuID, other.hasSkuID)
    properties.compare("ml_version", mlVersion, other.mlVersion, hasMlVersion, other.hasMlVersion)
  }

  func copied() -> Self {
    var copy = Self()
    copy.vendor = vendor
    if !hasVendor { copy.clearVendor() }
    copy.model = model
    if !hasModel { copy.clearModel() }
    copy.revision = revision
    if !hasRevision { copy.clearRevision() }
    copy.uuid = uuid
    if !hasUuid { copy.clearUuid() }
    copy.firmwareMajor = firmwareMajor
    if !hasFirmwareMajor { copy.clearFirmwareMajor() }
    copy.firmwareMinor = firmwareMinor
    if !hasFirmwareMinor { copy.clearFirmwareMinor() }
    copy.firmwarePoint = firmwarePoint
    if !hasFirmwarePoint { copy.clearFirmwarePoint() }
    copy.bootloaderMajor = bootloaderMajor
    if !hasBootloaderMajor { copy.clearBootloaderMajor() }
    copy.bootloaderMinor = bootloaderMinor
    if !hasBootloaderMinor { copy.clearBootloaderMinor() }
    copy.bootloaderPoint = bootloaderPoint
    if !hasBootloaderPoint { copy.clearBootloaderPoint() }
    copy.vendorID = vendorID
    if !hasVendorID { copy.clearVendorID() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    copy.gearID = gearID
    if !hasGearID { copy.clearGearID() }
    copy.skuID = skuID
    if !hasSkuID { copy.clearSkuID() }
    copy.mlVersion = mlVersion
    if !hasMlVersion { copy.clearMlVersion() }
    return copy
  }
}

extension JacquardWire.WireColor: Compared {
  func compare(_ other: WireColor, _ properties: inout Properties) {
    properties.compare("red", red, other.red, hasRed, other.hasRed)
    properties.compare("green", green, other.green, hasGreen, other.hasGreen)
    properties.compare("blue", blue, other.blue, hasBlue, other.hasBlue)
  }

  func copied() -> Self {
    var copy = Self()
    copy.red = red
    if !hasRed { copy.clearRed() }
    copy.green = green
    if !hasGreen { copy.clearGreen() }
    copy.blue = blue
    if !hasBlue { copy.clearBlue() }
    return copy
  }
}

extension JacquardWire.WireLedPatternFrames: Compared {
  func compare(_ other: WireLedPatternFrames, _ properties: inout Properties) {
    properties.compare("color", color, other.color, hasColor, other.hasColor)
    properties.compare("length_ms", lengthMs, other.lengthMs, hasLengthMs, other.hasLengthMs)
  }

  func copied() -> Self {
    var copy = Self()
    copy.color = color
    if !hasColor { copy.clearColor() }
    copy.lengthMs = lengthMs
    if !hasLengthMs { copy.clearLengthMs() }
    return copy
  }
}

extension JacquardWire.WireLedPatternRequest: Compared {
  func compare(_ other: WireLedPatternRequest, _ properties: inout Properties) {
    properties.compare("pattern_uid", patternUid, other.patternUid, hasPatternUid, other.hasPatternUid)
    properties.compare("pattern_type", patternType, other.patternType, hasPatternType, other.hasPatternType)
    properties.compare("frames", frames, other.frames)
    properties.compare("pause_between_cycles_ms", pauseBetweenCyclesMs, other.pauseBetweenCyclesMs, hasPauseBetweenCyclesMs, other.hasPauseBetweenCyclesMs)
    properties.compare("duration_ms", durationMs, other.durationMs, hasDurationMs, other.hasDurationMs)
    properties.compare("intensity_level", intensityLevel, other.intensityLevel, hasIntensityLevel, other.hasIntensityLevel)
    properties.compare("priority_level", priorityLevel, other.priorityLevel, hasPriorityLevel, other.hasPriorityLevel)
    properties.compare("play_pause_toggle", playPauseToggle, other.playPauseToggle, hasPlayPauseToggle, other.hasPlayPauseToggle)
    properties.compare("resumable", resumable, other.resumable, hasResumable, other.hasResumable)
    properties.compare("halt_all", haltAll, other.haltAll, hasHaltAll, other.hasHaltAll)
    properties.compare("number_of_cycles", numberOfCycles, other.numberOfCycles, hasNumberOfCycles, other.hasNumberOfCycles)
  }

  func copied() -> Self {
    var copy = Self()
    copy.patternUid = patternUid
    if !hasPatternUid { copy.clearPatternUid() }
    copy.patternType = patternType
    if !hasPatternType { copy.clearPatternType() }
    copy.frames = frames
    copy.pauseBetweenCyclesMs = pauseBetweenCyclesMs
    if !hasPauseBetweenCyclesMs { copy.clearPauseBetweenCyclesMs() }
    copy.durationMs = durationMs
    if !hasDurationMs { copy.clearDurationMs() }
    copy.intensityLevel = intensityLevel
    if !hasIntensityLevel { copy.clearIntensityLevel() }
    copy.priorityLevel = priorityLevel
    if !hasPriorityLevel { copy.clearPriorityLevel() }
    copy.playPauseToggle = playPauseToggle
    if !hasPlayPauseToggle { copy.clearPlayPauseToggle() }
    copy.resumable = resumable
    if !hasResumable { copy.clearResumable() }
    copy.haltAll = haltAll
    if !hasHaltAll { copy.clearHaltAll() }
    copy.numberOfCycles = numberOfCycles
    if !hasNumberOfCycles { copy.clearNumberOfCycles() }
    return copy
  }
}

extension JacquardWire.WireLedPatternNotification: Compared {
  func compare(_ other: WireLedPatternNotification, _ properties: inout Properties) {
    properties.compare("pattern_uid", patternUid, other.patternUid, hasPatternUid, other.hasPatternUid)
  }

  func copied() -> Self {
    var copy = Self()
    copy.patternUid = patternUid
    if !hasPatternUid { copy.clearPatternUid() }
    return copy
  }
}

extension JacquardWire.WireHapticSymbol: Compared {
  func compare(_ other: WireHapticSymbol, _ properties: inout Properties) {
    properties.compare("on_ms", onMs, other.onMs, hasOnMs, other.hasOnMs)
    properties.compare("off_ms", offMs, other.offMs, hasOffMs, other.hasOffMs)
    properties.compare("pattern", pattern, other.pattern, hasPattern, other.hasPattern)
    properties.compare("max_amplitude_percent", maxAmplitudePercent, other.maxAmplitudePercent, hasMaxAmplitudePercent, other.hasMaxAmplitudePercent)
    properties.compare("repeat_n_minus_one", repeatNMinusOne, other.repeatNMinusOne, hasRepeatNMinusOne, other.hasRepeatNMinusOne)
  }

  func copied() -> Self {
    var copy = Self()
    copy.onMs = onMs
    if !hasOnMs { copy.clearOnMs() }
    copy.offMs = offMs
    if !hasOffMs { copy.clearOffMs() }
    copy.pattern = pattern
    if !hasPattern { copy.clearPattern() }
    copy.maxAmplitudePercent = maxAmplitudePercent
    if !hasMaxAmplitudePercent { copy.clearMaxAmplitudePercent() }
    copy.repeatNMinusOne = repeatNMinusOne
    if !hasRepeatNMinusOne { copy.clearRepeatNMinusOne() }
    return copy
  }
}

extension JacquardWire.WireHapticRequest: Compared {
  func compare(_ other: WireHapticRequest, _ properties: inout Properties) {
    properties.compare("frames", frames, other.frames, hasFrames, other.hasFrames)
    properties.compare("pause_between_cycles_ms", pauseBetweenCyclesMs, other.pauseBetweenCyclesMs, hasPauseBetweenCyclesMs, other.hasPauseBetweenCyclesMs)
    properties.compare("repeat_full_pattern", repeatFullPattern, other.repeatFullPattern, hasRepeatFullPattern, other.hasRepeatFullPattern)
    properties.compare("intensity_level", intensityLevel, other.intensityLevel, hasIntensityLevel, other.hasIntensityLevel)
  }

  func copied() -> Self {
    var copy = Self()
    copy.frames = frames
    if !hasFrames { copy.clearFrames() }
    copy.pauseBetweenCyclesMs = pauseBetweenCyclesMs
    if !hasPauseBetweenCyclesMs { copy.clearPauseBetweenCyclesMs() }
    copy.repeatFullPattern = repeatFullPattern
    if !hasRepeatFullPattern { copy.clearRepeatFullPattern() }
    copy.intensityLevel = intensityLevel
    if !hasIntensityLevel { copy.clearIntensityLevel() }
    return copy
  }
}

extension JacquardWire.WireHapticResponse: Compared {
  func compare(_ other: WireHapticResponse, _ properties: inout Properties) {
  }

  func copied() -> Self { Self() }
}

extension JacquardWire.WireHapticNotification: Compared {
  func compare(_ other: WireHapticNotification, _ properties: inout Properties) {
  }

  func copied() -> Self { Self() }
}

extension JacquardWire.WireHelloResponse: Compared {
  func compare(_ other: WireHelloResponse, _ properties: inout Properties) {
    properties.compare("protocol_min", protocolMin, other.protocolMin, hasProtocolMin, other.hasProtocolMin)
    properties.compare("protocol_max", protocolMax, other.protocolMax, hasProtocolMax, other.hasProtocolMax)
    properties.compare("vendor", vendor, other.vendor, hasVendor, other.hasVendor)
    properties.compare("model", model, other.model, hasModel, other.hasModel)
    properties.compare("auth_challenge", authChallenge, other.authChallenge, hasAuthChallenge, other.hasAuthChallenge)
    properties.compare("vendor_id", vendorID, other.vendorID, hasVendorID, other.hasVendorID)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
  }

  func copied() -> Self {
    var copy = Self()
    copy.protocolMin = protocolMin
    if !hasProtocolMin { copy.clearProtocolMin() }
    copy.protocolMax = protocolMax
    if !hasProtocolMax { copy.clearProtocolMax() }
    copy.vendor = vendor
    if !hasVendor { copy.clearVendor() }
    copy.model = model
    if !hasModel { copy.clearModel() }
    copy.authChallenge = authChallenge
    if !hasAuthChallenge { copy.clearAuthChallenge() }
    copy.vendorID = vendorID
    if !hasVendorID { copy.clearVendorID() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    return copy
  }
}

extension JacquardWire.WireBeginRequest: Compared {
  func compare(_ other: WireBeginRequest, _ properties: inout Properties) {
    properties.compare("protocol", `protocol`, other.`protocol`, hasProtocol, other.hasProtocol)
    properties.compare("auth_challenge", authChallenge, other.authChallenge, hasAuthChallenge, other.hasAuthChallenge)
    properties.compare("auth_response", authResponse, other.authResponse, hasAuthResponse, other.hasAuthResponse)
  }

  func copied() -> Self {
    var copy = Self()
    copy.`protocol` = `protocol`
    if !hasProtocol { copy.clearProtocol() }
    copy.authChallenge = authChallenge
    if !hasAuthChallenge { copy.clearAuthChallenge() }
    copy.authResponse = authResponse
    if !hasAuthResponse { copy.clearAuthResponse() }
    return copy
  }
}

extension JacquardWire.WireBeginResponse: Compared {
  func compare(_ other: WireBeginResponse, _ properties: inout Properties) {
    properties.compare("auth_response", authResponse, other.authResponse, hasAuthResponse, other.hasAuthResponse)
  }

  func copied() -> Self {
    var copy = Self()
    copy.authResponse = authResponse
    if !hasAuthResponse { copy.clearAuthResponse() }
    return copy
  }
}

extension JacquardWire.WireDisconnectNotification: Compared {
  func compare(_ other: WireDisconnectNotification, _ properties: inout Properties) {
    properties.compare("reconnect", reconnect, other.reconnect, hasReconnect, other.hasReconnect)
  }

  func copied() -> Self {
    var copy = Self()
    copy.reconnect = reconnect
    if !hasReconnect { copy.clearReconnect() }
    return copy
  }
}

extension JacquardWire.WireAttachedNotification: Compared {
  func compare(_ other: WireAttachedNotification, _ properties: inout Properties) {
    properties.compare("attach_state", attachState, other.attachState, hasAttachState, other.hasAttachState)
    properties.compare("vendor_id", vendorID, other.vendorID, hasVendorID, other.hasVendorID)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
    properties.compare("component_id", componentID, other.componentID, hasComponentID, other.hasComponentID)
  }

  func copied() -> Self {
    var copy = Self()
    copy.attachState = attachState
    if !hasAttachState { copy.clearAttachState() }
    copy.vendorID = vendorID
    if !hasVendorID { copy.clearVendorID() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    copy.componentID = componentID
    if !hasComponentID { copy.clearComponentID() }
    return copy
  }
}

extension JacquardWire.WireErrorNotification: Compared {
  func compare(_ other: WireErrorNotification, _ properties: inout Properties) {
    properties.compare("device", device, other.device, hasDevice, other.hasDevice)
    properties.compare("subsystem", subsystem, other.subsystem, hasSubsystem, other.hasSubsystem)
    properties.compare("errorcode", errorcode, other.errorcode, hasErrorcode, other.hasErrorcode)
  }

  func copied() -> Self {
    var copy = Self()
    copy.device = device
    if !hasDevice { copy.clearDevice() }
    copy.subsystem = subsystem
    if !hasSubsystem { copy.clearSubsystem() }
    copy.errorcode = errorcode
    if !hasErrorcode { copy.clearErrorcode() }
    return copy
  }
}

extension JacquardWire.WireBatteryStatusRequest: Compared {
  func compare(_ other: WireBatteryStatusRequest, _ properties: inout Properties) {
    properties.compare("read_battery_level", readBatteryLevel, other.readBatteryLevel, hasReadBatteryLevel, other.hasReadBatteryLevel)
    properties.compare("read_charging_status", readChargingStatus, other.readChargingStatus, hasReadChargingStatus, other.hasReadChargingStatus)
  }

  func copied() -> Self {
    var copy = Self()
    copy.readBatteryLevel = readBatteryLevel
    if !hasReadBatteryLevel { copy.clearReadBatteryLevel() }
    copy.readChargingStatus = readChargingStatus
    if !hasReadChargingStatus { copy.clearReadChargingStatus() }
    return copy
  }
}

extension JacquardWire.WireBatteryStatusResponse: Compared {
  func compare(_ other: WireBatteryStatusResponse, _ properties: inout Properties) {
    properties.compare("battery_level", batteryLevel, other.batteryLevel, hasBatteryLevel, other.hasBatteryLevel)
    properties.compare("charging_status", chargingStatus, other.chargingStatus, hasChargingStatus, other.hasChargingStatus)
  }

  func copied() -> Self {
    var copy = Self()
    copy.batteryLevel = batteryLevel
    if !hasBatteryLevel { copy.clearBatteryLevel() }
    copy.chargingStatus = chargingStatus
    if !hasChargingStatus { copy.clearChargingStatus() }
    return copy
  }
}

extension JacquardWire.WireBatteryStatusNotification: Compared {
  func compare(_ other: WireBatteryStatusNotification, _ properties: inout Properties) {
    properties.compare("battery_level", batteryLevel, other.batteryLevel, hasBatteryLevel, other.hasBatteryLevel)
    properties.compare("charging_status", chargingStatus, other.chargingStatus, hasChargingStatus, other.hasChargingStatus)
  }

  func copied() -> Self {
    var copy = Self()
    copy.batteryLevel = batteryLevel
    if !hasBatteryLevel { copy.clearBatteryLevel() }
    copy.chargingStatus = chargingStatus
    if !hasChargingStatus { copy.clearChargingStatus() }
    return copy
  }
}

extension JacquardWire.WireBleDisconnectRequest: Compared {
  func compare(_ other: WireBleDisconnectRequest, _ properties: inout Properties) {
    properties.compare("timeout_second", timeoutSecond, other.timeoutSecond, hasTimeoutSecond, other.hasTimeoutSecond)
    properties.compare("reconnect_only_on_wom", reconnectOnlyOnWom, other.reconnectOnlyOnWom, hasReconnectOnlyOnWom, other.hasReconnectOnlyOnWom)
  }

  func copied() -> Self {
    var copy = Self()
    copy.timeoutSecond = timeoutSecond
    if !hasTimeoutSecond { copy.clearTimeoutSecond() }
    copy.reconnectOnlyOnWom = reconnectOnlyOnWom
    if !hasReconnectOnlyOnWom { copy.clearReconnectOnlyOnWom() }
    return copy
  }
}

extension JacquardWire.WireDeviceRebootRequest: Compared {
  func compare(_ other: WireDeviceRebootRequest, _ properties: inout Properties) {
    properties.compare("reboot_only_interposer", rebootOnlyInterposer, other.rebootOnlyInterposer, hasRebootOnlyInterposer, other.hasRebootOnlyInterposer)
    properties.compare("silent_reboot", silentReboot, other.silentReboot, hasSilentReboot, other.hasSilentReboot)
  }

  func copied() -> Self {
    var copy = Self()
    copy.rebootOnlyInterposer = rebootOnlyInterposer
    if !hasRebootOnlyInterposer { copy.clearRebootOnlyInterposer() }
    copy.silentReboot = silentReboot
    if !hasSilentReboot { copy.clearSilentReboot() }
    return copy
  }
}

extension JacquardWire.WireInferenceData: Compared {
  func compare(_ other: WireInferenceData, _ properties: inout Properties) {
    properties.compare("event", event, other.event, hasEvent, other.hasEvent)
  }

  func copied() -> Self {
    var copy = Self()
    copy.event = event
    if !hasEvent { copy.clearEvent() }
    return copy
  }
}

extension JacquardWire.WireTouchData: Compared {
  func compare(_ other: WireTouchData, _ properties: inout Properties) {
    properties.compare("diff_proximity", diffProximity, other.diffProximity, hasDiffProximity, other.hasDiffProximity)
    properties.compare("diff_touch", diffTouch, other.diffTouch, hasDiffTouch, other.hasDiffTouch)
    properties.compare("inference_result", inferenceResult, other.inferenceResult, hasInferenceResult, other.hasInferenceResult)
    properties.compare("sequence", sequence, other.sequence, hasSequence, other.hasSequence)
    properties.compare("crc16", crc16, other.crc16, hasCrc16, other.hasCrc16)
    properties.compare("confidence_array", confidenceArray, other.confidenceArray, hasConfidenceArray, other.hasConfidenceArray)
    properties.compare("diff_data_scaled", diffDataScaled, other.diffDataScaled, hasDiffDataScaled, other.hasDiffDataScaled)
    properties.compare("raw_data", rawData, other.rawData, hasRawData, other.hasRawData)
  }

  func copied() -> Self {
    var copy = Self()
    copy.diffProximity = diffProximity
    if !hasDiffProximity { copy.clearDiffProximity() }
    copy.diffTouch = diffTouch
    if !hasDiffTouch { copy.clearDiffTouch() }
    copy.inferenceResult = inferenceResult
    if !hasInferenceResult { copy.clearInferenceResult() }
    copy.sequence = sequence
    if !hasSequence { copy.clearSequence() }
    copy.crc16 = crc16
    if !hasCrc16 { copy.clearCrc16() }
    copy.confidenceArray = confidenceArray
    if !hasConfidenceArray { copy.clearConfidenceArray() }
    copy.diffDataScaled = diffDataScaled
    if !hasDiffDataScaled { copy.clearDiffDataScaled() }
    copy.rawData = rawData
    if !hasRawData { copy.clearRawData() }
    return copy
  }
}

extension JacquardWire.WireTouchWidgetConfig: Compared {
  func compare(_ other: WireTouchWidgetConfig, _ properties: inout Properties) {
    properties.compare("resolution", resolution, other.resolution, hasResolution, other.hasResolution)
    properties.compare("sensor_clk_freq_divisor", sensorClkFreqDivisor, other.sensorClkFreqDivisor, hasSensorClkFreqDivisor, other.hasSensorClkFreqDivisor)
    properties.compare("idac_mod_value", idacModValue, other.idacModValue, hasIdacModValue, other.hasIdacModValue)
  }

  func copied() -> Self {
    var copy = Self()
    copy.resolution = resolution
    if !hasResolution { copy.clearResolution() }
    copy.sensorClkFreqDivisor = sensorClkFreqDivisor
    if !hasSensorClkFreqDivisor { copy.clearSensorClkFreqDivisor() }
    copy.idacModValue = idacModValue
    if !hasIdacModValue { copy.clearIdacModValue() }
    return copy
  }
}

extension JacquardWire.WireTouchConfigData: Compared {
  func compare(_ other: WireTouchConfigData, _ properties: inout Properties) {
    properties.compare("config", config, other.config)
    properties.compare("compensation_idac_values", compensationIdacValues, other.compensationIdacValues, hasCompensationIdacValues, other.hasCompensationIdacValues)
    properties.compare("mod_csd_clk_divisor", modCsdClkDivisor, other.modCsdClkDivisor, hasModCsdClkDivisor, other.hasModCsdClkDivisor)
  }

  func copied() -> Self {
    var copy = Self()
    copy.config = config
    copy.compensationIdacValues = compensationIdacValues
    if !hasCompensationIdacValues { copy.clearCompensationIdacValues() }
    copy.modCsdClkDivisor = modCsdClkDivisor
    if !hasModCsdClkDivisor { copy.clearModCsdClkDivisor() }
    return copy
  }
}

extension JacquardWire.WireDataChannelRequest: Compared {
  func compare(_ other: WireDataChannelRequest, _ properties: inout Properties) {
    properties.compare("inference", inference, other.inference, hasInference, other.hasInference)
    properties.compare("touch", touch, other.touch, hasTouch, other.hasTouch)
  }

  func copied() -> Self {
    var copy = Self()
    copy.inference = inference
    if !hasInference { copy.clearInference() }
    copy.touch = touch
    if !hasTouch { copy.clearTouch() }
    return copy
  }
}

extension JacquardWire.WireDataChannelResponse: Compared {
  func compare(_ other: WireDataChannelResponse, _ properties: inout Properties) {
    properties.compare("inference", inference, other.inference, hasInference, other.hasInference)
    properties.compare("touch", touch, other.touch, hasTouch, other.hasTouch)
    properties.compare("touch_config", touchConfig, other.touchConfig, hasTouchConfig, other.hasTouchConfig)
  }

  func copied() -> Self {
    var copy = Self()
    copy.inference = inference
    if !hasInference { copy.clearInference() }
    copy.touch = touch
    if !hasTouch { copy.clearTouch() }
    copy.touchConfig = touchConfig
    if !hasTouchConfig { copy.clearTouchConfig() }
    return copy
  }
}

extension JacquardWire.WireDataChannelNotification: Compared {
  func compare(_ other: WireDataChannelNotification, _ properties: inout Properties) {
    properties.compare("inference_data", inferenceData, other.inferenceData, hasInferenceData, other.hasInferenceData)
    properties.compare("touch_data", touchData, other.touchData, hasTouchData, other.hasTouchData)
    properties.compare("timestamp_ticks", timestampTicks, other.timestampTicks, hasTimestampTicks, other.hasTimestampTicks)
  }

  func copied() -> Self {
    var copy = Self()
    copy.inferenceData = inferenceData
    if !hasInferenceData { copy.clearInferenceData() }
    copy.touchData = touchData
    if !hasTouchData { copy.clearTouchData() }
    copy.timestampTicks = timestampTicks
    if !hasTimestampTicks { copy.clearTimestampTicks() }
    return copy
  }
}

extension JacquardWire.WireHWGearRequest: Compared {
  func compare(_ other: WireHWGearRequest, _ properties: inout Properties) {
  }

  func copied() -> Self { Self() }
}

extension JacquardWire.WireHWGearResponse: Compared {
  func compare(_ other: WireHWGearResponse, _ properties: inout Properties) {
    properties.compare("characteristics", characteristics, other.characteristics, hasCharacteristics, other.hasCharacteristics)
  }

  func copied() -> Self {
    var copy = Self()
    copy.characteristics = characteristics
    if !hasCharacteristics { copy.clearCharacteristics() }
    return copy
  }
}

extension JacquardWire.WireHapticNotificationDetails: Compared {
  func compare(_ other: WireHapticNotificationDetails, _ properties: inout Properties) {
    properties.compare("haptic_type", hapticType, other.hapticType, hasHapticType, other.hasHapticType)
    properties.compare("strength_percent", strengthPercent, other.strengthPercent, hasStrengthPercent, other.hasStrengthPercent)
    properties.compare("symbol_duration_ms", symbolDurationMs, other.symbolDurationMs, hasSymbolDurationMs, other.hasSymbolDurationMs)
  }

  func copied() -> Self {
    var copy = Self()
    copy.hapticType = hapticType
    if !hasHapticType { copy.clearHapticType() }
    copy.strengthPercent = strengthPercent
    if !hasStrengthPercent { copy.clearStrengthPercent() }
    copy.symbolDurationMs = symbolDurationMs
    if !hasSymbolDurationMs { copy.clearSymbolDurationMs() }
    return copy
  }
}

extension JacquardWire.WireVibeMotorChar: Compared {
  func compare(_ other: WireVibeMotorChar, _ properties: inout Properties) {
    properties.compare("motor_num", motorNum, other.motorNum, hasMotorNum, other.hasMotorNum)
    properties.compare("attach_notification", attachNotification, other.attachNotification, hasAttachNotification, other.hasAttachNotification)
    properties.compare("gesture_recognition_notification", gestureRecognitionNotification, other.gestureRecognitionNotification, hasGestureRecognitionNotification, other.hasGestureRecognitionNotification)
  }

  func copied() -> Self {
    var copy = Self()
    copy.motorNum = motorNum
    if !hasMotorNum { copy.clearMotorNum() }
    copy.attachNotification = attachNotification
    if !hasAttachNotification { copy.clearAttachNotification() }
    copy.gestureRecognitionNotification = gestureRecognitionNotification
    if !hasGestureRecognitionNotification { copy.clearGestureRecognitionNotification() }
    return copy
  }
}

extension JacquardWire.WireCapacitiveTouchpadChar: Compared {
  func compare(_ other: WireCapacitiveTouchpadChar, _ properties: inout Properties) {
    properties.compare("material", material, other.material, hasMaterial, other.hasMaterial)
    properties.compare("pitch_mm", pitchMm, other.pitchMm, hasPitchMm, other.hasPitchMm)
    properties.compare("electrode_lines_num", electrodeLinesNum, other.electrodeLinesNum, hasElectrodeLinesNum, other.hasElectrodeLinesNum)
    properties.compare("electrode_lines_length_cm", electrodeLinesLengthCm, other.electrodeLinesLengthCm, hasElectrodeLinesLengthCm, other.hasElectrodeLinesLengthCm)
    properties.compare("pitch_um", pitchUm, other.pitchUm, hasPitchUm, other.hasPitchUm)
  }

  func copied() -> Self {
    var copy = Self()
    copy.material = material
    if !hasMaterial { copy.clearMaterial() }
    copy.pitchMm = pitchMm
    if !hasPitchMm { copy.clearPitchMm() }
    copy.electrodeLinesNum = electrodeLinesNum
    if !hasElectrodeLinesNum { copy.clearElectrodeLinesNum() }
    copy.electrodeLinesLengthCm = electrodeLinesLengthCm
    if !hasElectrodeLinesLengthCm { copy.clearElectrodeLinesLengthCm() }
    copy.pitchUm = pitchUm
    if !hasPitchUm { copy.clearPitchUm() }
    return copy
  }
}

extension JacquardWire.WireLedsArrayChar: Compared {
  func compare(_ other: WireLedsArrayChar, _ properties: inout Properties) {
    properties.compare("type", type, other.type, hasType, other.hasType)
    properties.compare("led_num", ledNum, other.ledNum, hasLedNum, other.hasLedNum)
    properties.compare("format", format, other.format, hasFormat, other.hasFormat)
  }

  func copied() -> Self {
    var copy = Self()
    copy.type = type
    if !hasType { copy.clearType() }
    copy.ledNum = ledNum
    if !hasLedNum { copy.clearLedNum() }
    copy.format = format
    if !hasFormat { copy.clearFormat() }
    return copy
  }
}

extension JacquardWire.WireGearChar: Compared {
  func compare(_ other: WireGearChar, _ properties: inout Properties) {
    properties.compare("id", id, other.id, hasID, other.hasID)
    properties.compare("motor_1", motor1, other.motor1, hasMotor1, other.hasMotor1)
    properties.compare("motor_2", motor2, other.motor2, hasMotor2, other.hasMotor2)
    properties.compare("cap_touchpad_1", capTouchpad1, other.capTouchpad1, hasCapTouchpad1, other.hasCapTouchpad1)
    properties.compare("cap_touchpad_2", capTouchpad2, other.capTouchpad2, hasCapTouchpad2, other.hasCapTouchpad2)
    properties.compare("led_array_1", ledArray1, other.ledArray1, hasLedArray1, other.hasLedArray1)
    properties.compare("led_array_2", ledArray2, other.ledArray2, hasLedArray2, other.hasLedArray2)
    properties.compare("connector_type", connectorType, other.connectorType, hasConnectorType, other.hasConnectorType)
  }

  func copied() -> Self {
    var copy = Self()
    copy.id = id
    if !hasID { copy.clearID() }
    copy.motor1 = motor1
    if !hasMotor1 { copy.clearMotor1() }
    copy.motor2 = motor2
    if !hasMotor2 { copy.clearMotor2() }
    copy.capTouchpad1 = capTouchpad1
    if !hasCapTouchpad1 { copy.clearCapTouchpad1() }
    copy.capTouchpad2 = capTouchpad2
    if !hasCapTouchpad2 { copy.clearCapTouchpad2() }
    copy.ledArray1 = ledArray1
    if !hasLedArray1 { copy.clearLedArray1() }
    copy.ledArray2 = ledArray2
    if !hasLedArray2 { copy.clearLedArray2() }
    copy.connectorType = connectorType
    if !hasConnectorType { copy.clearConnectorType() }
    return copy
  }
}

extension JacquardWire.WireConfigElement: Compared {
  func compare(_ other: WireConfigElement, _ properties: inout Properties) {
    properties.compare("key", key, other.key, hasKey, other.hasKey)
    properties.compare("bool_val", boolVal, other.boolVal, hasBoolVal, other.hasBoolVal)
    properties.compare("uint32_val", uint32Val, other.uint32Val, hasUint32Val, other.hasUint32Val)
    properties.compare("uint64_val", uint64Val, other.uint64Val, hasUint64Val, other.hasUint64Val)
    properties.compare("int32_val", int32Val, other.int32Val, hasInt32Val, other.hasInt32Val)
    properties.compare("int64_val", int64Val, other.int64Val, hasInt64Val, other.hasInt64Val)
    properties.compare("float_val", floatVal, other.floatVal, hasFloatVal, other.hasFloatVal)
    properties.compare("double_val", doubleVal, other.doubleVal, hasDoubleVal, other.hasDoubleVal)
    properties.compare("string_val", stringVal, other.stringVal, hasStringVal, other.hasStringVal)
  }

  func copied() -> Self {
    var copy = Self()
    copy.key = key
    if !hasKey { copy.clearKey() }
    copy.boolVal = boolVal
    if !hasBoolVal { copy.clearBoolVal() }
    copy.uint32Val = uint32Val
    if !hasUint32Val { copy.clearUint32Val() }
    copy.uint64Val = uint64Val
    if !hasUint64Val { copy.clearUint64Val() }
    copy.int32Val = int32Val
    if !hasInt32Val { copy.clearInt32Val() }
    copy.int64Val = int64Val
    if !hasInt64Val { copy.clearInt64Val() }
    copy.floatVal = floatVal
    if !hasFloatVal { copy.clearFloatVal() }
    copy.doubleVal = doubleVal
    if !hasDoubleVal { copy.clearDoubleVal() }
    copy.stringVal = stringVal
    if !hasStringVal { copy.clearStringVal() }
    return copy
  }
}

extension JacquardWire.WireConfigSetRequest: Compared {
  func compare(_ other: WireConfigSetRequest, _ properties: inout Properties) {
    properties.compare("vid", vid, other.vid, hasVid, other.hasVid)
    properties.compare("pid", pid, other.pid, hasPid, other.hasPid)
    properties.compare("config", config, other.config, hasConfig, other.hasConfig)
  }

  func copied() -> Self {
    var copy = Self()
    copy.vid = vid
    if !hasVid { copy.clearVid() }
    copy.pid = pid
    if !hasPid { copy.clearPid() }
    copy.config = config
    if !hasConfig { copy.clearConfig() }
    return copy
  }
}

extension JacquardWire.WireConfigGetRequest: Compared {
  func compare(_ other: WireConfigGetRequest, _ properties: inout Properties) {
    properties.compare("vid", vid, other.vid, hasVid, other.hasVid)
    properties.compare("pid", pid, other.pid, hasPid, other.hasPid)
    properties.compare("key", key, other.key, hasKey, other.hasKey)
  }

  func copied() -> Self {
    var copy = Self()
    copy.vid = vid
    if !hasVid { copy.clearVid() }
    copy.pid = pid
    if !hasPid { copy.clearPid() }
    copy.key = key
    if !hasKey { copy.clearKey() }
    return copy
  }
}

extension JacquardWire.WireConfigGetResponse: Compared {
  func compare(_ other: WireConfigGetResponse, _ properties: inout Properties) {
    properties.compare("config", config, other.config, hasConfig, other.hasConfig)
  }

  func copied() -> Self {
    var copy = Self()
    copy.config = config
    if !hasConfig { copy.clearConfig() }
    return copy
  }
}

extension JacquardWire.WireConfigGetIndexRequest: Compared {
  func compare(_ other: WireConfigGetIndexRequest, _ properties: inout Properties) {
    properties.compare("vid", vid, other.vid, hasVid, other.hasVid)
    properties.compare("pid", pid, other.pid, hasPid, other.hasPid)
    properties.compare("index", index, other.index, hasIndex, other.hasIndex)
  }

  func copied() -> Self {
    var copy = Self()
    copy.vid = vid
    if !hasVid { copy.clearVid() }
    copy.pid = pid
    if !hasPid { copy.clearPid() }
    copy.index = index
    if !hasIndex { copy.clearIndex() }
    return copy
  }
}

extension JacquardWire.WireImuConfiguration: Compared {
  func compare(_ other: WireImuConfiguration, _ properties: inout Properties) {
    properties.compare("sensor_id", sensorID, other.sensorID, hasSensorID, other.hasSensorID)
    properties.compare("accel_low_power_mode", accelLowPowerMode, other.accelLowPowerMode, hasAccelLowPowerMode, other.hasAccelLowPowerMode)
    properties.compare("accel_filter_mode", accelFilterMode, other.accelFilterMode, hasAccelFilterMode, other.hasAccelFilterMode)
    properties.compare("accel_sample_rate", accelSampleRate, other.accelSampleRate, hasAccelSampleRate, other.hasAccelSampleRate)
    properties.compare("accel_range", accelRange, other.accelRange, hasAccelRange, other.hasAccelRange)
    properties.compare("gyro_low_power_mode", gyroLowPowerMode, other.gyroLowPowerMode, hasGyroLowPowerMode, other.hasGyroLowPowerMode)
    properties.compare("gyro_filter_mode", gyroFilterMode, other.gyroFilterMode, hasGyroFilterMode, other.hasGyroFilterMode)
    properties.compare("gyro_sample_rate", gyroSampleRate, other.gyroSampleRate, hasGyroSampleRate, other.hasGyroSampleRate)
    properties.compare("gyro_range", gyroRange, other.gyroRange, hasGyroRange, other.hasGyroRange)
  }

  func copied() -> Self {
    var copy = Self()
    copy.sensorID = sensorID
    if !hasSensorID { copy.clearSensorID() }
    copy.accelLowPowerMode = accelLowPowerMode
    if !hasAccelLowPowerMode { copy.clearAccelLowPowerMode() }
    copy.accelFilterMode = accelFilterMode
    if !hasAccelFilterMode { copy.clearAccelFilterMode() }
    copy.accelSampleRate = accelSampleRate
    if !hasAccelSampleRate { copy.clearAccelSampleRate() }
    copy.accelRange = accelRange
    if !hasAccelRange { copy.clearAccelRange() }
    copy.gyroLowPowerMode = gyroLowPowerMode
    if !hasGyroLowPowerMode { copy.clearGyroLowPowerMode() }
    copy.gyroFilterMode = gyroFilterMode
    if !hasGyroFilterMode { copy.clearGyroFilterMode() }
    copy.gyroSampleRate = gyroSampleRate
    if !hasGyroSampleRate { copy.clearGyroSampleRate() }
    copy.gyroRange = gyroRange
    if !hasGyroRange { copy.clearGyroRange() }
    return copy
  }
}

extension JacquardWire.WireBleConfiguration: Compared {
  func compare(_ other: WireBleConfiguration, _ properties: inout Properties) {
    properties.compare("custom_adv_name_utf8", customAdvNameUtf8, other.customAdvNameUtf8, hasCustomAdvNameUtf8, other.hasCustomAdvNameUtf8)
    properties.compare("tx_power_default", txPowerDefault, other.txPowerDefault, hasTxPowerDefault, other.hasTxPowerDefault)
    properties.compare("tx_power_max", txPowerMax, other.txPowerMax, hasTxPowerMax, other.hasTxPowerMax)
    properties.compare("fast_adv_interval_ms", fastAdvIntervalMs, other.fastAdvIntervalMs, hasFastAdvIntervalMs, other.hasFastAdvIntervalMs)
    properties.compare("fast_adv_duration_sec", fastAdvDurationSec, other.fastAdvDurationSec, hasFastAdvDurationSec, other.hasFastAdvDurationSec)
    properties.compare("slow_adv_interval_ms", slowAdvIntervalMs, other.slowAdvIntervalMs, hasSlowAdvIntervalMs, other.hasSlowAdvIntervalMs)
    properties.compare("slow_adv_duration_sec", slowAdvDurationSec, other.slowAdvDurationSec, hasSlowAdvDurationSec, other.hasSlowAdvDurationSec)
    properties.compare("min_conn_interval", minConnInterval, other.minConnInterval, hasMinConnInterval, other.hasMinConnInterval)
    properties.compare("max_conn_interval", maxConnInterval, other.maxConnInterval, hasMaxConnInterval, other.hasMaxConnInterval)
    properties.compare("notif_queue_depth", notifQueueDepth, other.notifQueueDepth, hasNotifQueueDepth, other.hasNotifQueueDepth)
    properties.compare("medium_adv_interval_ms", mediumAdvIntervalMs, other.mediumAdvIntervalMs, hasMediumAdvIntervalMs, other.hasMediumAdvIntervalMs)
    properties.compare("medium_adv_duration_sec", mediumAdvDurationSec, other.mediumAdvDurationSec, hasMediumAdvDurationSec, other.hasMediumAdvDurationSec)
  }

  func copied() -> Self {
    var copy = Self()
    copy.customAdvNameUtf8 = customAdvNameUtf8
    if !hasCustomAdvNameUtf8 { copy.clearCustomAdvNameUtf8() }
    copy.txPowerDefault = txPowerDefault
    if !hasTxPowerDefault { copy.clearTxPowerDefault() }
    copy.txPowerMax = txPowerMax
    if !hasTxPowerMax { copy.clearTxPowerMax() }
    copy.fastAdvIntervalMs = fastAdvIntervalMs
    if !hasFastAdvIntervalMs { copy.clearFastAdvIntervalMs() }
    copy.fastAdvDurationSec = fastAdvDurationSec
    if !hasFastAdvDurationSec { copy.clearFastAdvDurationSec() }
    copy.slowAdvIntervalMs = slowAdvIntervalMs
    if !hasSlowAdvIntervalMs { copy.clearSlowAdvIntervalMs() }
    copy.slowAdvDurationSec = slowAdvDurationSec
    if !hasSlowAdvDurationSec { copy.clearSlowAdvDurationSec() }
    copy.minConnInterval = minConnInterval
    if !hasMinConnInterval { copy.clearMinConnInterval() }
    copy.maxConnInterval = maxConnInterval
    if !hasMaxConnInterval { copy.clearMaxConnInterval() }
    copy.notifQueueDepth = notifQueueDepth
    if !hasNotifQueueDepth { copy.clearNotifQueueDepth() }
    copy.mediumAdvIntervalMs = mediumAdvIntervalMs
    if !hasMediumAdvIntervalMs { copy.clearMediumAdvIntervalMs() }
    copy.mediumAdvDurationSec = mediumAdvDurationSec
    if !hasMediumAdvDurationSec { copy.clearMediumAdvDurationSec() }
    return copy
  }
}

extension JacquardWire.WireWomConfiguration: Compared {
  func compare(_ other: WireWomConfiguration, _ properties: inout Properties) {
    properties.compare("enable", enable, other.enable, hasEnable, other.hasEnable)
    properties.compare("sensitivity", sensitivity, other.sensitivity, hasSensitivity, other.hasSensitivity)
    properties.compare("motion_threshold", motionThreshold, other.motionThreshold, hasMotionThreshold, other.hasMotionThreshold)
    properties.compare("no_motion_timeout_ms", noMotionTimeoutMs, other.noMotionTimeoutMs, hasNoMotionTimeoutMs, other.hasNoMotionTimeoutMs)
    properties.compare("gear_power_policy", gearPowerPolicy, other.gearPowerPolicy, hasGearPowerPolicy, other.hasGearPowerPolicy)
    properties.compare("ble_conn_policy", bleConnPolicy, other.bleConnPolicy, hasBleConnPolicy, other.hasBleConnPolicy)
  }

  func copied() -> Self {
    var copy = Self()
    copy.enable = enable
    if !hasEnable { copy.clearEnable() }
    copy.sensitivity = sensitivity
    if !hasSensitivity { copy.clearSensitivity() }
    copy.motionThreshold = motionThreshold
    if !hasMotionThreshold { copy.clearMotionThreshold() }
    copy.noMotionTimeoutMs = noMotionTimeoutMs
    if !hasNoMotionTimeoutMs { copy.clearNoMotionTimeoutMs() }
    copy.gearPowerPolicy = gearPowerPolicy
    if !hasGearPowerPolicy { copy.clearGearPowerPolicy() }
    copy.bleConnPolicy = bleConnPolicy
    if !hasBleConnPolicy { copy.clearBleConnPolicy() }
    return copy
  }
}

extension JacquardWire.WireUJTConfigReadRequest: Compared {
  func compare(_ other: WireUJTConfigReadRequest, _ properties: inout Properties) {
    properties.compare("imu_config", imuConfig, other.imuConfig, hasImuConfig, other.hasImuConfig)
    properties.compare("ble_config", bleConfig, other.bleConfig, hasBleConfig, other.hasBleConfig)
    properties.compare("wom_config", womConfig, other.womConfig, hasWomConfig, other.hasWomConfig)
  }

  func copied() -> Self {
    var copy = Self()
    copy.imuConfig = imuConfig
    if !hasImuConfig { copy.clearImuConfig() }
    copy.bleConfig = bleConfig
    if !hasBleConfig { copy.clearBleConfig() }
    copy.womConfig = womConfig
    if !hasWomConfig { copy.clearWomConfig() }
    return copy
  }
}

extension JacquardWire.WireUJTConfigWriteRequest: Compared {
  func compare(_ other: WireUJTConfigWriteRequest, _ properties: inout Properties) {
    properties.compare("imu_config", imuConfig, other.imuConfig, hasImuConfig, other.hasImuConfig)
    properties.compare("ble_config", bleConfig, other.bleConfig, hasBleConfig, other.hasBleConfig)
    properties.compare("wom_config", womConfig, other.womConfig, hasWomConfig, other.hasWomConfig)
  }

  func copied() -> Self {
    var copy = Self()
    copy.imuConfig = imuConfig
    if !hasImuConfig { copy.clearImuConfig() }
    copy.bleConfig = bleConfig
    if !hasBleConfig { copy.clearBleConfig() }
    copy.womConfig = womConfig
    if !hasWomConfig { copy.clearWomConfig() }
    return copy
  }
}

extension JacquardWire.WireUJTConfigResponse: Compared {
  func compare(_ other: WireUJTConfigResponse, _ properties: inout Properties) {
    properties.compare("imu_config", imuConfig, other.imuConfig, hasImuConfig, other.hasImuConfig)
    properties.compare("ble_config", bleConfig, other.bleConfig, hasBleConfig, other.hasBleConfig)
    properties.compare("wom_config", womConfig, other.womConfig, hasWomConfig, other.hasWomConfig)
  }

  func copied() -> Self {
    var copy = Self()
    copy.imuConfig = imuConfig
    if !hasImuConfig { copy.clearImuConfig() }
    copy.bleConfig = bleConfig
    if !hasBleConfig { copy.clearBleConfig() }
    copy.womConfig = womConfig
    if !hasWomConfig { copy.clearWomConfig() }
    return copy
  }
}

extension JacquardWire.WireDFUStatusRequest: Compared {
  func compare(_ other: WireDFUStatusRequest, _ properties: inout Properties) {
    properties.compare("vendor_id", vendorID, other.vendorID, hasVendorID, other.hasVendorID)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
  }

  func copied() -> Self {
    var copy = Self()
    copy.vendorID = vendorID
    if !hasVendorID { copy.clearVendorID() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    return copy
  }
}

extension JacquardWire.WireDFUStatusResponse: Compared {
  func compare(_ other: WireDFUStatusResponse, _ properties: inout Properties) {
    properties.compare("component", component, other.component, hasComponent, other.hasComponent)
    properties.compare("final_size", finalSize, other.finalSize, hasFinalSize, other.hasFinalSize)
    properties.compare("final_crc", finalCrc, other.finalCrc, hasFinalCrc, other.hasFinalCrc)
    properties.compare("current_size", currentSize, other.currentSize, hasCurrentSize, other.hasCurrentSize)
    properties.compare("current_crc", currentCrc, other.currentCrc, hasCurrentCrc, other.hasCurrentCrc)
  }

  func copied() -> Self {
    var copy = Self()
    copy.component = component
    if !hasComponent { copy.clearComponent() }
    copy.finalSize = finalSize
    if !hasFinalSize { copy.clearFinalSize() }
    copy.finalCrc = finalCrc
    if !hasFinalCrc { copy.clearFinalCrc() }
    copy.currentSize = currentSize
    if !hasCurrentSize { copy.clearCurrentSize() }
    copy.currentCrc = currentCrc
    if !hasCurrentCrc { copy.clearCurrentCrc() }
    return copy
  }
}

extension JacquardWire.WireDFUPrepareRequest: Compared {
  func compare(_ other: WireDFUPrepareRequest, _ properties: inout Properties) {
    properties.compare("component", component, other.component, hasComponent, other.hasComponent)
    properties.compare("final_size", finalSize, other.finalSize, hasFinalSize, other.hasFinalSize)
    properties.compare("final_crc", finalCrc, other.finalCrc, hasFinalCrc, other.hasFinalCrc)
    properties.compare("vendor_id", vendorID, other.vendorID, hasVendorID, other.hasVendorID)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
  }

  func copied() -> Self {
    var copy = Self()
    copy.component = component
    if !hasComponent { copy.clearComponent() }
    copy.finalSize = finalSize
    if !hasFinalSize { copy.clearFinalSize() }
    copy.finalCrc = finalCrc
    if !hasFinalCrc { copy.clearFinalCrc() }
    copy.vendorID = vendorID
    if !hasVendorID { copy.clearVendorID() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    return copy
  }
}

extension JacquardWire.WireDFUWriteRequest: Compared {
  func compare(_ other: WireDFUWriteRequest, _ properties: inout Properties) {
    properties.compare("offset", offset, other.offset, hasOffset, other.hasOffset)
    properties.compare("data", data, other.data, hasData, other.hasData)
  }

  func copied() -> Self {
    var copy = Self()
    copy.offset = offset
    if !hasOffset { copy.clearOffset() }
    copy.data = data
    if !hasData { copy.clearData() }
    return copy
  }
}

extension JacquardWire.WireDFUWriteResponse: Compared {
  func compare(_ other: WireDFUWriteResponse, _ properties: inout Properties) {
    properties.compare("offset", offset, other.offset, hasOffset, other.hasOffset)
    properties.compare("crc", crc, other.crc, hasCrc, other.hasCrc)
  }

  func copied() -> Self {
    var copy = Self()
    copy.offset = offset
    if !hasOffset { copy.clearOffset() }
    copy.crc = crc
    if !hasCrc { copy.clearCrc() }
    return copy
  }
}

extension JacquardWire.WireDFUExecuteRequest: Compared {
  func compare(_ other: WireDFUExecuteRequest, _ properties: inout Properties) {
    properties.compare("vendor_id", vendorID, other.vendorID, hasVendorID, other.hasVendorID)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
    properties.compare("update_sched", updateSched, other.updateSched, hasUpdateSched, other.hasUpdateSched)
    properties.compare("keep_fw_binary", keepFwBinary, other.keepFwBinary, hasKeepFwBinary, other.hasKeepFwBinary)
  }

  func copied() -> Self {
    var copy = Self()
    copy.vendorID = vendorID
    if !hasVendorID { copy.clearVendorID() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    copy.updateSched = updateSched
    if !hasUpdateSched { copy.clearUpdateSched() }
    copy.keepFwBinary = keepFwBinary
    if !hasKeepFwBinary { copy.clearKeepFwBinary() }
    return copy
  }
}

extension JacquardWire.WireDFUExecuteUpdateNotification: Compared {
  func compare(_ other: WireDFUExecuteUpdateNotification, _ properties: inout Properties) {
    properties.compare("vendor_id", vendorID, other.vendorID, hasVendorID, other.hasVendorID)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
    properties.compare("firmware_major", firmwareMajor, other.firmwareMajor, hasFirmwareMajor, other.hasFirmwareMajor)
    properties.compare("firmware_minor", firmwareMinor, other.firmwareMinor, hasFirmwareMinor, other.hasFirmwareMinor)
    properties.compare("firmware_point", firmwarePoint, other.firmwarePoint, hasFirmwarePoint, other.hasFirmwarePoint)
    properties.compare("status", status, other.status, hasStatus, other.hasStatus)
  }

  func copied() -> Self {
    var copy = Self()
    copy.vendorID = vendorID
    if !hasVendorID { copy.clearVendorID() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    copy.firmwareMajor = firmwareMajor
    if !hasFirmwareMajor { copy.clearFirmwareMajor() }
    copy.firmwareMinor = firmwareMinor
    if !hasFirmwareMinor { copy.clearFirmwareMinor() }
    copy.firmwarePoint = firmwarePoint
    if !hasFirmwarePoint { copy.clearFirmwarePoint() }
    copy.status = status
    if !hasStatus { copy.clearStatus() }
    return copy
  }
}

extension JacquardWire.WireOtaDfuMetadata: Compared {
  func compare(_ other: WireOtaDfuMetadata, _ properties: inout Properties) {
    properties.compare("final_size", finalSize, other.finalSize, hasFinalSize, other.hasFinalSize)
    properties.compare("final_crc", finalCrc, other.finalCrc, hasFinalCrc, other.hasFinalCrc)
    properties.compare("current_size", currentSize, other.currentSize, hasCurrentSize, other.hasCurrentSize)
    properties.compare("current_crc", currentCrc, other.currentCrc, hasCurrentCrc, other.hasCurrentCrc)
    properties.compare("final_image_size", finalImageSize, other.finalImageSize, hasFinalImageSize, other.hasFinalImageSize)
    properties.compare("final_image_crc", finalImageCrc, other.finalImageCrc, hasFinalImageCrc, other.hasFinalImageCrc)
    properties.compare("current_image_size", currentImageSize, other.currentImageSize, hasCurrentImageSize, other.hasCurrentImageSize)
    properties.compare("current_image_crc", currentImageCrc, other.currentImageCrc, hasCurrentImageCrc, other.hasCurrentImageCrc)
    properties.compare("write_addr", writeAddr, other.writeAddr, hasWriteAddr, other.hasWriteAddr)
    properties.compare("signed_hash", signedHash, other.signedHash)
    properties.compare("hash_context", hashContext, other.hashContext)
    properties.compare("is_signed", isSigned, other.isSigned, hasIsSigned, other.hasIsSigned)
  }

  func copied() -> Self {
    var copy = Self()
    copy.finalSize = finalSize
    if !hasFinalSize { copy.clearFinalSize() }
    copy.finalCrc = finalCrc
    if !hasFinalCrc { copy.clearFinalCrc() }
    copy.currentSize = currentSize
    if !hasCurrentSize { copy.clearCurrentSize() }
    copy.currentCrc = currentCrc
    if !hasCurrentCrc { copy.clearCurrentCrc() }
    copy.finalImageSize = finalImageSize
    if !hasFinalImageSize { copy.clearFinalImageSize() }
    copy.finalImageCrc = finalImageCrc
    if !hasFinalImageCrc { copy.clearFinalImageCrc() }
    copy.currentImageSize = currentImageSize
    if !hasCurrentImageSize { copy.clearCurrentImageSize() }
    copy.currentImageCrc = currentImageCrc
    if !hasCurrentImageCrc { copy.clearCurrentImageCrc() }
    copy.writeAddr = writeAddr
    if !hasWriteAddr { copy.clearWriteAddr() }
    copy.signedHash = signedHash
    copy.hashContext = hashContext
    copy.isSigned = isSigned
    if !hasIsSigned { copy.clearIsSigned() }
    return copy
  }
}

extension JacquardWire.WireModuleDescriptor: Compared {
  func compare(_ other: WireModuleDescriptor, _ properties: inout Properties) {
    properties.compare("name", name, other.name, hasName, other.hasName)
    properties.compare("vendor_id", vendorID, other.vendorID, hasVendorID, other.hasVendorID)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
    properties.compare("module_id", moduleID, other.moduleID, hasModuleID, other.hasModuleID)
    properties.compare("ver_major", verMajor, other.verMajor, hasVerMajor, other.hasVerMajor)
    properties.compare("ver_minor", verMinor, other.verMinor, hasVerMinor, other.hasVerMinor)
    properties.compare("ver_point", verPoint, other.verPoint, hasVerPoint, other.hasVerPoint)
    properties.compare("is_enabled", isEnabled, other.isEnabled, hasIsEnabled, other.hasIsEnabled)
    properties.compare("api_level", apiLevel, other.apiLevel, hasApiLevel, other.hasApiLevel)
    properties.compare("ml_version", mlVersion, other.mlVersion, hasMlVersion, other.hasMlVersion)
    properties.compare("size_bytes", sizeBytes, other.sizeBytes, hasSizeBytes, other.hasSizeBytes)
  }

  func copied() -> Self {
    var copy = Self()
    copy.name = name
    if !hasName { copy.clearName() }
    copy.vendorID = vendorID
    if !hasVendorID { copy.clearVendorID() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    copy.moduleID = moduleID
    if !hasModuleID { copy.clearModuleID() }
    copy.verMajor = verMajor
    if !hasVerMajor { copy.clearVerMajor() }
    copy.verMinor = verMinor
    if !hasVerMinor { copy.clearVerMinor() }
    copy.verPoint = verPoint
    if !hasVerPoint { copy.clearVerPoint() }
    copy.isEnabled = isEnabled
    if !hasIsEnabled { copy.clearIsEnabled() }
    copy.apiLevel = apiLevel
    if !hasApiLevel { copy.clearApiLevel() }
    copy.mlVersion = mlVersion
    if !hasMlVersion { copy.clearMlVersion() }
    copy.sizeBytes = sizeBytes
    if !hasSizeBytes { copy.clearSizeBytes() }
    return copy
  }
}

extension JacquardWire.WireLoadModuleRequest: Compared {
  func compare(_ other: WireLoadModuleRequest, _ properties: inout Properties) {
    properties.compare("module", module, other.module, hasModule, other.hasModule)
  }

  func copied() -> Self {
    var copy = Self()
    copy.module = module
    if !hasModule { copy.clearModule() }
    return copy
  }
}

extension JacquardWire.WireLoadModuleNotification: Compared {
  func compare(_ other: WireLoadModuleNotification, _ properties: inout Properties) {
    properties.compare("status", status, other.status, hasStatus, other.hasStatus)
    properties.compare("module", module, other.module, hasModule, other.hasModule)
  }

  func copied() -> Self {
    var copy = Self()
    copy.status = status
    if !hasStatus { copy.clearStatus() }
    copy.module = module
    if !hasModule { copy.clearModule() }
    return copy
  }
}

extension JacquardWire.WireUnloadModuleRequest: Compared {
  func compare(_ other: WireUnloadModuleRequest, _ properties: inout Properties) {
    properties.compare("module", module, other.module, hasModule, other.hasModule)
  }

  func copied() -> Self {
    var copy = Self()
    copy.module = module
    if !hasModule { copy.clearModule() }
    return copy
  }
}

extension JacquardWire.WireListModuleResponse: Compared {
  func compare(_ other: WireListModuleResponse, _ properties: inout Properties) {
    properties.compare("modules", modules, other.modules)
  }

  func copied() -> Self {
    var copy = Self()
    copy.modules = modules
    return copy
  }
}

extension JacquardWire.WireDeleteModuleRequest: Compared {
  func compare(_ other: WireDeleteModuleRequest, _ properties: inout Properties) {
    properties.compare("module", module, other.module, hasModule, other.hasModule)
  }

  func copied() -> Self {
    var copy = Self()
    copy.module = module
    if !hasModule { copy.clearModule() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionMetadata: Compared {
  func compare(_ other: WireDataCollectionMetadata, _ properties: inout Properties) {
    properties.compare("campaign_id", campaignID, other.campaignID, hasCampaignID, other.hasCampaignID)
    properties.compare("session_id", sessionID, other.sessionID, hasSessionID, other.hasSessionID)
    properties.compare("trial_id", trialID, other.trialID, hasTrialID, other.hasTrialID)
    properties.compare("subject_id", subjectID, other.subjectID, hasSubjectID, other.hasSubjectID)
    properties.compare("mode", mode, other.mode, hasMode, other.hasMode)
    properties.compare("action_id", actionID, other.actionID, hasActionID, other.hasActionID)
    properties.compare("sensor_ids", sensorIds, other.sensorIds)
    properties.compare("custom_data", customData, other.customData, hasCustomData, other.hasCustomData)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
  }

  func copied() -> Self {
    var copy = Self()
    copy.campaignID = campaignID
    if !hasCampaignID { copy.clearCampaignID() }
    copy.sessionID = sessionID
    if !hasSessionID { copy.clearSessionID() }
    copy.trialID = trialID
    if !hasTrialID { copy.clearTrialID() }
    copy.subjectID = subjectID
    if !hasSubjectID { copy.clearSubjectID() }
    copy.mode = mode
    if !hasMode { copy.clearMode() }
    copy.actionID = actionID
    if !hasActionID { copy.clearActionID() }
    copy.sensorIds = sensorIds
    copy.customData = customData
    if !hasCustomData { copy.clearCustomData() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionTrialSensorData: Compared {
  func compare(_ other: WireDataCollectionTrialSensorData, _ properties: inout Properties) {
    properties.compare("sensor_id", sensorID, other.sensorID, hasSensorID, other.hasSensorID)
    properties.compare("format_version", formatVersion, other.formatVersion, hasFormatVersion, other.hasFormatVersion)
    properties.compare("fsize", fsize, other.fsize, hasFsize, other.hasFsize)
    properties.compare("crc16", crc16, other.crc16, hasCrc16, other.hasCrc16)
  }

  func copied() -> Self {
    var copy = Self()
    copy.sensorID = sensorID
    if !hasSensorID { copy.clearSensorID() }
    copy.formatVersion = formatVersion
    if !hasFormatVersion { copy.clearFormatVersion() }
    copy.fsize = fsize
    if !hasFsize { copy.clearFsize() }
    copy.crc16 = crc16
    if !hasCrc16 { copy.clearCrc16() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionTrialData: Compared {
  func compare(_ other: WireDataCollectionTrialData, _ properties: inout Properties) {
    properties.compare("subject_id", subjectID, other.subjectID, hasSubjectID, other.hasSubjectID)
    properties.compare("sensor_data", sensorData, other.sensorData)
  }

  func copied() -> Self {
    var copy = Self()
    copy.subjectID = subjectID
    if !hasSubjectID { copy.clearSubjectID() }
    copy.sensorData = sensorData
    return copy
  }
}

extension JacquardWire.WireDataCollectionTrialList: Compared {
  func compare(_ other: WireDataCollectionTrialList, _ properties: inout Properties) {
    properties.compare("trial_id", trialID, other.trialID, hasTrialID, other.hasTrialID)
    properties.compare("trial_data", trialData, other.trialData)
    properties.compare("campaign_id", campaignID, other.campaignID, hasCampaignID, other.hasCampaignID)
    properties.compare("session_id", sessionID, other.sessionID, hasSessionID, other.hasSessionID)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
  }

  func copied() -> Self {
    var copy = Self()
    copy.trialID = trialID
    if !hasTrialID { copy.clearTrialID() }
    copy.trialData = trialData
    copy.campaignID = campaignID
    if !hasCampaignID { copy.clearCampaignID() }
    copy.sessionID = sessionID
    if !hasSessionID { copy.clearSessionID() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionStartRequest: Compared {
  func compare(_ other: WireDataCollectionStartRequest, _ properties: inout Properties) {
    properties.compare("metadata", metadata, other.metadata, hasMetadata, other.hasMetadata)
  }

  func copied() -> Self {
    var copy = Self()
    copy.metadata = metadata
    if !hasMetadata { copy.clearMetadata() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionStartResponse: Compared {
  func compare(_ other: WireDataCollectionStartResponse, _ properties: inout Properties) {
    properties.compare("dc_status", dcStatus, other.dcStatus, hasDcStatus, other.hasDcStatus)
  }

  func copied() -> Self {
    var copy = Self()
    copy.dcStatus = dcStatus
    if !hasDcStatus { copy.clearDcStatus() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionStopRequest: Compared {
  func compare(_ other: WireDataCollectionStopRequest, _ properties: inout Properties) {
    properties.compare("is_error", isError, other.isError, hasIsError, other.hasIsError)
  }

  func copied() -> Self {
    var copy = Self()
    copy.isError = isError
    if !hasIsError { copy.clearIsError() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionStopResponse: Compared {
  func compare(_ other: WireDataCollectionStopResponse, _ properties: inout Properties) {
    properties.compare("timestamp", timestamp, other.timestamp, hasTimestamp, other.hasTimestamp)
    properties.compare("dc_status", dcStatus, other.dcStatus, hasDcStatus, other.hasDcStatus)
  }

  func copied() -> Self {
    var copy = Self()
    copy.timestamp = timestamp
    if !hasTimestamp { copy.clearTimestamp() }
    copy.dcStatus = dcStatus
    if !hasDcStatus { copy.clearDcStatus() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionStatusRequest: Compared {
  func compare(_ other: WireDataCollectionStatusRequest, _ properties: inout Properties) {
  }

  func copied() -> Self { Self() }
}

extension JacquardWire.WireDataCollectionStatusResponse: Compared {
  func compare(_ other: WireDataCollectionStatusResponse, _ properties: inout Properties) {
    properties.compare("dc_status", dcStatus, other.dcStatus, hasDcStatus, other.hasDcStatus)
  }

  func copied() -> Self {
    var copy = Self()
    copy.dcStatus = dcStatus
    if !hasDcStatus { copy.clearDcStatus() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionTrialListRequest: Compared {
  func compare(_ other: WireDataCollectionTrialListRequest, _ properties: inout Properties) {
    properties.compare("campaign_id", campaignID, other.campaignID, hasCampaignID, other.hasCampaignID)
    properties.compare("session_id", sessionID, other.sessionID, hasSessionID, other.hasSessionID)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
  }

  func copied() -> Self {
    var copy = Self()
    copy.campaignID = campaignID
    if !hasCampaignID { copy.clearCampaignID() }
    copy.sessionID = sessionID
    if !hasSessionID { copy.clearSessionID() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionTrialListResponse: Compared {
  func compare(_ other: WireDataCollectionTrialListResponse, _ properties: inout Properties) {
    properties.compare("dc_status", dcStatus, other.dcStatus, hasDcStatus, other.hasDcStatus)
  }

  func copied() -> Self {
    var copy = Self()
    copy.dcStatus = dcStatus
    if !hasDcStatus { copy.clearDcStatus() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionTrialListNotification: Compared {
  func compare(_ other: WireDataCollectionTrialListNotification, _ properties: inout Properties) {
    properties.compare("trials", trials, other.trials)
    properties.compare("trial", trial, other.trial, hasTrial, other.hasTrial)
    properties.compare("total_trials", totalTrials, other.totalTrials, hasTotalTrials, other.hasTotalTrials)
    properties.compare("trial_index", trialIndex, other.trialIndex, hasTrialIndex, other.hasTrialIndex)
  }

  func copied() -> Self {
    var copy = Self()
    copy.trials = trials
    copy.trial = trial
    if !hasTrial { copy.clearTrial() }
    copy.totalTrials = totalTrials
    if !hasTotalTrials { copy.clearTotalTrials() }
    copy.trialIndex = trialIndex
    if !hasTrialIndex { copy.clearTrialIndex() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionTrialDataRequest: Compared {
  func compare(_ other: WireDataCollectionTrialDataRequest, _ properties: inout Properties) {
    properties.compare("campaign_id", campaignID, other.campaignID, hasCampaignID, other.hasCampaignID)
    properties.compare("session_id", sessionID, other.sessionID, hasSessionID, other.hasSessionID)
    properties.compare("trial_id", trialID, other.trialID, hasTrialID, other.hasTrialID)
    properties.compare("subject_id", subjectID, other.subjectID, hasSubjectID, other.hasSubjectID)
    properties.compare("sensor_id", sensorID, other.sensorID, hasSensorID, other.hasSensorID)
    properties.compare("offset", offset, other.offset, hasOffset, other.hasOffset)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
  }

  func copied() -> Self {
    var copy = Self()
    copy.campaignID = campaignID
    if !hasCampaignID { copy.clearCampaignID() }
    copy.sessionID = sessionID
    if !hasSessionID { copy.clearSessionID() }
    copy.trialID = trialID
    if !hasTrialID { copy.clearTrialID() }
    copy.subjectID = subjectID
    if !hasSubjectID { copy.clearSubjectID() }
    copy.sensorID = sensorID
    if !hasSensorID { copy.clearSensorID() }
    copy.offset = offset
    if !hasOffset { copy.clearOffset() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionTrialDataResponse: Compared {
  func compare(_ other: WireDataCollectionTrialDataResponse, _ properties: inout Properties) {
    properties.compare("dc_status", dcStatus, other.dcStatus, hasDcStatus, other.hasDcStatus)
  }

  func copied() -> Self {
    var copy = Self()
    copy.dcStatus = dcStatus
    if !hasDcStatus { copy.clearDcStatus() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionEraseTrialDataRequest: Compared {
  func compare(_ other: WireDataCollectionEraseTrialDataRequest, _ properties: inout Properties) {
    properties.compare("campaign_id", campaignID, other.campaignID, hasCampaignID, other.hasCampaignID)
    properties.compare("session_id", sessionID, other.sessionID, hasSessionID, other.hasSessionID)
    properties.compare("trial_id", trialID, other.trialID, hasTrialID, other.hasTrialID)
    properties.compare("product_id", productID, other.productID, hasProductID, other.hasProductID)
    properties.compare("subject_id", subjectID, other.subjectID, hasSubjectID, other.hasSubjectID)
  }

  func copied() -> Self {
    var copy = Self()
    copy.campaignID = campaignID
    if !hasCampaignID { copy.clearCampaignID() }
    copy.sessionID = sessionID
    if !hasSessionID { copy.clearSessionID() }
    copy.trialID = trialID
    if !hasTrialID { copy.clearTrialID() }
    copy.productID = productID
    if !hasProductID { copy.clearProductID() }
    copy.subjectID = subjectID
    if !hasSubjectID { copy.clearSubjectID() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionEraseTrialDataResponse: Compared {
  func compare(_ other: WireDataCollectionEraseTrialDataResponse, _ properties: inout Properties) {
    properties.compare("dc_status", dcStatus, other.dcStatus, hasDcStatus, other.hasDcStatus)
  }

  func copied() -> Self {
    var copy = Self()
    copy.dcStatus = dcStatus
    if !hasDcStatus { copy.clearDcStatus() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionEraseAllDataRequest: Compared {
  func compare(_ other: WireDataCollectionEraseAllDataRequest, _ properties: inout Properties) {
  }

  func copied() -> Self { Self() }
}

extension JacquardWire.WireDataCollectionEraseAllDataResponse: Compared {
  func compare(_ other: WireDataCollectionEraseAllDataResponse, _ properties: inout Properties) {
    properties.compare("dc_status", dcStatus, other.dcStatus, hasDcStatus, other.hasDcStatus)
  }

  func copied() -> Self {
    var copy = Self()
    copy.dcStatus = dcStatus
    if !hasDcStatus { copy.clearDcStatus() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionProgressNotification: Compared {
  func compare(_ other: WireDataCollectionProgressNotification, _ properties: inout Properties) {
    properties.compare("sensor_id", sensorID, other.sensorID, hasSensorID, other.hasSensorID)
    properties.compare("crc_progress_pct", crcProgressPct, other.crcProgressPct, hasCrcProgressPct, other.hasCrcProgressPct)
    properties.compare("compression_progress_pct", compressionProgressPct, other.compressionProgressPct, hasCompressionProgressPct, other.hasCompressionProgressPct)
  }

  func copied() -> Self {
    var copy = Self()
    copy.sensorID = sensorID
    if !hasSensorID { copy.clearSensorID() }
    copy.crcProgressPct = crcProgressPct
    if !hasCrcProgressPct { copy.clearCrcProgressPct() }
    copy.compressionProgressPct = compressionProgressPct
    if !hasCompressionProgressPct { copy.clearCompressionProgressPct() }
    return copy
  }
}

extension JacquardWire.WireDataCollectionActionHeader: Compared {
  func compare(_ other: WireDataCollectionActionHeader, _ properties: inout Properties) {
    properties.compare("action_id", actionID, other.actionID, hasActionID, other.hasActionID)
    properties.compare("is_error", isError, other.isError, hasIsError, other.hasIsError)
    properties.compare("num_samples", numSamples, other.numSamples, hasNumSamples, other.hasNumSamples)
  }

  func copied() -> Self {
    var copy = Self()
    copy.actionID = actionID
    if !hasActionID { copy.clearActionID() }
    copy.isError = isError
    if !hasIsError { copy.clearIsError() }
    copy.numSamples = numSamples
    if !hasNumSamples { copy.clearNumSamples() }
    return copy
  }
}

extension JacquardWire.WireFaultlogGetRequest: Compared {
  func compare(_ other: WireFaultlogGetRequest, _ properties: inout Properties) {
    properties.compare("start_record_index", startRecordIndex, other.startRecordIndex, hasStartRecordIndex, other.hasStartRecordIndex)
    properties.compare("records_count", recordsCount, other.recordsCount, hasRecordsCount, other.hasRecordsCount)
    properties.compare("get_faults", getFaults, other.getFaults, hasGetFaults, other.hasGetFaults)
    properties.compare("get_errors", getErrors, other.getErrors, hasGetErrors, other.hasGetErrors)
    properties.compare("get_resets", getResets, other.getResets, hasGetResets, other.hasGetResets)
    properties.compare("get_app_err_faults", getAppErrFaults, other.getAppErrFaults, hasGetAppErrFaults, other.hasGetAppErrFaults)
  }

  func copied() -> Self {
    var copy = Self()
    copy.startRecordIndex = startRecordIndex
    if !hasStartRecordIndex { copy.clearStartRecordIndex() }
    copy.recordsCount = recordsCount
    if !hasRecordsCount { copy.clearRecordsCount() }
    copy.getFaults = getFaults
    if !hasGetFaults { copy.clearGetFaults() }
    copy.getErrors = getErrors
    if !hasGetErrors { copy.clearGetErrors() }
    copy.getResets = getResets
    if !hasGetResets { copy.clearGetResets() }
    copy.getAppErrFaults = getAppErrFaults
    if !hasGetAppErrFaults { copy.clearGetAppErrFaults() }
    return copy
  }
}

extension JacquardWire.WireAppErrFaultRecord: Compared {
  func compare(_ other: WireAppErrFaultRecord, _ properties: inout Properties) {
    properties.compare("record_id", recordID, other.recordID, hasRecordID, other.hasRecordID)
    properties.compare("id", id, other.id, hasID, other.hasID)
    properties.compare("info", info, other.info, hasInfo, other.hasInfo)
    properties.compare("pc_error", pcError, other.pcError, hasPcError, other.hasPcError)
    properties.compare("stack_trace", stackTrace, other.stackTrace)
  }

  func copied() -> Self {
    var copy = Self()
    copy.recordID = recordID
    if !hasRecordID { copy.clearRecordID() }
    copy.id = id
    if !hasID { copy.clearID() }
    copy.info = info
    if !hasInfo { copy.clearInfo() }
    copy.pcError = pcError
    if !hasPcError { copy.clearPcError() }
    copy.stackTrace = stackTrace
    return copy
  }
}

extension JacquardWire.WireFaultRecord: Compared {
  func compare(_ other: WireFaultRecord, _ properties: inout Properties) {
    properties.compare("record_id", recordID, other.recordID, hasRecordID, other.hasRecordID)
    properties.compare("parameter", parameter, other.parameter, hasParameter, other.hasParameter)
    properties.compare("pc_register", pcRegister, other.pcRegister, hasPcRegister, other.hasPcRegister)
    properties.compare("lr_register", lrRegister, other.lrRegister, hasLrRegister, other.hasLrRegister)
    properties.compare("stack_trace", stackTrace, other.stackTrace)
  }

  func copied() -> Self {
    var copy = Self()
    copy.recordID = recordID
    if !hasRecordID { copy.clearRecordID() }
    copy.parameter = parameter
    if !hasParameter { copy.clearParameter() }
    copy.pcRegister = pcRegister
    if !hasPcRegister { copy.clearPcRegister() }
    copy.lrRegister = lrRegister
    if !hasLrRegister { copy.clearLrRegister() }
    copy.stackTrace = stackTrace
    return copy
  }
}

extension JacquardWire.WireErrorRecord: Compared {
  func compare(_ other: WireErrorRecord, _ properties: inout Properties) {
    properties.compare("record_id", recordID, other.recordID, hasRecordID, other.hasRecordID)
    properties.compare("parameter", parameter, other.parameter, hasParameter, other.hasParameter)
    properties.compare("function_name", functionName, other.functionName, hasFunctionName, other.hasFunctionName)
    properties.compare("line_number", lineNumber, other.lineNumber, hasLineNumber, other.hasLineNumber)
    properties.compare("pc_register", pcRegister, other.pcRegister, hasPcRegister, other.hasPcRegister)
    properties.compare("lr_register", lrRegister, other.lrRegister, hasLrRegister, other.hasLrRegister)
  }

  func copied() -> Self {
    var copy = Self()
    copy.recordID = recordID
    if !hasRecordID { copy.clearRecordID() }
    copy.parameter = parameter
    if !hasParameter { copy.clearParameter() }
    copy.functionName = functionName
    if !hasFunctionName { copy.clearFunctionName() }
    copy.lineNumber = lineNumber
    if !hasLineNumber { copy.clearLineNumber() }
    copy.pcRegister = pcRegister
    if !hasPcRegister { copy.clearPcRegister() }
    copy.lrRegister = lrRegister
    if !hasLrRegister { copy.clearLrRegister() }
    return copy
  }
}

extension JacquardWire.WireResetReasonRecord: Compared {
  func compare(_ other: WireResetReasonRecord, _ properties: inout Properties) {
    properties.compare("record_id", recordID, other.recordID, hasRecordID, other.hasRecordID)
    properties.compare("reset_reason", resetReason, other.resetReason, hasResetReason, other.hasResetReason)
  }

  func copied() -> Self {
    var copy = Self()
    copy.recordID = recordID
    if !hasRecordID { copy.clearRecordID() }
    copy.resetReason = resetReason
    if !hasResetReason { copy.clearResetReason() }
    return copy
  }
}

extension JacquardWire.WireFaultlogGetResponse: Compared {
  func compare(_ other: WireFaultlogGetResponse, _ properties: inout Properties) {
    properties.compare("last_record_index", lastRecordIndex, other.lastRecordIndex, hasLastRecordIndex, other.hasLastRecordIndex)
    properties.compare("reset_reason_records", resetReasonRecords, other.resetReasonRecords)
    properties.compare("apperrfault_records", apperrfaultRecords, other.apperrfaultRecords)
    properties.compare("fault_records", faultRecords, other.faultRecords)
    properties.compare("error_records", errorRecords, other.errorRecords)
  }

  func copied() -> Self {
    var copy = Self()
    copy.lastRecordIndex = lastRecordIndex
    if !hasLastRecordIndex { copy.clearLastRecordIndex() }
    copy.resetReasonRecords = resetReasonRecords
    copy.apperrfaultRecords = apperrfaultRecords
    copy.faultRecords = faultRecords
    copy.errorRecords = errorRecords
    return copy
  }
}

extension JacquardWire.WireGenericBlobMessagePayload: Compared {
  func compare(_ other: WireGenericBlobMessagePayload, _ properties: inout Properties) {
    properties.compare("msg_type", msgType, other.msgType, hasMsgType, other.hasMsgType)
    properties.compare("block", block, other.block, hasBlock, other.hasBlock)
  }

  func copied() -> Self {
    var copy = Self()
    copy.msgType = msgType
    if !hasMsgType { copy.clearMsgType() }
    copy.block = block
    if !hasBlock { copy.clearBlock() }
    return copy
  }
}

extension JacquardWire.WireGenericEncryptedNotification: Compared {
  func compare(_ other: WireGenericEncryptedNotification, _ properties: inout Properties) {
    properties.compare("block_vector", blockVector, other.blockVector, hasBlockVector, other.hasBlockVector)
    properties.compare("encrypted_block", encryptedBlock, other.encryptedBlock, hasEncryptedBlock, other.hasEncryptedBlock)
  }

  func copied() -> Self {
    var copy = Self()
    copy.blockVector = blockVector
    if !hasBlockVector { copy.clearBlockVector() }
    copy.encryptedBlock = encryptedBlock
    if !hasEncryptedBlock { copy.clearEncryptedBlock() }
    return copy
  }
}

extension JacquardWire.WireGenericPlainNotification: Compared {
  func compare(_ other: WireGenericPlainNotification, _ properties: inout Properties) {
    properties.compare("plain_block", plainBlock, other.plainBlock, hasPlainBlock, other.hasPlainBlock)
  }

  func copied() -> Self {
    var copy = Self()
    copy.plainBlock = plainBlock
    if !hasPlainBlock { copy.clearPlainBlock() }
    return copy
  }
}

let pairs: [Pair] = [
  Pair("Request", JacquardWire.WireRequest.self),
  Pair("Response", JacquardWire.WireResponse.self),
  Pair("Notification", JacquardWire.WireNotification.self),
  Pair("SupportedRequest", JacquardWire.WireSupportedRequest.self),
  Pair("DeviceInfoRequest", JacquardWire.WireDeviceInfoRequest.self),
  Pair("DeviceInfoResponse", JacquardWire.WireDeviceInfoResponse.self),
  Pair("Color", JacquardWire.WireColor.self),
  Pair("LedPatternFrames", JacquardWire.WireLedPatternFrames.self),
  Pair("LedPatternRequest", JacquardWire.WireLedPatternRequest.self),
  Pair("LedPatternNotification", JacquardWire.WireLedPatternNotification.self),
  Pair("HapticSymbol", JacquardWire.WireHapticSymbol.self),
  Pair("HapticRequest", JacquardWire.WireHapticRequest.self),
  Pair("HapticResponse", JacquardWire.WireHapticResponse.self),
  Pair("HapticNotification", JacquardWire.WireHapticNotification.self),
  Pair("HelloResponse", JacquardWire.WireHelloResponse.self),
  Pair("BeginRequest", JacquardWire.WireBeginRequest.self),
  Pair("BeginResponse", JacquardWire.WireBeginResponse.self),
  Pair("DisconnectNotification", JacquardWire.WireDisconnectNotification.self),
  Pair("AttachedNotification", JacquardWire.WireAttachedNotification.self),
  Pair("ErrorNotification", JacquardWire.WireErrorNotification.self),
  Pair("BatteryStatusRequest", JacquardWire.WireBatteryStatusRequest.self),
  Pair("BatteryStatusResponse", JacquardWire.WireBatteryStatusResponse.self),
  Pair("BatteryStatusNotification", JacquardWire.WireBatteryStatusNotification.self),
  Pair("BleDisconnectRequest", JacquardWire.WireBleDisconnectRequest.self),
  Pair("DeviceRebootRequest", JacquardWire.WireDeviceRebootRequest.self),
  Pair("InferenceData", JacquardWire.WireInferenceData.self),
  Pair("TouchData", JacquardWire.WireTouchData.self),
  Pair("TouchWidgetConfig", JacquardWire.WireTouchWidgetConfig.self),
  Pair("TouchConfigData", JacquardWire.WireTouchConfigData.self),
  Pair("DataChannelRequest", JacquardWire.WireDataChannelRequest.self),
  Pair("DataChannelResponse", JacquardWire.WireDataChannelResponse.self),
  Pair("DataChannelNotification", JacquardWire.WireDataChannelNotification.self),
  Pair("HWGearRequest", JacquardWire.WireHWGearRequest.self),
  Pair("HWGearResponse", JacquardWire.WireHWGearResponse.self),
  Pair("HapticNotificationDetails", JacquardWire.WireHapticNotificationDetails.self),
  Pair("VibeMotorChar", JacquardWire.WireVibeMotorChar.self),
  Pair("CapacitiveTouchpadChar", JacquardWire.WireCapacitiveTouchpadChar.self),
  Pair("LedsArrayChar", JacquardWire.WireLedsArrayChar.self),
  Pair("GearChar", JacquardWire.WireGearChar.self),
  Pair("ConfigElement", JacquardWire.WireConfigElement.self),
  Pair("ConfigSetRequest", JacquardWire.WireConfigSetRequest.self),
  Pair("ConfigGetRequest", JacquardWire.WireConfigGetRequest.self),
  Pair("ConfigGetResponse", JacquardWire.WireConfigGetResponse.self),
  Pair("ConfigGetIndexRequest", JacquardWire.WireConfigGetIndexRequest.self),
  Pair("ImuConfiguration", JacquardWire.WireImuConfiguration.self),
  Pair("BleConfiguration", JacquardWire.WireBleConfiguration.self),
  Pair("WomConfiguration", JacquardWire.WireWomConfiguration.self),
  Pair("UJTConfigReadRequest", JacquardWire.WireUJTConfigReadRequest.self),
  Pair("UJTConfigWriteRequest", JacquardWire.WireUJTConfigWriteRequest.self),
  Pair("UJTConfigResponse", JacquardWire.WireUJTConfigResponse.self),
  Pair("DFUStatusRequest", JacquardWire.WireDFUStatusRequest.self),
  Pair("DFUStatusResponse", JacquardWire.WireDFUStatusResponse.self),
  Pair("DFUPrepareRequest", JacquardWire.WireDFUPrepareRequest.self),
  Pair("DFUWriteRequest", JacquardWire.WireDFUWriteRequest.self),
  Pair("DFUWriteResponse", JacquardWire.WireDFUWriteResponse.self),
  Pair("DFUExecuteRequest", JacquardWire.WireDFUExecuteRequest.self),
  Pair("DFUExecuteUpdateNotification", JacquardWire.WireDFUExecuteUpdateNotification.self),
  Pair("OtaDfuMetadata", JacquardWire.WireOtaDfuMetadata.self),
  Pair("ModuleDescriptor", JacquardWire.WireModuleDescriptor.self),
  Pair("LoadModuleRequest", JacquardWire.WireLoadModuleRequest.self),
  Pair("LoadModuleNotification", JacquardWire.WireLoadModuleNotification.self),
  Pair("UnloadModuleRequest", JacquardWire.WireUnloadModuleRequest.self),
  Pair("ListModuleResponse", JacquardWire.WireListModuleResponse.self),
  Pair("DeleteModuleRequest", JacquardWire.WireDeleteModuleRequest.self),
  Pair("DataCollectionMetadata", JacquardWire.WireDataCollectionMetadata.self),
  Pair("DataCollectionTrialSensorData", JacquardWire.WireDataCollectionTrialSensorData.self),
  Pair("DataCollectionTrialData", JacquardWire.WireDataCollectionTrialData.self),
  Pair("DataCollectionTrialList", JacquardWire.WireDataCollectionTrialList.self),
  Pair("DataCollectionStartRequest", JacquardWire.WireDataCollectionStartRequest.self),
  Pair("DataCollectionStartResponse", JacquardWire.WireDataCollectionStartResponse.self),
  Pair("DataCollectionStopRequest", JacquardWire.WireDataCollectionStopRequest.self),
  Pair("DataCollectionStopResponse", JacquardWire.WireDataCollectionStopResponse.self),
  Pair("DataCollectionStatusRequest", JacquardWire.WireDataCollectionStatusRequest.self),
  Pair("DataCollectionStatusResponse", JacquardWire.WireDataCollectionStatusResponse.self),
  Pair("DataCollectionTrialListRequest", JacquardWire.WireDataCollectionTrialListRequest.self),
  Pair("DataCollectionTrialListResponse", JacquardWire.WireDataCollectionTrialListResponse.self),
  Pair("DataCollectionTrialListNotification", JacquardWire.WireDataCollectionTrialListNotification.self),
  Pair("DataCollectionTrialDataRequest", JacquardWire.WireDataCollectionTrialDataRequest.self),
  Pair("DataCollectionTrialDataResponse", JacquardWire.WireDataCollectionTrialDataResponse.self),
  Pair("DataCollectionEraseTrialDataRequest", JacquardWire.WireDataCollectionEraseTrialDataRequest.self),
  Pair("DataCollectionEraseTrialDataResponse", JacquardWire.WireDataCollectionEraseTrialDataResponse.self),
  Pair("DataCollectionEraseAllDataRequest", JacquardWire.WireDataCollectionEraseAllDataRequest.self),
  Pair("DataCollectionEraseAllDataResponse", JacquardWire.WireDataCollectionEraseAllDataResponse.self),
  Pair("DataCollectionProgressNotification", JacquardWire.WireDataCollectionProgressNotification.self),
  Pair("DataCollectionActionHeader", JacquardWire.WireDataCollectionActionHeader.self),
  Pair("FaultlogGetRequest", JacquardWire.WireFaultlogGetRequest.self),
  Pair("AppErrFaultRecord", JacquardWire.WireAppErrFaultRecord.self),
  Pair("FaultRecord", JacquardWire.WireFaultRecord.self),
  Pair("ErrorRecord", JacquardWire.WireErrorRecord.self),
  Pair("ResetReasonRecord", JacquardWire.WireResetReasonRecord.self),
  Pair("FaultlogGetResponse", JacquardWire.WireFaultlogGetResponse.self),
  Pair("GenericBlobMessagePayload", JacquardWire.WireGenericBlobMessagePayload.self),
  Pair("GenericEncryptedNotification", JacquardWire.WireGenericEncryptedNotification.self),
  Pair("GenericPlainNotification", JacquardWire.WireGenericPlainNotification.self),
]
