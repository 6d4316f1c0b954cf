import CJacquard
import TagSimulator

extension Program {
  /// A firmware update to the tag's next version, or the cancellation of one.
  func updateFirmware(_ connection: ConnectionUse, _ dice: inout Dice) {
    let running = promises.filter { $0.kind == .update && $0.handle != nil }
    if !running.isEmpty, dice.chance(20) { return cancel(dice.pick(running)) }
    let installed = life.stage.world.tags[connection.tag].profile.firmware
    let version = Version(installed.major, installed.minor &+ 1, 0)
    let bytes = Self.image(version)
    let mode = dice.weighed([
      (JACQUARD_UPDATE_MODE_INSTALL, 8), (JACQUARD_UPDATE_MODE_CHECK, 1), (JACQUARD_UPDATE_MODE_TRANSFER, 1),
    ])
    guard let firmware = firmware(bytes, version) else { return }
    defer { jacquard_firmware_unref(firmware) }
    register(.update, keeping: dice.chance(60), of: connection) { userData, destroy, output in
      Promise.of(userData)?.file = bytes
      var options = jacquard_update_options()
      options.struct_size = UInt32(MemoryLayout.size(ofValue: options))
      (options.mode, options.overwrite) = (mode.rawValue, 1)
      var images: [OpaquePointer?] = [firmware]
      return jacquard_connection_update_firmware(
        connection.handle, &images, 1, &options,
        { progress, userData in
          guard let promise = Promise.of(userData), let progress = progress?.pointee else { return }
          promise.called("phase \(progress.phase) \(progress.stored)/\(progress.total)", isLast: false) {
            if progress.stored > progress.total { promise.program.stage.fail("more than the image is stored") }
          }
        },
        { results, count, error, userData in
          guard let promise = Promise.of(userData) else { return }
          let outcome = results?.pointee?.pointee.outcome
          let isRefused = error?.pointee.code == JACQUARD_ERROR_NOT_INSTALLED.rawValue
          promise.called("\(outcome ?? 0) of \(count) \(Program.describe(error))") {
            if outcome == JACQUARD_UPDATE_OUTCOME_INSTALLED.rawValue { promise.updated() }
            if isRefused { promise.wasNotInstalled() }
          }
        }, userData, destroy, output)
    }
  }

  /// All images of one version are the same.
  private static func image(_ version: Version) -> [UInt8] {
    var dice = Dice(seed: UInt64(version.minor))
    let count = dice.number(1...2000)
    return dice.bytes(count)
  }

  private func firmware(_ bytes: [UInt8], _ version: Version) -> OpaquePointer? {
    var source = jacquard_firmware_source()
    source.struct_size = UInt32(MemoryLayout.size(ofValue: source))
    (source.identified, source.vendor_id, source.product_id) = (1, 0x1178_30c8, 0x283b_e7a0)
    source.version = (version.major, version.minor, version.point)
    var firmware: OpaquePointer?
    let status = bytes.withUnsafeBufferPointer {
      (source.data, source.data_size) = ($0.baseAddress, $0.count)
      return jacquard_firmware_new(&source, &firmware)
    }
    if status != 0 { stage.fail("no image: \(status)") }
    return firmware
  }
}

extension Promise {
  /// The library may give up on a tag that does not return, but not while it installs the image.
  fileprivate func wasNotInstalled() {
    guard let connection else { return }
    if program.life.stage.world.tags[connection.tag].imageBeingInstalled == file {
      program.stage.fail("update #\(number) was reported as not installed while the tag installs it")
    }
  }

  fileprivate func updated() {
    guard let connection else { return }
    if !program.life.stage.world.tags[connection.tag].journal.installed.contains(file) {
      program.stage.fail("update #\(number) succeeded, but the tag has not installed its image")
    }
  }
}
