import JacquardWire

extension SoftwareTag {
  /// The image that the tag or its gear is installing.
  public var imageBeingInstalled: [UInt8]? { firmware.running?.image.bytes }

  func answerFirmware(_ request: WireRequest, _ kind: RequestKind) throws -> Answer {
    let isAnswered = kind == .dfuStatus && profile.behaviour.flashing == .responds
    if firmware.running != nil, !isAnswered {
      if kind == .dfuExecute { throw Refusal.breach(.wrongState, "execute twice", status: ResponseStatus.busy) }
      throw Refusal.plain(ResponseStatus.busy)
    }
    if kind != .dfuStatus, modules.isAnyEnabled {
      throw Refusal.breach(.wrongState, "\(kind.rawValue) with a loaded module", status: ResponseStatus.invalidState)
    }
    switch kind {
    case .dfuStatus: return try firmwareStatus(request.dfuStatus)
    case .dfuPrepare: return try prepareFirmware(request.dfuPrepare)
    case .dfuWrite: return try writeFirmware(request.dfuWrite)
    case .dfuExecute: return try executeFirmware(request.dfuExecute)
    default: throw Refusal.plain(ResponseStatus.unsupported)
    }
  }

  private func target(vendor: UInt32?, product: UInt32?) throws -> FirmwareStore.Target {
    guard let vendor, let product else { throw Refusal.breach(.fieldMissing, "vendor_id and product_id") }
    let isTag = vendor == profile.vendorID && product == profile.productID
    let isMotion = vendor == TagModule.motion.vendorID && product == TagModule.motion.productID
    let target = FirmwareStore.Target(vendorID: vendor, productID: product)
    guard isTag || isGear(target) || isMotion else { throw Refusal.plain(ResponseStatus.deviceType) }
    return target
  }

  private func isGear(_ target: FirmwareStore.Target) -> Bool {
    target.vendorID == attachment?.gear.vendorID && target.productID == attachment?.gear.productID
  }

  private func firmwareStatus(_ request: WireDFUStatusRequest) throws -> Answer {
    let target = try target(
      vendor: request.hasVendorID ? request.vendorID : nil, product: request.hasProductID ? request.productID : nil)
    let image = firmware.images[target] ?? .init(finalSize: 0, finalCRC: 0)
    if firmware.images[target] != nil { firmware.current = target }
    return Answer {
      $0.dfuStatus.component = 0
      $0.dfuStatus.finalSize = image.finalSize
      $0.dfuStatus.finalCrc = image.finalCRC
      $0.dfuStatus.currentSize = UInt32(image.bytes.count)
      $0.dfuStatus.currentCrc = UInt32(image.crc)
    }
  }

  private func prepareFirmware(_ request: WireDFUPrepareRequest) throws -> Answer {
    guard request.hasComponent, request.hasFinalSize, request.hasFinalCrc else {
      throw Refusal.breach(.fieldMissing, "component, final_size and final_crc")
    }
    let target = try target(
      vendor: request.hasVendorID ? request.vendorID : nil, product: request.hasProductID ? request.productID : nil)
    let component = isGear(target) ? attachment?.componentID ?? 0 : 0
    guard request.component == component else {
      throw Refusal.breach(.componentUnknown, "\(request.component) instead of \(component)")
    }
    guard request.finalSize > 0, request.finalSize <= 4 << 20, request.finalCrc <= 0xffff else {
      throw Refusal.breach(.valueOutOfRange, "final_size \(request.finalSize), final_crc \(request.finalCrc)")
    }
    firmware.images[target] = .init(finalSize: request.finalSize, finalCRC: request.finalCrc)
    firmware.current = target
    return .done
  }

  private func writeFirmware(_ request: WireDFUWriteRequest) throws -> Answer {
    guard request.hasOffset, request.hasData else { throw Refusal.breach(.fieldMissing, "offset and data") }
    guard let target = firmware.current, var image = firmware.images[target] else {
      throw Refusal.breach(.wrongState, "write without status or prepare", status: ResponseStatus.invalidState)
    }
    var block = [UInt8](request.data)
    let stored = image.bytes.count
    guard Int(request.offset) == stored else {
      throw Refusal.breach(.valueOutOfRange, "offset \(request.offset), \(stored) stored")
    }
    guard (1...128).contains(block.count), stored + block.count <= Int(image.finalSize) else {
      throw Refusal.breach(.valueOutOfRange, "\(block.count) bytes at \(stored) of \(image.finalSize)")
    }
    if case .byte(let last, let forgotten) = firmware.powerLoss, (stored..<stored + block.count).contains(last) {
      firmware.powerLoss = nil
      image.append(block[..<(last - stored)])
      image.forget(forgotten)
      firmware.images[target] = image
      reboot()
      return .done
    }
    if firmware.corruptNext {
      firmware.corruptNext = false
      block[0] ^= 1
    }
    image.append(block)
    firmware.images[target] = image
    journal.blocks.append(stored)
    drainBattery()
    if image.isComplete, target.productID == TagModule.motion.productID { installMotionModule(image, target) }
    var answer = Answer {
      $0.dfuWrite.offset = UInt32(image.bytes.count)
      $0.dfuWrite.crc = UInt32(image.crc)
    }
    answer.delay = firmware.writeTime
    return answer
  }

  private func drainBattery() {
    guard let blocks = firmware.blocksPerPercent, journal.blocks.count.isMultiple(of: blocks), battery.level > 0 else {
      return
    }
    battery.level -= 1
    notifyBattery()
  }

  /// Modules need no execute: they are installed with their last byte.
  private func installMotionModule(_ image: FirmwareStore.Image, _ target: FirmwareStore.Target) {
    firmware.images[target] = nil
    guard image.finalCRC == UInt32(image.crc), firmware.verification == .accepted else { return }
    journal.installed.append(image.bytes)
    let old = modules.modules.first { $0.moduleID == TagModule.motion.moduleID }?.version
    var module = TagModule.motion
    module.version = firmware.nextVersion ?? old.map { Version($0.major, $0.minor &+ 1, 0) } ?? module.version
    firmware.nextVersion = nil
    modules.modules.removeAll { $0.moduleID == TagModule.motion.moduleID }
    modules.modules.append(module)
  }

  private func executeFirmware(_ request: WireDFUExecuteRequest) throws -> Answer {
    let target = try target(
      vendor: request.hasVendorID ? request.vendorID : nil, product: request.hasProductID ? request.productID : nil)
    guard let image = firmware.images[target], image.isComplete else {
      throw Refusal.breach(.wrongState, "execute before the image is complete", status: ResponseStatus.invalidState)
    }
    journal.executions += 1
    guard UInt32(image.crc) == image.finalCRC, firmware.verification != .refused else {
      throw Refusal.plain(ResponseStatus.checksum)
    }
    guard battery.level >= 10 else { throw Refusal.plain(ResponseStatus.batteryLow) }
    return Answer(then: { [weak self] in self?.flash(target, image) }, needsLink: false)
  }

  private func flash(_ target: FirmwareStore.Target, _ image: FirmwareStore.Image) {
    firmware.running = (target, image)
    if profile.behaviour.imageRemoval == .execute { firmware.images[target] = nil }
    var end = profile.behaviour.flashTime
    if case .step(let step) = firmware.powerLoss {
      end = end * (step.rawValue - 1) / SwapStep.allCases.count
    }
    clock.schedule(after: end) { [weak self] in
      guard let self, let (running, image) = self.firmware.running, running == target else { return }
      self.firmware.running = nil
      self.firmware.current = nil
      self.isGear(target) || target.productID != self.profile.productID
        ? self.finishGear(target, image) : self.finishTag(target, image)
    }
  }

  private func finishTag(_ target: FirmwareStore.Target, _ image: FirmwareStore.Image) {
    let failure: SwapStep? = if case .step(let step) = firmware.powerLoss { step } else { nil }
    firmware.powerLoss = nil
    defer { reboot() }
    if let failure, failure <= .mark { return }
    firmware.images[target] = nil
    guard failure != .confirm, firmware.verification == .accepted else { return }
    journal.installed.append(image.bytes)
    profile.firmware = takeVersion(after: profile.firmware)
  }

  private func finishGear(_ target: FirmwareStore.Target, _ image: FirmwareStore.Image) {
    // Gear that was detached stays as it is.
    guard var attachment, isGear(target) else { return }
    firmware.images[target] = nil
    switch firmware.gearReport {
    case .failed(let status): return notifyFlashed(attachment.gear, status: status)
    case .regular, .never, .foreign: break
    }
    journal.installed.append(image.bytes)
    attachment.gear.firmware = takeVersion(after: attachment.gear.firmware)
    self.attachment = attachment
    switch firmware.gearReport {
    case .regular: notifyFlashed(attachment.gear)
    case .foreign: notifyFlashed(.unlisted(vendorID: 1, productID: 2))
    case .never, .failed: break
    }
  }

  private func takeVersion(after old: Version) -> Version {
    defer { firmware.nextVersion = nil }
    return firmware.nextVersion ?? Version(old.major, old.minor &+ 1, 0)
  }

  func notifyFlashed(_ gear: Gear, status: UInt32 = 0) {
    guard isConnected else { return }
    notify(1, 4) {
      $0.dfuExecuteUpdateNotif.vendorID = gear.vendorID
      $0.dfuExecuteUpdateNotif.productID = gear.productID
      $0.dfuExecuteUpdateNotif.firmwareMajor = gear.firmware.major
      $0.dfuExecuteUpdateNotif.firmwareMinor = gear.firmware.minor
      $0.dfuExecuteUpdateNotif.firmwarePoint = gear.firmware.point
      $0.dfuExecuteUpdateNotif.status = status
    }
  }
}
