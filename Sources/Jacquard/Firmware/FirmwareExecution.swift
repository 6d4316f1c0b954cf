import EventLoop
import JacquardWire

/// The installation of an image on the tag or its gear, from the execute request until its outcome is known, over any
/// number of links.
///
/// Only the installed version is an outcome, and until `firmwareExecution` has passed the old version means nothing: a
/// tag may discard the image when it executes it, respond until it restarts, and lose the link before it restarts.
final class FirmwareExecution {
  private struct Installed {
    var part: Component
    var tag: Tag
  }

  private unowned let connection: Connection
  private let image: FirmwareImage
  private let before: TagInfo.Version
  private let isGear: Bool
  private let began: LoopInstant
  /// The tag has not responded to the request, which may be lost.
  var isUnanswered = false
  /// The status in the gear's report of the end of its update.
  private var report: UInt32?
  private var reports: Observers<WireDFUExecuteUpdateNotification>.Observation?
  /// The report, each state of the connection, and each change of the gear.
  private let events = Observers<Void>()

  /// Created before the request is sent, because the report may arrive before the response.
  init(_ image: FirmwareImage, _ connection: Connection, before: TagInfo.Version, isGear: Bool) {
    self.connection = connection
    self.image = image
    self.before = before
    self.isGear = isGear
    began = connection.core.loop.now
    reports = connection.notifications.workReports.firmware.add { [weak self] in
      guard $0.vendorID == image.identity.vendor.rawValue, $0.productID == image.identity.product.rawValue else {
        return
      }
      self?.report = $0.status
      self?.events.send(())
    }
  }

  deinit { reports?.cancel() }

  private var deadlines: Deadlines { connection.core.deadlines }
  private var elapsed: Duration { began.duration(to: connection.core.loop.now) }
  private var left: Duration { max(.zero, deadlines.firmwareExecution - elapsed) }

  /// Returns when the version of the image is installed.
  func outcome() async throws(JacquardError) {
    while let installed = try await current() {
      var version = installed.part.info.firmware
      // Gear that is busy does not respond with its version.
      let isUnknown = isGear && version == TagInfo.Version(major: 0, minor: 0, point: 0)
      if version == before || isUnknown {
        if try await isReplaced(installed) { continue }
        guard let present = try await readVersion(installed) else { continue }
        version = present
      }
      if version == image.identity.version { return }
      throw try await failure(installed, version)
    }
    if isGear, connection.state.tag?.isStale == false {
      throw JacquardError(.notInstalled, "The gear was detached while its firmware was installed.")
    }
    throw JacquardError(
      .notInstalled, "The tag has not returned within \(deadlines.firmwareReturn.components.seconds) s.",
      advice: "Wait, wake the tag by moving it, and read its version: it may still be installing.")
  }

  /// The component that the image is for. Nil if it does not return in time.
  private func current() async throws(JacquardError) -> Installed? {
    guard elapsed < deadlines.firmwareExecution + deadlines.firmwareReturn else { return nil }
    let isLinked = connection.state.tag?.isStale == false
    return try await event(within: isGear && isLinked ? left + deadlines.gearReport : deadlines.firmwareReturn) {
      [connection, image, isGear] () throws(JacquardError) -> Installed? in
      if connection.hasEnded { throw connection.state.reason ?? JacquardError(.closed, JacquardError.Code.closed.text) }
      guard let tag = connection.state.tag, !tag.isStale else { return nil }
      guard isGear else { return Installed(part: tag.component, tag: tag) }
      guard let gear = connection.gear.gear ?? nil, gear.info.vendor == image.identity.vendor,
        gear.info.product == image.identity.product
      else { return nil }
      return Installed(part: gear, tag: tag)
    }
  }

  private func isCurrent(_ installed: Installed) -> Bool {
    guard !installed.tag.isStale else { return false }
    return !isGear || connection.gear.gear.map { $0 === installed.part } ?? false
  }

  /// Returns true when the link or the attachment of the gear has ended; false when the gear has reported the end of
  /// its update, or the old version is an outcome.
  private func isReplaced(_ installed: Installed) async throws(JacquardError) -> Bool {
    _ = try await event(within: left) { [self] () throws(JacquardError) -> Bool? in
      !isCurrent(installed) || report != nil ? true : nil
    }
    if let report, report != 0 {
      var error = JacquardError(.notInstalled, "The gear reported \"\(TagStatus(rawValue: report))\".")
      error.tagStatus = report
      throw error
    }
    return !isCurrent(installed)
  }

  /// Nil if the link or the attachment of the gear has ended.
  private func readVersion(_ installed: Installed) async throws(JacquardError) -> TagInfo.Version? {
    do throws(JacquardError) {
      return try await installed.part.readInfo().firmware
    } catch {
      if error.isCancellation { throw error }
      guard isCurrent(installed) else { return nil }
      throw JacquardError(.notInstalled, "The installed version cannot be read: \(error.message)")
    }
  }

  private func failure(
    _ installed: Installed, _ version: TagInfo.Version
  ) async throws(JacquardError) -> JacquardError {
    let name = isGear ? "gear" : "tag"
    guard version == before else {
      return JacquardError(
        .notInstalled, "The \(name) has version \(version) instead of \(image.identity.version) after its update.")
    }
    if isGear { return JacquardError(.notInstalled, "The gear still has its old version \(version).") }
    do throws(JacquardError) {
      guard try await installed.tag.storedImage(image).intactBytes(of: image) != image.bytes.count else {
        // The next update need not wait for an installation.
        if isUnanswered { connection.firmware.unexecuted.insert(image.identity) }
        let cause = isUnanswered ? "did not respond to the request to install the image, and " : ""
        return JacquardError(
          .notInstalled, "The tag \(cause)still has its old version \(version), and the whole image is stored.")
      }
    } catch {
      if error.isCancellation { throw error }
      return JacquardError(.notInstalled, "The tag still has its old version \(version).")
    }
    return JacquardError(
      .notInstalled, "The tag still has its old version \(version), and has discarded the image.",
      advice: "The tag refused the image: use another one.")
  }

  private func event<Value>(
    within limit: Duration, _ condition: @escaping () throws(JacquardError) -> Value?
  ) async throws(JacquardError) -> Value? {
    let states = connection.states.add { [events] _ in events.send(()) }
    let changes = connection.gear.changes.add { [events] _ in events.send(()) }
    defer {
      states.cancel()
      changes.cancel()
    }
    return try await events.until(within: limit, on: connection.core.loop, condition)
  }
}
