import CJacquard

/// The component and version that a firmware image is for.
public struct FirmwareIdentity: Sendable, Hashable {
  /// Vendor ID of the tag, the gear or the module.
  public var vendorID: UInt32
  /// Product ID of the tag, the gear or the module.
  public var productID: UInt32
  /// ID of the module; 0 if the image is for the tag or gear.
  public var moduleID: UInt32
  /// The version, compared with the one that is read back after the update.
  public var version: Version

  /// A component and a version.
  public init(vendorID: UInt32, productID: UInt32, moduleID: UInt32 = 0, version: Version) {
    (self.vendorID, self.productID, self.moduleID, self.version) = (vendorID, productID, moduleID, version)
  }
}

/// A firmware image in memory. Updates have been tested with software tags only, never with a real tag. Keep the images
/// that you have: an image cannot be read back from a tag.
public final class Firmware: Sendable {
  let handle: Handle
  /// The product that the image is for.
  public let identity: FirmwareIdentity
  /// Size in bytes.
  public let size: Int
  /// CRC-16 as computed by the tag.
  public let checksum: UInt32

  /// Reads an image, and compares it with the manifest beside it, `path` with ".json" appended.
  ///
  /// - Parameter identity: nil: from the manifest
  /// - Throws: `.invalidArgument` (also without identity and manifest), `.firmwareImage`, `.firmwareManifest`,
  ///   `.system`
  public convenience init(path: String, identity: FirmwareIdentity? = nil) throws(JacquardError) {
    try self.init(identity, path: path)
  }

  /// Copies an image from memory. Throws the errors of `init(path:identity:)`.
  public convenience init(
    _ image: [UInt8], identity: FirmwareIdentity? = nil, manifest: String? = nil
  ) throws(JacquardError) {
    try self.init(identity, image: image, manifest: manifest)
  }

  private init(
    _ identity: FirmwareIdentity?, path: String? = nil, image: [UInt8]? = nil, manifest: String? = nil
  ) throws(JacquardError) {
    handle = try withStrings([path, manifest]) { strings throws(JacquardError) in
      var source = sized(jacquard_firmware_source.self)
      source.path = strings[0]
      source.manifest = strings[1]
      if let identity {
        source.identified = 1
        source.vendor_id = identity.vendorID
        source.product_id = identity.productID
        source.module_id = identity.moduleID
        source.version = identity.version.numbers
      }
      return try Handle({ jacquard_firmware_unref($0) }) { firmware in
        guard let image else { return jacquard_firmware_new(&source, firmware) }
        return image.withUnsafeBufferPointer { image in
          source.data = image.baseAddress
          source.data_size = image.count
          return jacquard_firmware_new(&source, firmware)
        }
      }
    }
    var info: UnsafePointer<jacquard_firmware_info>?
    try check(jacquard_firmware_get_info(handle.pointer, &info))
    guard let info = value(info) else { throw JacquardError(.internal) }
    self.identity = FirmwareIdentity(
      vendorID: info.vendor_id, productID: info.product_id, moduleID: info.module_id, version: Version(info.version))
    size = Int(info.size)
    checksum = info.checksum
  }
}

/// Options of an update.
public struct UpdateOptions: Sendable, Hashable {
  /// The steps to perform.
  public var mode = UpdateMode.install
  /// Whether images are installed that are older than the installed firmware.
  public var allowsDowngrade = false
  /// Whether another image that is partly on the tag is overwritten.
  public var overwrites = false
  /// Required battery level in percent, 10 to 100. A tag that charges needs 10.
  public var leastBattery = 20

  /// The defaults.
  public init() {}
}

/// The progress of an update.
public struct UpdateProgress: Sendable, Hashable {
  /// Current step.
  public let phase: UpdatePhase
  /// Index of the current image.
  public let image: Int
  /// Bytes of this image that the tag has stored.
  public let stored: Int
  /// Size of this image in bytes; 0 while checking.
  public let total: Int
  /// Remaining time of the transfer of this image in seconds; nil: not known.
  public let secondsLeft: Double?

  init(_ progress: jacquard_update_progress) {
    phase = UpdatePhase(rawValue: progress.phase)
    image = Int(progress.image)
    stored = Int(progress.stored)
    total = Int(progress.total)
    secondsLeft = progress.seconds_left < 0 ? nil : progress.seconds_left
  }
}

/// The result of an update for one image.
public struct UpdateResult: Sendable, Hashable {
  /// The result for the image.
  public let outcome: UpdateOutcome
  /// Version before the update; zeros for a module that was not installed.
  public let before: Version
  /// Version after the update.
  public let after: Version
  /// Bytes of the image that the tag has stored.
  public let stored: Int
  /// Whether bluetoothd still uses the GATT services of the previous firmware: restart it, or bind the tag again.
  public let hasStaleServices: Bool

  init(_ result: jacquard_update_result) {
    outcome = UpdateOutcome(rawValue: result.outcome)
    before = Version(result.before)
    after = Version(result.after)
    stored = Int(result.stored)
    hasStaleServices = result.stale_services != 0
  }
}

extension Connection {
  /// Updates the firmware of gear, of the tag, and of modules, in this order. It continues after lost links and
  /// restarts. Cancelling the task before an image is executed leaves the transferred part on the tag.
  ///
  /// - Parameters:
  ///   - images: 1 to 16, each for another component
  ///   - onProgress: called on the library's thread after every block; must not wait
  /// - Returns: the results in the order of the images
  /// - Throws: `.wrongProduct`, `.gearMissing`, `.lowBattery`, `.downgrade` and others before anything is written
  public func updateFirmware(
    _ images: [Firmware], _ given: UpdateOptions = UpdateOptions(),
    onProgress: (@Sendable (UpdateProgress) -> Void)? = nil
  ) async throws(JacquardError) -> [UpdateResult] {
    var options = sized(jacquard_update_options.self)
    options.mode = given.mode.rawValue
    options.allow_downgrade = UInt32(given.allowsDowngrade)
    options.overwrite = UInt32(given.overwrites)
    options.least_battery = UInt32(clamping: given.leastBattery)
    let onBlock: @Sendable (UnsafeRawPointer) -> Int32 = { progress in
      onProgress?(UpdateProgress(progress.assumingMemoryBound(to: jacquard_update_progress.self).pointee))
      return 0
    }
    let handles: [OpaquePointer?] = images.map(\.handle.pointer)
    return try await ask(self, answer: { $0.values().map(UpdateResult.init) }, onProgress: onBlock) {
      context, request in
      jacquard_connection_update_firmware(
        handle.pointer, handles, handles.count, &options,
        { progress, context in _ = JacquardTags.progress(progress, context) },
        { complete(Answer(pointer: $0, count: $1), $2, $3) }, context, release, request)
    }
  }
}
