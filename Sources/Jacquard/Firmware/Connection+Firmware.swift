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

/// The state of firmware that a connection has sent to its tag, over any number of links.
struct FirmwareWork {
  /// The update that is running.
  var update: FirmwareUpdate?
  /// The installation whose outcome is not known yet, even after its update was cancelled.
  var execution: FirmwareExecution?
  /// The images that the tag is not installing: it has accepted a part of them from this connection since it was last
  /// asked to execute them, or has neither responded to that request nor installed them in time.
  var unexecuted: Set<FirmwareImage.Identity> = []
}
