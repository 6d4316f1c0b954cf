import JacquardWire

/// Partially transferred images. They outlive the link, so that an interrupted transfer can continue.
struct FirmwareStore {
  struct Target: Hashable {
    var vendorID: UInt32
    var productID: UInt32
  }

  struct Image {
    var finalSize: UInt32
    var finalCRC: UInt32
    var bytes: [UInt8] = []
    var crc: UInt16 = 0

    var isComplete: Bool { bytes.count == Int(finalSize) }

    mutating func append(_ chunk: [UInt8]) {
      bytes += chunk
      crc = Checksum.crc16(chunk, continuing: crc)
    }
  }

  var images: [Target: Image] = [:]
  /// The image for write requests, which do not specify one.
  var current: Target?
  /// The version that the tag reports after the update; nil for the next minor version.
  var nextVersion: Version?
  var flashTime: Duration = .seconds(2)
}

extension SoftwareTag {
  func answerFirmware(_ request: WireRequest, _ kind: RequestKind) throws -> Answer {
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
    let isGear = vendor == attachment?.gear.vendorID && product == attachment?.gear.productID
    let isMotion = vendor == TagModule.motion.vendorID && product == TagModule.motion.productID
    guard isTag || isGear || isMotion else { throw Refusal.plain(ResponseStatus.deviceType) }
    return .init(vendorID: vendor, productID: product)
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
    let isGear = target.vendorID == attachment?.gear.vendorID && target.productID == attachment?.gear.productID
    let component = isGear ? attachment?.componentID ?? 0 : 0
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
      throw Refusal.breach(.wrongState, "write without prepare", status: ResponseStatus.invalidState)
    }
    let chunk = [UInt8](request.data)
    let stored = image.bytes.count
    guard Int(request.offset) == stored else {
      throw Refusal.breach(.valueOutOfRange, "offset \(request.offset), \(stored) stored")
    }
    guard (1...128).contains(chunk.count), stored + chunk.count <= Int(image.finalSize) else {
      throw Refusal.breach(.valueOutOfRange, "\(chunk.count) bytes at \(stored) of \(image.finalSize)")
    }
    image.append(chunk)
    firmware.images[target] = image
    if image.isComplete, target.productID == TagModule.motion.productID { installMotionModule(image, target) }
    return Answer {
      $0.dfuWrite.offset = UInt32(image.bytes.count)
      $0.dfuWrite.crc = UInt32(image.crc)
    }
  }

  /// Modules need no execute request: they are installed when their last byte arrives.
  private func installMotionModule(_ image: FirmwareStore.Image, _ target: FirmwareStore.Target) {
    guard image.finalCRC == UInt32(image.crc) else { return }
    journal.installed.append(image.bytes)
    firmware.images[target] = nil
    modules.modules.removeAll { $0.moduleID == TagModule.motion.moduleID }
    modules.modules.append(.motion)
  }

  private func executeFirmware(_ request: WireDFUExecuteRequest) throws -> Answer {
    let target = try target(
      vendor: request.hasVendorID ? request.vendorID : nil, product: request.hasProductID ? request.productID : nil)
    guard let image = firmware.images[target], image.isComplete else {
      throw Refusal.breach(.wrongState, "execute before the image is complete", status: ResponseStatus.invalidState)
    }
    guard UInt32(image.crc) == image.finalCRC else { throw Refusal.plain(ResponseStatus.checksum) }
    guard battery.level >= 10 else { throw Refusal.plain(ResponseStatus.batteryLow) }
    return Answer(then: { [weak self] in self?.flash(target) })
  }

  private func flash(_ target: FirmwareStore.Target) {
    clock.schedule(after: firmware.flashTime) { [weak self] in
      guard let self, let image = self.firmware.images.removeValue(forKey: target) else { return }
      self.firmware.current = nil
      self.journal.installed.append(image.bytes)
      if target.productID == self.profile.productID {
        let old = self.profile.firmware
        self.profile.firmware = self.firmware.nextVersion ?? Version(old.major, old.minor &+ 1, 0)
        self.firmware.nextVersion = nil
        self.reboot()
      } else if var attachment = self.attachment {
        let old = attachment.gear.firmware
        attachment.gear.firmware = self.firmware.nextVersion ?? Version(old.major, old.minor &+ 1, 0)
        self.firmware.nextVersion = nil
        self.attachment = attachment
        self.notifyFlashed(attachment.gear)
      }
    }
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
