import EventLoop
import JacquardWire

/// One update of a tag, its gear or its modules, over as many links as it takes.
///
/// Every link begins with the same questions: which version is installed, and what of the image is stored? The answers
/// decide how to continue, so no interruption needs a case of its own.
final class FirmwareUpdate {
  /// The most attempts in a row without progress, each ended by a lost link or a time limit.
  private static let fruitlessAttempts = 5

  private let connection: Connection
  private let images: [FirmwareImage]
  private let options: UpdateOptions
  private let checks: FirmwareChecks
  private let suspended: SuspendedModules
  private let report: (UpdateProgress) -> Void
  private var grant = TagReservation.Grant()
  private var core: Core { connection.core }
  private var rate = TransferRate()
  private var progress = UpdateProgress(phase: .checking, image: 0, done: 0, total: 0)
  /// The images that are for gear.
  private var gearImages: Set<Int> = []
  /// How much of the present image the tag has stored at any time.
  private var furthest = 0
  /// Grows whenever the tag has stored more than ever before, or has done something.
  private var achievements = 0
  /// No module may be loaded on any link from the end of the checks until the update ends.
  private(set) var excludesModules = false

  init(
    _ connection: Connection, _ images: [FirmwareImage], _ options: UpdateOptions,
    _ report: @escaping (UpdateProgress) -> Void
  ) {
    self.connection = connection
    self.images = images
    self.options = options
    checks = FirmwareChecks(connection: connection, options: options)
    suspended = SuspendedModules(connection, checks)
    self.report = report
  }

  func run() async throws(JacquardError) -> [UpdateResult] {
    enter(.checking)
    // Even a status request of another update would change the image to which the tag adds the blocks.
    defer { connection.reservation.release(.firmware, grant) }
    try await overLinks { _ throws(JacquardError) in }
    await awaitCancelledExecution()
    var results = try await overLinks { [self] tag throws(JacquardError) in try await check(on: tag) }
    guard options.mode != .check, results.contains(where: { $0.outcome == .pending }) else { return results }
    let inhibitor = await core.bluez.inhibitSleep("libjacquard", "Updating the firmware of a Jacquard tag")
    defer { inhibitor?.close() }
    excludeModules(true)
    do throws(JacquardError) {
      for index in inOrder where results[index].outcome == .pending {
        // The last byte of a module installs it.
        if options.mode == .transfer, images[index].identity.module != nil { continue }
        results[index] = try await install(index, before: results[index].before)
      }
    } catch {
      await restoreModules()
      throw error
    }
    await restoreModules()
    return results
  }

  /// Gear, then the tag, then modules, as in the reference SDK for iOS.
  private var inOrder: [Int] {
    let ranks = images.indices.map { index in
      gearImages.contains(index) ? 0 : images[index].identity.module == nil ? 1 : 2
    }
    return images.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
  }

  // MARK: Links

  /// Runs `body` on one link after the other until it has succeeded or fails for a reason other than the link.
  private func overLinks<Answer>(
    _ body: (Tag) async throws(JacquardError) -> Answer
  ) async throws(JacquardError) -> Answer {
    var fruitless = 0
    while true {
      let before = achievements
      let tag = try await nextTag()
      do throws(JacquardError) {
        grant = try await connection.reservation.renew(.firmware, grant)
        return try await body(tag)
      } catch {
        try JacquardError.checkCancellation()
        fruitless = achievements > before ? 0 : fruitless + 1
        // A call can fail because of the loss of the link before the loss is reported.
        if error.isOfTransport, !tag.isStale { _ = try await tag.linkEnds(within: Deadlines.closingDelay) }
        let mayContinue = tag.isStale && !error.isFinal || error.isOfTransport
        guard mayContinue, fruitless < Self.fruitlessAttempts else { throw error }
        core.log(.info, .link, of: connection.identifier, "the firmware update continues: \(error.message)")
        rate.restart()
      }
    }
  }

  private func nextTag() async throws(JacquardError) -> Tag {
    if let tag = connection.state.tag, !tag.isStale { return tag }
    let phase = progress.phase
    if phase != .restarting { enter(.waiting) }
    let tag = try await connection.currentTag()
    enter(phase)
    return tag
  }

  private func enter(_ phase: UpdateProgress.Phase) {
    progress.phase = phase
    progress.bytesPerSecond = nil
    report(progress)
  }

  // MARK: Before anything is changed

  private func check(on tag: Tag) async throws(JacquardError) -> [UpdateResult] {
    let modules = try await checks.modules(of: tag)
    try await checks.refuseCapture(tag, modules)
    var results: [UpdateResult] = []
    for (index, image) in images.enumerated() {
      let component = try await checks.component(of: image, tag)
      if component != nil { gearImages.insert(index) }
      let installed = try await checks.version(of: image, component, tag, modules)
      if let installed, installed == image.identity.version {
        results.append(
          UpdateResult(outcome: .alreadyInstalled, before: installed, after: installed, stored: image.bytes.count))
        continue
      }
      if let installed, installed > image.identity.version, !options.allowsDowngrade {
        throw JacquardError(
          .downgrade, "The image has version \(image.identity.version), and \(installed) is installed.")
      }
      let stored = try await checks.stored(of: image, tag)
      let before = installed ?? TagInfo.Version(major: 0, minor: 0, point: 0)
      results.append(
        UpdateResult(outcome: .pending, before: before, after: before, stored: stored.intactBytes(of: image) ?? 0))
    }
    if results.contains(where: { $0.outcome == .pending }) { try await checks.checkBattery(of: tag) }
    suspended.begin(with: modules)
    return results
  }

  // MARK: One image

  private func install(_ index: Int, before: TagInfo.Version) async throws(JacquardError) -> UpdateResult {
    let image = images[index]
    (progress.image, progress.done, progress.total) = (index, 0, image.bytes.count)
    rate.restart()
    furthest = 0
    var result = UpdateResult(outcome: .transferred, before: before, after: before, stored: image.bytes.count)
    if try await transfer(image) {
      if image.identity.module == nil {
        guard options.mode == .install else { return result }
        try await execute(image, before)
      }
    }
    result.outcome = .installed
    result.after = image.identity.version
    result.hasStaleServices = await warnOfStaleServices()
    core.log(.info, .link, of: connection.identifier, "the firmware is \(image.name)")
    return result
  }

  /// Returns false if the version turns out to be installed: another program has finished, or the response to the last
  /// block of a module was lost.
  private func transfer(_ image: FirmwareImage) async throws(JacquardError) -> Bool {
    var transfer = ImageTransfer(image)
    var (contradictions, refusal) = (0, JacquardError?.none)
    var foundComplete: LoopInstant?
    return try await overLinks { [self] tag throws(JacquardError) in
      enter(.transferring)
      let modules = try await checks.modules(of: tag)
      let gear = try await checks.component(of: image, tag)
      if try await checks.version(of: image, gear, tag, modules) == image.identity.version { return false }
      try await suspended.unload(modules, on: tag)
      var step = transfer.resume(try await checks.stored(of: image, tag))
      note(transfer)
      while true {
        try refuseOtherGear(than: gear)
        switch step {
        case .prepare:
          try await tag.prepare(image, component: gear?.info.id ?? 0)
          connection.firmware.unexecuted.insert(image.identity)
          step = transfer.prepared()
        case .write(let block):
          do throws(JacquardError) {
            step = try transfer.wrote(block, try await tag.write(block, of: image))
            connection.firmware.unexecuted.insert(image.identity)
            refusal = nil
          } catch {
            // The tag may have stored the block all the same, and another program may have selected another image.
            guard [TagStatus.busy, .invalidState].contains(TagStatus(rawValue: error.tagStatus)) else { throw error }
            refusal = error
            step = .askAgain
          }
          if transfer.offset > furthest { contradictions = 0 }
          note(transfer)
        case .askAgain:
          contradictions += 1
          try await pause(afterContradictions: contradictions, refusal)
          step = transfer.resume(try await checks.stored(of: image, tag))
        case .complete:
          let since = foundComplete ?? core.loop.now
          foundComplete = since
          if try await isTransferred(image, to: tag, since) { return true }
          if try await checks.version(of: image, gear, tag, modules) == image.identity.version { return false }
          step = transfer.resume(try await checks.stored(of: image, tag))
        }
      }
    }
  }

  private func pause(afterContradictions count: Int, _ refusal: JacquardError?) async throws(JacquardError) {
    guard count <= core.deadlines.busyPauses.count else {
      throw refusal ?? JacquardError(.damagedFirmware, "The tag repeatedly reported an offset that was not sent.")
    }
    do { try await core.loop.sleep(core.deadlines.busyPauses[count - 1]) } catch { throw .cancelled }
  }

  /// Returns false if the tag may have been installing the whole image since it was found there.
  private func isTransferred(
    _ image: FirmwareImage, to tag: Tag, _ since: LoopInstant
  ) async throws(JacquardError) -> Bool {
    if image.identity.module != nil {
      try await checkInstalled(image, tag)
      return true
    }
    guard options.mode == .install, !connection.firmware.unexecuted.contains(image.identity) else { return true }
    let left = core.deadlines.firmwareExecution - since.duration(to: core.loop.now)
    guard left > .zero else { return true }
    try await awaitInstallation(on: tag, within: left)
    return false
  }

  /// A tag may be installing an image that is found complete: another program, or a connection that has ended, may have
  /// sent the execute request, and not every tag responds to other requests with "busy" then. A tag that has accepted a
  /// part of the image since then is not installing it.
  private func awaitInstallation(on tag: Tag, within limit: Duration) async throws(JacquardError) {
    core.log(.info, .link, of: connection.identifier, "the tag has the whole image already, and may be installing it")
    guard try await tag.linkEnds(within: limit) else { return }
    throw JacquardError(.connectionLost, JacquardError.Code.connectionLost.text)
  }

  private func note(_ transfer: ImageTransfer) {
    guard transfer.offset != progress.done || transfer.offset == 0 else { return }
    if transfer.offset > furthest {
      furthest = transfer.offset
      achievements += 1
    }
    progress.done = transfer.offset
    rate.note(transfer.offset, at: core.loop.now)
    progress.bytesPerSecond = rate.bytesPerSecond
    report(progress)
  }

  /// A tag may list the module only after a moment.
  private func checkInstalled(_ image: FirmwareImage, _ tag: Tag) async throws(JacquardError) {
    var pauses = core.deadlines.busyPauses[...]
    while true {
      let installed = try await tag.modules().first { image.isFor($0) }?.version
      if installed == image.identity.version { return }
      guard let pause = pauses.popFirst() else {
        throw JacquardError(
          .notInstalled,
          "The tag stored the whole module but \(installed.map { "has version \($0)" } ?? "does not list it").")
      }
      do { try await core.loop.sleep(pause) } catch { throw .cancelled }
    }
  }

  private func refuseOtherGear(than gear: Component?) throws(JacquardError) {
    guard let gear, connection.state.tag?.isStale == false else { return }
    guard case .some(let current?) = connection.gear.gear, current === gear else {
      throw JacquardError(.gearMissing, "The gear was detached during its update.")
    }
  }

  // MARK: Modules

  private func excludeModules(_ exclude: Bool) {
    excludesModules = exclude
    connection.state.tag?.link.isUpdating = exclude
  }

  private func restoreModules() async {
    excludeModules(false)
    await suspended.restore()
  }

  // MARK: Installing

  /// The request is sent once, and only the installed version shows whether the tag has received it.
  private func execute(_ image: FirmwareImage, _ before: TagInfo.Version) async throws(JacquardError) {
    // The battery is read again: it may have drained, or the image may have been stored long ago.
    let refusal: JacquardError? = try await overLinks { [self] tag throws(JacquardError) in
      let isGear = try await checks.component(of: image, tag) != nil
      try await suspended.unload(try await checks.modules(of: tag), on: tag)
      try await checks.checkBattery(of: tag)
      try JacquardError.checkCancellation()
      enter(.executing)
      do throws(JacquardError) {
        try await tag.execute(image) { [connection] in
          connection.firmware.unexecuted.remove(image.identity)
          connection.firmware.execution = FirmwareExecution(image, connection, before: before, isGear: isGear)
        }
      } catch {
        guard connection.firmware.execution != nil else { throw error }
        // "Busy": another program has sent it already.
        let isBusy = error.tagStatus == TagStatus.busy.rawValue
        if error.isCancellation || !isBusy && !tag.isStale && !error.isOfTransport { return error }
        connection.firmware.execution?.isUnanswered = !isBusy
      }
      if !isGear { enter(.restarting) }
      return nil
    }
    if let refusal {
      if !refusal.isCancellation { connection.firmware.execution = nil }
      throw refusal
    }
    try await awaitExecution()
  }

  private func awaitExecution() async throws(JacquardError) {
    do throws(JacquardError) {
      try await connection.firmware.execution?.outcome()
    } catch {
      if !error.isCancellation { connection.firmware.execution = nil }
      throw error
    }
    connection.firmware.execution = nil
  }

  /// Waits for the outcome of an earlier call that was cancelled after the request: the tag may be about to restart.
  /// The checks show the outcome.
  private func awaitCancelledExecution() async {
    do throws(JacquardError) {
      try await awaitExecution()
    } catch {
      core.log(.info, .link, of: connection.identifier, "the previous firmware update: \(error.message)")
    }
  }

  // MARK: Afterwards

  /// Firmware from 1.43.0 on accepts writes with response. If BlueZ still reports the services of older firmware, they
  /// work, only slower. A bonded device is never removed for that.
  private func warnOfStaleServices() async -> Bool {
    guard let tag = connection.state.tag, !tag.isStale, !tag.link.writesRequests,
      tag.info.firmware >= TagInfo.Version(major: 1, minor: 43, point: 0)
    else { return false }
    core.log(
      .warning, .link, of: connection.identifier,
      "bluetoothd uses the tag's services of the previous firmware; restart bluetoothd, or bind the tag again")
    return true
  }
}

extension JacquardError {
  /// Neither the tag's response nor a refusal: only the tag's status can say whether it has executed the request.
  fileprivate var isOfTransport: Bool {
    switch code {
    case .timeout, .malformedResponse, .busUnavailable, .bluezUnavailable, .poweredOff, .connectFailed, .connectionLost,
      .deviceGone, .gatt, .staleTag:
      true
    default: false
    }
  }

  /// Whether the error ends the update, whatever the next link brings.
  fileprivate var isFinal: Bool { code == .notInstalled || code == .damagedFirmware }
}
