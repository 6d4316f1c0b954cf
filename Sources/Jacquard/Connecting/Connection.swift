import BlueZ
import EventLoop

/// A request to stay connected to one tag. It ends when its owner ends it, or when reconnecting cannot succeed.
public final class Connection {
  public enum TimeLimit: Sendable {
    /// That of `Deadlines`; none for a tag that is bound to this machine.
    case usual
    case after(Duration)
    case unlimited
  }

  public struct Options: Sendable {
    /// Of the first connection.
    public var timeout = TimeLimit.usual
    public var waitForAdapter = false
    /// The required owner if the tag is bound; nil: any.
    public var owner: String?

    public init() {}
  }

  public let identifier: TagIdentifier
  public let states = Observers<ConnectionState>()
  public private(set) var state = ConnectionState(phase: .preparing, step: 0, attempt: 1)
  public let notifications: Notifications
  public let gear: GearMonitor
  public let name: NameMonitor

  let core: Core
  private let options: Options
  private let binding: BindingProcess?
  private let tagLock: TagLock
  private let followed: FollowedDevice
  private let owner: String?
  /// The tag is bound here, and its record has not been updated for this connection yet.
  private var recordIsOld = false
  private var task: Task<Void, Never>?
  private var firstConnectionTimer: LoopTimer?
  /// Whether the tag was seen in any attempt.
  private var tagWasKnown = false
  /// A connection that is refused because another one exists has no subscriptions, but it also ends with the manager.
  private var hasTried = false
  /// The current attempt, until its link is down.
  private var attempt: Attempt?
  private var lossReport = LossReport()
  private var lostBond = LostBondDetector()
  private var missingBond = MissingBondDetector()
  /// The tag was bound here when the connection began.
  private var isBoundHere = false
  /// The address of the adapter with the bond. On another adapter a missing bond is not conclusive.
  private var adapterWithBond: String?
  /// The firmware update that is running, over any number of links.
  var update: FirmwareUpdate?
  /// The time at which the connection began to wait for the tag with a usable adapter.
  private var awaySince: LoopInstant
  /// Set once: the connection must end, with this reason or none.
  private var ending: JacquardError??

  init(
    _ core: Core, _ identifier: TagIdentifier, _ options: Options, _ binding: Binding?, _ statistics: Statistics
  ) {
    self.core = core
    self.identifier = identifier
    self.options = options
    self.binding = binding.map { BindingProcess(core, identifier, $0) }
    owner = binding?.owner ?? options.owner
    tagLock = TagLock(identifier, core.loop)
    followed = FollowedDevice(core.cache)
    notifications = Notifications(log: core.log, statistics: statistics)
    gear = GearMonitor(
      notifications, loop: core.loop, log: core.log, busyPauses: core.deadlines.busyPauses)
    name = NameMonitor()
    awaySince = core.loop.now
  }

  var hasEnded: Bool { state.phase == .disconnected }
  var isEnding: Bool { ending != nil }

  /// - Parameter predecessor: an ending connection to the same tag; this one begins when that link is down.
  func start(after predecessor: Connection? = nil) {
    task = core.loop.spawn { [self, before = predecessor?.task] in
      await before?.value
      await live()
    }
    let known = core.knownTags.lookUp(identifier)
    isBoundHere = known != nil
    recordIsOld = isBoundHere && binding == nil
    if let owner, let recorded = known?.owner, owner != recorded { return end(.otherOwner) }
    core.knownTags.want(identifier, true)
    if let limit = firstConnectionLimit(isKnown: known != nil) {
      firstConnectionTimer = core.loop.schedule(after: limit) { [weak self] in self?.firstConnectionTimedOut() }
    }
  }

  private func firstConnectionLimit(isKnown: Bool) -> Duration? {
    switch options.timeout {
    case .usual: isKnown && binding == nil ? nil : core.deadlines.firstConnection
    case .after(let limit): limit
    case .unlimited: nil
    }
  }

  /// Replaces `start` if the connection is refused. The connection ends immediately, and reports this like any other end.
  func refuse(_ error: JacquardError) {
    task = core.loop.spawn { [self] in await live() }
    end(error)
  }

  /// Drops the link; reports `disconnected` when it is down. The tag is not wanted at the next start.
  public func disconnect() {
    core.knownTags.want(identifier, false)
    end(nil)
  }

  /// The same without changing what is wanted at the next start.
  public func close() { end(nil) }

  private func end(_ reason: JacquardError?) {
    guard ending == nil else { return }
    ending = .some(reason)
    if reason?.code.needsPerson ?? false { core.knownTags.want(identifier, false) }
    task?.cancel()
  }

  /// Returns when the connection has ended.
  func ended() async { await task?.value }

  private func firstConnectionTimedOut() {
    let text = state.reason.map { " The last attempt failed: \($0.message)" } ?? ""
    end(
      tagWasKnown
        ? JacquardError(.timeout, "The tag could not be connected in time.\(text)")
        : JacquardError(.notFound, "The tag was not found in time.\(text)"))
  }

  /// Called when the manager ends: requests the disconnect without waiting for it.
  func closeWithoutWaiting() {
    end(nil)
    tagLock.release()
    attempt?.dropLinkWithoutWaiting()
    binding?.takeBackWithoutWaiting()
  }

  // MARK: The life cycle of a connection

  private func live() async {
    while ending == nil, let adapter = await usableAdapter() {
      let attempt = newAttempt(on: adapter)
      self.attempt = attempt
      do throws(JacquardError) {
        let tag = try await attempt.run()
        await whileConnected(tag, attempt)
      } catch {
        let error = explained(error, attempt)
        let isMendable = error.code == .bondLost && binding?.replacesBond() == true
        if error.code.endsConnections, !isMendable { end(error) } else { await retry(attempt, after: error) }
      }
    }
    firstConnectionTimer?.cancel()
    await dropLink(JacquardError(.closed, "The connection was closed."))
    if hasTried { core.endSubscriptions(to: identifier) }
    if let binding { await core.loop.spawn { await binding.takeBack() }.value }
    tagLock.release()
    gear.linkIsLost()
    publish(ConnectionState(phase: .disconnected, step: 0, attempt: state.attempt, reason: ending ?? nil))
    states.removeAll()
    notifications.removeAllObservers()
    gear.changes.removeAll()
    name.end()
    followed.end()
  }

  /// Nil if the connection must end.
  private func usableAdapter() async -> Adapter? {
    let before = core.loop.now
    do throws(JacquardError) {
      let adapter = try await core.monitor.checks.until { [self] () throws(JacquardError) in try adapterIfUsable() }
      if core.loop.now > before { awaySince = core.loop.now }
      return adapter
    } catch {
      if !error.isCancellation { end(error) }
      return nil
    }
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
      guard options.waitForAdapter else {
        throw status.error ?? JacquardError(.noAdapter, JacquardError.Code.noAdapter.text)
      }
      return nil
    }
  }

  private func newAttempt(on adapter: Adapter) -> Attempt {
    hasTried = true
    return Attempt(
      core, identifier, on: adapter, awaySince: awaySince, tagLock, binding, expectsBond: expectsBond(on: adapter),
      bondIsSuspected: missingBond.isSuspected, name, followed, notifications
    ) { [weak self] in self?.attemptCame(to: $0, $1) }
  }

  private func expectsBond(on adapter: Adapter) -> Bool {
    guard binding?.isDone ?? isBoundHere else { return false }
    return adapterWithBond.map { $0 == adapter.address } ?? true
  }

  private func attemptCame(to phase: Phase, _ step: Step?) {
    if step == .tagKnown { tagWasKnown = true }
    publish(
      ConnectionState(phase: phase, step: step?.rawValue ?? state.step, attempt: state.attempt, reason: state.reason))
    if step == .servicesResolved { lostBond.linkHolds() }
    if step == .firstNotificationsEnabled { missingBond.subscriptionAnswered() }
  }

  private func whileConnected(_ tag: Tag, _ attempt: Attempt) async {
    firstConnectionTimer?.cancel()
    adapterWithBond = attempt.adapterWithBond ?? adapterWithBond
    if recordIsOld { core.knownTags.noteConnection(tag.info) }
    recordIsOld = false
    notifications.statistics.countLink()
    if tag.info.hasFaultyFirmware {
      core.log(
        .warning, .link,
        "\(identifier.text) has firmware \(tag.info.firmware), which the vendor's programs replaced before use")
    }
    tag.link.isUpdating = update?.excludesModules ?? false
    lossReport.linkIsUp(slept: core.timeAsleep())
    publish(ConnectionState(phase: .connected, step: Step.connected.rawValue, attempt: state.attempt, tag: tag))
    gear.linkIsReady(tag)
    notifications.linkIsReady()
    guard let loss = await attempt.loss() else { return }
    awaySince = core.loop.now
    lossReport.lost(loss.reason, at: awaySince)
    gear.linkIsLost()
    notifications.linkBegins()
    guard ending == nil else { return }
    core.log(.info, .link, "\(identifier.text) lost: \(loss.error.message)")
    publish(ConnectionState(phase: .preparing, step: 0, attempt: 1, reason: loss.error))
    await dropLink(loss.error)
  }

  private func explained(_ error: JacquardError, _ attempt: Attempt) -> JacquardError {
    let reason = error.lossReason
    if let reason { lossReport.lost(reason, at: core.loop.now) }
    guard let device = attempt.device else { return error }
    let isHopeless =
      device.isBonded && state.step < Step.servicesResolved.rawValue && lostBond.attemptFailed(device.link)
    let isEnded = missingBond.isSuspected && reason == .local
    let isDemanded = (attempt.bondMayBeDemanded || isEnded) && !device.isBonded && missingBond.linkStopped()
    return core.explained(
      error, device, bondIsLost: isHopeless || reason == .authentication, bondIsDemanded: isDemanded)
  }

  private func retry(_ attempt: Attempt, after error: JacquardError) async {
    guard ending == nil else { return }
    let number = state.attempt
    core.log(.info, .link, "\(identifier.text) attempt \(number) failed: \(error.message)")
    let device = attempt.device
    await dropLink(error)
    if let device, error.code == .bondLost || error.code == .incompleteGatt && !device.isBonded {
      await core.forget(device)
      lostBond = LostBondDetector()
    }
    guard ending == nil else { return }
    publish(ConnectionState(phase: .preparing, step: 0, attempt: number &+ 1, reason: error))
    let length = attempt.began.duration(to: core.loop.now)
    try? await core.loop.sleep(core.deadlines.pause(afterAttempt: Int(number), ofLength: length))
  }

  private func dropLink(_ error: JacquardError) async {
    guard let attempt else { return }
    self.attempt = nil
    if state.step >= Step.linkUp.rawValue, attempt.linkIsUp { lossReport.dropped() }
    await attempt.dropLink(error)
  }

  // MARK: The reported state

  private func explainLoss(by cause: DisconnectReason) {
    guard lossReport.explain(by: cause, at: core.loop.now) else { return }
    publish(state)
  }

  private func publish(_ new: ConnectionState) {
    lossReport.explainBySleep(core.timeAsleep(), at: core.loop.now)
    state = new
    state.disconnectReason = lossReport.reason
    core.log(.debug, .link, "\(identifier.text) \(new.phase.name) \(new.step)/\(ConnectionState.totalSteps)")
    states.send(state)
  }
}
