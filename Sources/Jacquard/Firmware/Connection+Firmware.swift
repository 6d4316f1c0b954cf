extension Connection {
  /// Installs images in the order gear, tag, modules, over as many links as it takes, and verifies the versions.
  /// Cancelling the task before an image is executed leaves the installed firmware as it is, and the transferred part
  /// on the tag.
  public func updateFirmware(
    _ images: [FirmwareImage], _ options: UpdateOptions = UpdateOptions(),
    report: @escaping (UpdateProgress) -> Void = { _ in }
  ) async throws(JacquardError) -> [UpdateResult] {
    guard firmware.update == nil else {
      throw JacquardError(.updateInProgress, "Another update of this tag is in progress.")
    }
    let update = FirmwareUpdate(self, images, options, report)
    firmware.update = update
    defer { firmware.update = nil }
    return try await update.run()
  }
}
