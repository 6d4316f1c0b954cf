import BlueZ
import EventLoop

/// Links that this program has itself: attempts, what was learned from earlier ones, and healing.
final class DirectSource: LinkSource {
  private let core: Core
  private let identifier: TagIdentifier
  private let reports: TagReports
  private let waitsForAdapter: Bool
  private let gear: GearSetUp
  private let touchWatch: TouchWatch
  private var recovery: Observers<Void>.Observation?
  private var memory: AttemptMemory
  private var lostBond = LostBondDetector()
  private var lossReport = LossReport()
  private var state = ConnectionState(phase: .preparing, step: 0)
  /// The current attempt, until its link is down.
  private var attempt: Attempt?
  /// The last step without a link that an attempt has reached since the tag has been away.
  private var stepWhileAway: Step?
  /// Set only while this connection holds the lock on the tag.
  private var mayHaveSubscriptions = false

  init(_ core: Core, _ identifier: TagIdentifier, _ reports: TagReports, waitsForAdapter: Bool) {
    self.core = core
    self.identifier = identifier
    self.reports = reports
    self.waitsForAdapter = waitsForAdapter
    gear = GearSetUp(
      reports.gear, reports.notifications, loop: core.loop, log: reports.notifications.log,
      busyPauses: core.deadlines.busyPauses)
    touchWatch = TouchWatch(core.loop, limit: core.deadlines.touchSilence) { [bluez = core.bluez] in bluez.suspectHang()
    }
    memory = AttemptMemory(core, reports)
    beginToWatch()
  }

  deinit { recovery?.cancel() }

  /// Values may be missing after a hang of bluetoothd.
  private func beginToWatch() {
    reports.notifications.touches.add { [touchWatch] _ in touchWatch.received() }
    recovery = core.bluez.recoveries.add { [weak self] in
      guard let self, state.phase == .connected else { return }
      reports.interrupted()
      core.log(.warning, .link, of: identifier, "bluetoothd did not respond; values of that time may be lost")
    }
  }

  /// Waits for a usable adapter, makes one attempt, and stays connected.
  func run(admit: @escaping (TagInfo) async throws(JacquardError) -> Void) async throws(JacquardError) {
    let adapter = try await usableAdapter()
    let attempt = Attempt(core, core.knownTags.current(identifier), on: adapter, reports, memory) { [weak self] in
      self?.reached($0, $1)
    }
    self.attempt = attempt
    do throws(JacquardError) {
      let tag = try await attempt.run()
      try await admit(tag.info)
      await whileConnected(tag, attempt)
    } catch {
      let error = explained(error, attempt)
      let isMendable = error.code == .bondLost && reports.bond.bonding?.replacesBond() == true
      if reports.isFinal(error), !isMendable { throw error }
      await retry(attempt, after: error, isMendable: isMendable)
    }
  }

  // MARK: The adapter

  func usableAdapter() async throws(JacquardError) -> Adapter {
    if let adapter = try adapterIfUsable() { return adapter }
    let adapter = try await core.monitor.checks.until { [self] () throws(JacquardError) in try adapterIfUsable() }
    tagIsAway()
    (lostBond, memory.missingBond) = (LostBondDetector(), MissingBondDetector())
    return adapter
  }

  private func adapterIfUsable() throws(JacquardError) -> Adapter? {
    let status = core.monitor.status
    switch status.state {
    case .poweredOn: return core.monitor.adapter
    case .unknown: return nil
    case .resetting:
      explainLoss(by: .serviceGone)
      return nil
    case .unsupported, .unauthorized, .poweredOff:
      explainLoss(by: status.state == .poweredOff ? .poweredOff : .serviceGone)
      guard waitsForAdapter else {
        throw status.error ?? JacquardError(.noAdapter, JacquardError.Code.noAdapter.text)
      }
      return nil
    }
  }

  // MARK: The link

  private func tagIsAway() {
    memory.awaySince = core.loop.now
    stepWhileAway = nil
  }

  private func reached(_ phase: Phase, _ step: Step?) {
    if let step, step <= .tagKnown {
      // An attempt that waits for the tag like the one before it is not progress.
      if let stepWhileAway, step <= stepWhileAway { return }
      stepWhileAway = step
    }
    publish(phase, step?.rawValue ?? state.step, attempt?.doubt ?? state.reason)
    if step == .servicesResolved {
      lostBond.linkHolds()
      mayHaveSubscriptions = true
    }
    if step == .firstNotificationsEnabled { memory.missingBond.subscriptionAnswered() }
  }

  private func whileConnected(_ tag: Tag, _ attempt: Attempt) async {
    lossReport.linkIsUp(slept: core.timeAsleep())
    publish(.connected, Step.connected.rawValue, nil, tag)
    gear.linkIsReady(tag)
    reports.linkIsReady(tag, core.loop)
    guard let loss = await attempt.loss() else { return }
    tagIsAway()
    lossReport.lost(loss.reason, at: memory.awaySince)
    core.log(.info, .link, of: identifier, "lost: \(loss.error.message)")
    attempt.link?.life.end(loss.error)
    gear.linkIsLost()
    reports.linkIsLost()
    reports.attemptHasEnded()
    publish(.preparing, 0, loss.error)
    await close(.failed(loss.error))
  }

  private func explained(_ error: JacquardError, _ attempt: Attempt) -> JacquardError {
    let reason = error.lossReason
    if let reason { lossReport.lost(reason, at: core.loop.now) }
    guard let device = attempt.device else { return error }
    lostBond.attemptFailed(device, at: core.loop.now)
    let isEnded = memory.missingBond.isSuspected && reason == .local
    let hasStopped = (attempt.bondMayBeDemanded || isEnded) && !device.isBonded
    if hasStopped { memory.missingBond.linkStopped() }
    return core.explained(
      error, device, isSuspicious: device.isBonded ? lostBond.suspectedSince != nil : hasStopped && needsDiscovery,
      bondIsDemanded: attempt.bondMayBeDemanded && memory.missingBond.isProven(by: device))
  }

  private var needsDiscovery: Bool { memory.missingBond.needsDiscovery }

  private func retry(_ attempt: Attempt, after error: JacquardError, isMendable: Bool) async {
    guard !Task.isCancelled else { return }
    let number = reports.attempt
    core.log(.info, .link, of: identifier, "attempt \(number) failed: \(error.message)")
    let device = attempt.device
    await close(.failed(error))
    let isDoubted = error.code == .incompleteGatt || error.code == .notBound && needsDiscovery
    if let device, isMendable || isDoubted && !device.hasBond {
      await core.forget(device)
      lostBond = LostBondDetector()
      if error.code == .notBound, device.isGone { memory.missingBond.wasRemoved(device) }
    }
    guard !Task.isCancelled else { return }
    reports.attemptHasEnded()
    publish(.preparing, 0, error)
    if error.code == .inUse, await awaitOtherProgram() { return }
    let length = attempt.began.duration(to: core.loop.now)
    let pause = core.deadlines.retryPauses.after(attempt: Int(number), ofLength: length)
    try? await core.loop.sleep(max(pause, reports.shortestPause))
    if let device { await pauseWhileSuspicious(device) }
  }

  /// Waits until another program of this user, which may have the tag for days, releases it, or the adapter changes.
  /// Returns false at once if no such program has it.
  func awaitOtherProgram() async -> Bool {
    guard let bus = core.bluez.busID else { return false }
    let isOver = Completion<Void, JacquardError>()
    let adapters = core.monitor.changes.add { _ in isOver.succeed(()) }
    let timer = core.loop.schedule(after: core.deadlines.otherProgram) { isOver.succeed(()) }
    defer {
      adapters.cancel()
      timer.cancel()
    }
    return await memory.lock.awaitRelease(of: core.current(identifier), on: bus, or: isOver)
  }

  /// A tag that has lost its bond would be connected to for ever, which drains its battery. A tag that still has it
  /// is connected to at its next advertisement, or when another program requests it.
  private func pauseWhileSuspicious(_ device: Device) async {
    guard let since = lostBond.suspectedSince,
      let pause = core.deadlines.retryPauses.suspicion.value(after: since.duration(to: core.loop.now))
    else { return }
    let isOver = Completion<Void, CancellationError>()
    let advertisements = device.changes.add { change in
      if case .changed(let object, let names) = change, object === device, names.contains("RSSI"), device.rssi != nil {
        isOver.succeed(())
      }
    }
    let adapters = core.monitor.changes.add { _ in isOver.succeed(()) }
    let requests = reports.requests.add { isOver.succeed(()) }
    let timer = core.loop.schedule(after: pause) { isOver.succeed(()) }
    defer {
      advertisements.cancel()
      adapters.cancel()
      requests.cancel()
      timer.cancel()
    }
    try? await isOver.value()
  }

  func close(_ end: LinkEnd) async {
    if let attempt {
      self.attempt = nil
      if state.step >= Step.linkUp.rawValue, attempt.linkIsUp { lossReport.dropped() }
      await attempt.end(end.error)
    }
    if case .failed = end { return }
    if mayHaveSubscriptions { core.endSubscriptions(to: identifier) }
    mayHaveSubscriptions = false
    if case .connectionEnds = end, let bonding = reports.bond.bonding {
      await core.loop.spawn { await bonding.takeBack() }.value
    }
    touchWatch.cancel()
    gear.linkIsLost()
    reports.linkIsLost()
    state = ConnectionState(phase: .preparing, step: 0)
    memory.followed.end()
    memory.lock.release()
  }

  /// Runs `body` when no command is in flight, and no work that continues on the next link only with a delay.
  func betweenCommands(_ body: @escaping () async -> Void) async {
    let reservation = reports.reservation
    while let tag = state.tag {
      guard
        (try? await reservation.idle.until({ () throws(CancellationError) in reservation.isIdle ? () : nil })) != nil
      else { return }
      let isDone = try? await tag.link.commands.inTurn { _ in
        guard reservation.isIdle else { return false }
        await body()
        return true
      }
      guard isDone == false else { return }
    }
    await body()
  }

  /// Ends the link because the service has the next one. For the connection, this link is lost.
  func handOver() async {
    if state.tag != nil { lossReport.dropped() }
    attempt?.link?.life.end(.handedOver)
    gear.linkIsLost()
    reports.linkIsLost()
    reports.attemptHasEnded()
    publish(.preparing, 0, .handedOver)
    await close(.replaced)
  }

  func closeWithoutWaiting() {
    if let device = attempt?.device, device.needsDisconnect {
      attempt?.link?.stopMotionWithoutWaiting()
      device.disconnectWithoutWaiting()
    }
    memory.lock.release()
    reports.bond.bonding?.takeBackWithoutWaiting()
  }

  // MARK: The reported state

  var disconnectReason: DisconnectReason { lossReport.reason }

  private func explainLoss(by cause: DisconnectReason) {
    guard lossReport.explain(by: cause, at: core.loop.now) else { return }
    publish(state.phase, state.step, state.reason, state.tag)
  }

  private func publish(_ phase: Phase, _ step: UInt32, _ reason: JacquardError?, _ tag: Tag? = nil) {
    lossReport.explainBySleep(core.timeAsleep(), at: core.loop.now)
    state = ConnectionState(
      phase: phase, step: step, reason: reason, disconnectReason: lossReport.reason, tag: tag)
    reports.report(state)
  }
}
