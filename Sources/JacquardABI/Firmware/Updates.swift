import CJacquard
import Jacquard

@_cdecl("jacquard_connection_update_firmware") @implementation
public func jacquard_connection_update_firmware(
  _ connection: OpaquePointer?, _ images: UnsafePointer<OpaquePointer?>?, _ imagesCount: Int,
  _ options: UnsafePointer<jacquard_update_options>?, _ progress: jacquard_update_progress_callback?,
  _ callback: jacquard_update_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    let images = try Arguments.images(images, imagesCount)
    let options = try UpdateOptions(Arguments.options(options))
    return try handle.request(userData, destroy, request) { registration in
      try await handle.current().updateFirmware(images, options) { state in
        guard let progress else { return }
        var copy = jacquard_update_progress(state)
        registration.call { progress(&copy, $0) }
      }
    } _: { result, userData in
      switch result {
      case .success(let results): withC(results) { callback($0, results.count, nil, userData) }
      case .failure(let error): withCError(error) { callback(nil, 0, $0, userData) }
      }
    }
  }
}

extension Arguments {
  private static let mostImages = 16

  fileprivate static func images(_ pointer: UnsafePointer<OpaquePointer?>?, _ count: Int) throws -> [FirmwareImage] {
    guard (1...mostImages).contains(count) else {
      throw JacquardError.invalid("images_count is \(count); expected 1 to \(mostImages).")
    }
    let images = try UnsafeBufferPointer(start: required(pointer, "images"), count: count).map { handle in
      guard let object = try Handles.find(required(handle, "An image"), as: FirmwareHandle.self) else {
        throw JacquardError(.invalidHandle, JacquardError.Code.invalidHandle.text)
      }
      return object.image
    }
    for (index, image) in images.enumerated() {
      let isRepeated = images[..<index].contains {
        $0.identity.vendor == image.identity.vendor && $0.identity.product == image.identity.product
          && $0.identity.module == image.identity.module
      }
      guard !isRepeated else { throw JacquardError.invalid("Two images are for the same component.") }
    }
    return images
  }
}

extension UpdateOptions {
  fileprivate init(_ given: jacquard_update_options?) throws {
    self.init()
    guard let given else { return }
    guard let mode = Mode(rawValue: given.mode) else {
      throw JacquardError.invalid("mode is not a valid jacquard_update_mode.")
    }
    self.mode = mode
    allowsDowngrade = try Arguments.flag(given.allow_downgrade, "allow_downgrade")
    overwrites = try Arguments.flag(given.overwrite, "overwrite")
    guard given.least_battery != 0 else { return }
    guard (Self.lowestBattery...100).contains(given.least_battery) else {
      throw JacquardError.invalid(
        "least_battery is \(given.least_battery); expected \(Self.lowestBattery) to 100, or 0.")
    }
    leastBattery = given.least_battery
  }
}

extension jacquard_update_progress {
  fileprivate init(_ state: UpdateProgress) {
    self.init(
      phase: state.phase.rawValue, image: UInt32(state.image), stored: UInt32(state.done),
      total: UInt32(state.total), bytes_per_second: state.bytesPerSecond ?? 0,
      seconds_left: state.remaining.map { $0 / .seconds(1) } ?? -1)
  }
}

private func withC(
  _ results: [UpdateResult], _ body: (UnsafePointer<UnsafePointer<jacquard_update_result>?>?) -> Void
) {
  let copies = results.map { result in
    jacquard_update_result(
      outcome: result.outcome.rawValue,
      before: (result.before.major, result.before.minor, result.before.point),
      after: (result.after.major, result.after.minor, result.after.point), stored: UInt32(result.stored),
      stale_services: result.hasStaleServices ? 1 : 0)
  }
  withPointers(to: copies, body)
}
