import EventLoop
import JacquardWire

/// The questions of an update about images, asked on each link: what they are for, what is installed and stored, and
/// whether the tag can be updated now.
struct FirmwareChecks {
  let connection: Connection
  let options: UpdateOptions

  /// The part of the image that the tag has stored for its component. Throws if it is a part of another image.
  func stored(of image: FirmwareImage, _ tag: Tag) async throws(JacquardError) -> StoredImage {
    let stored: StoredImage
    do throws(JacquardError) {
      stored = try await tag.storedImage(image)
    } catch {
      let isUnknown = [TagStatus.deviceType, .badParameter].contains(TagStatus(rawValue: error.tagStatus))
      guard isUnknown else { throw error }
      throw JacquardError(.wrongProduct, "The tag does not accept images for \(image.name).")
    }
    guard options.overwrites || !stored.isPartOfAnother(than: image) else {
      throw JacquardError(
        .otherImage,
        "The tag has \(stored.currentSize) of \(stored.finalSize) bytes of another image with checksum "
          + "\(stored.finalChecksum).")
    }
    return stored
  }

  /// Firmware without modules does not know the request.
  func modules(of tag: Tag) async throws(JacquardError) -> [Module] {
    do throws(JacquardError) {
      return try await tag.modules()
    } catch {
      guard error.tagStatus == TagStatus.unsupported.rawValue else { throw error }
      return []
    }
  }

  func refuseCapture(_ tag: Tag, _ modules: [Module]) async throws(JacquardError) {
    guard modules.contains(where: { $0.isMotion && $0.isEnabled }) else { return }
    let status = try await tag.send(Tag.collectionStatus, nil)
    switch status {
    case .logging, .transferring, .erasing: throw JacquardError(status)
    default: break
    }
  }

  func checkBattery(of tag: Tag) async throws(JacquardError) {
    let battery = try await tag.readBattery()
    let least = battery.charging ? UpdateOptions.lowestBattery : options.leastBattery
    guard battery.percent < least else { return }
    throw JacquardError(
      .lowBattery,
      "The tag's battery is at \(battery.percent) %; an update needs at least \(least) %"
        + (battery.charging ? " while it charges." : ", or that the tag charges."),
      advice: "Charge the tag, then install the image again: a complete transfer is not repeated.")
  }

  /// The gear that the image is for; nil for the tag and for modules.
  func component(of image: FirmwareImage, _ tag: Tag) async throws(JacquardError) -> Component? {
    let identity = image.identity
    if identity.module != nil {
      guard identity.vendor.rawValue == tag.info.vendorID else { throw wrongProduct(image, tag) }
      return nil
    }
    if image.isFor(tag) { return nil }
    let gear = try await attachedGear()
    if let gear, gear.info.vendor == identity.vendor, gear.info.product == identity.product { return gear }
    guard let known = KnownGear.find(vendor: identity.vendor, product: identity.product), known != .tag else {
      throw wrongProduct(image, tag)
    }
    let instead =
      gear.map { "\($0.info.known?.productName ?? "\($0.info.product)") is attached." } ?? "No gear is attached."
    throw JacquardError(.gearMissing, "The image is for \(known.vendorName) \(known.productName). \(instead)")
  }

  private func attachedGear() async throws(JacquardError) -> Component? {
    let monitor = connection.gear
    if let known = monitor.gear { return known }
    do throws(CancellationError) {
      return try await monitor.changes.until(within: connection.core.deadlines.gearReport, on: connection.core.loop) {
        monitor.gear
      } ?? nil
    } catch {
      throw .cancelled
    }
  }

  private func wrongProduct(_ image: FirmwareImage, _ tag: Tag) -> JacquardError {
    JacquardError(
      .wrongProduct,
      "The image is for \(image.identity.vendor) \(image.identity.product); the tag is "
        + "\(PartID(rawValue: tag.info.vendorID)) \(PartID(rawValue: tag.info.productID)).")
  }

  /// Nil for a module that is not installed.
  func version(
    of image: FirmwareImage, _ gear: Component?, _ tag: Tag, _ modules: [Module]
  ) async throws(JacquardError) -> TagInfo.Version? {
    if image.identity.module != nil { return modules.first { image.isFor($0) }?.version }
    guard let gear else { return tag.info.firmware }
    return try await gear.readInfo().firmware
  }
}

extension FirmwareImage {
  func isFor(_ tag: Tag) -> Bool {
    identity.module == nil && identity.vendor.rawValue == tag.info.vendorID
      && identity.product.rawValue == tag.info.productID
  }

  func isFor(_ module: Module) -> Bool {
    identity.module?.rawValue == module.moduleID && identity.vendor.rawValue == module.vendorID
      && identity.product.rawValue == module.productID
  }
}
