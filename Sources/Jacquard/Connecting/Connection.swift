import BlueZ
import EventLoop
import Sharing

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
  let reservation = TagReservation()
  private let carried: CarriedCommands
  private let lent: LentSubscriptions
  /// What the last host of this program said about the gear.
  private var attachmentAsGuest: [UInt8]?
  /// The role of this program among those that share the tag; neither while it has no role.
  private(set) var host: HostRole?
  private var guest: GuestRole?
  private let meeting: Meeting
  /// Another program had the link during this connection.
  private var wasGuest = false
  private let followed: FollowedDevice
  private var touchWatch: TouchWatch?
  private var recovery: Observers<Void>.Observation?
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
  /// The installation whose outcome is not known yet, also after its update was cancelled.
  var execution: FirmwareExecution?
  /// The images of which the tag has accepted a part from this connection since it was last asked to execute them: it is
  /// not installing them.
  var unexecuted: Set<FirmwareImage.Identity> = []
  /// The time at which the connection began to wait for the tag with a usable adapter.
  private var awaySince: LoopInstant {
    didSet { stepWhileAway = nil }
  }
  /// The last step without a link that an attempt has reached since then.
  private var stepWhileAway: Step?
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
    meeting = Meeting(core, identifier, tagLock)
    carried = CarriedCommands(core.loop, limit: core.deadlines.carriedCommands)
    lent = LentSubscriptions(core.loop, limit: core.deadlines.lentSubscriptions) {
      core.endSubscriptions(to: identifier)
    }
    followed = FollowedDevice(core.cache)
    notifications = Notifications(log: core.log, statistics: statistics)
    gear = GearMonitor(
      notifications, loop: core.loop, log: core.log, busyPauses: core.deadlines.busyPauses)
    name = NameMonitor()
    awaySince = core.loop.now
    let touchWatch = TouchWatch(core.loop, limit: core.deadlines.touchSilence) { [weak self] in
      if self?.state.phase == .connected { core.bluez.suspectHang() }
    }
    self.touchWatch = touchWatch
    notifications.touches.add { _ in touchWatch.received() }
    recovery = core.bluez.recoveries.add { [weak self] in self?.serviceRecovered() }
  }

  /// The link is the same, so only this shows that values may be missing: the kernel keeps few of them for a bluetoothd that
  /// hangs.
  private func serviceRecovered() {
    guard state.phase == .connected else { return }
    notifications.statistics.countInterruption()
    core.log(.warning, .link, "\(identifier.text): bluetoothd did not respond; values of that time may be lost")
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
    if let known, let replaced = known.replacedName { name.wasRenamed(from: replaced, to: known.name) }
    name.onRenamed = { [weak self] in self?.wasRenamed($0) }
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
    guest?.close(Self.closed)
    carried.fail(Self.closed)
    lent.end()
    if isHostWithGuests {
      handOver()
    } else {
      attempt?.dropLinkWithoutWaiting()
    }
    leaveSeat()
    binding?.takeBackWithoutWaiting()
  }

  // MARK: The life cycle of a connection

  private func live() async {
    // Closing the loop cancels the task as well.
    while ending == nil, !Task.isCancelled {
      do throws(JacquardError) {
        if let channel = try await meet() {
          await beGuest(channel)
        } else if let host {
          await beHost(host)
        } else {
          await tryOnce()
        }
      } catch {
        guard !error.isCancellation else { continue }
        if error.code.endsConnections { end(error) } else { await pause(after: error) }
      }
    }
    firstConnectionTimer?.cancel()
    if isHostWithGuests, await canHandOver(), isHostWithGuests {
      handOver()
    } else {
      host?.linkWillEnd()
      await dropLink(Self.closed)
    }
    if hasTried { core.endSubscriptions(to: identifier) }
    if let binding { await core.loop.spawn { await binding.takeBack() }.value }
    if case .some(let error?) = ending, error.code.concernsTag { host?.tagFailed(error) }
    leaveSeat()
    carried.fail(Self.closed)
    lent.end()
    gear.linkIsLost()
    publish(ConnectionState(phase: .disconnected, step: 0, attempt: state.attempt, reason: ending ?? nil))
    states.removeAll()
    recovery?.cancel()
    touchWatch?.cancel()
    notifications.removeAllObservers()
    gear.changes.removeAll()
    name.end()
    followed.end()
  }

  /// Waits for a usable adapter, makes one attempt, and stays connected.
  private func tryOnce() async {
    guard let adapter = await usableAdapter() else { return }
    // The programs on another bus must be met there.
    if let host, host.bus != core.bluez.busID { return }
    let attempt = newAttempt(on: adapter)
    self.attempt = attempt
    do throws(JacquardError) {
      let tag = try await attempt.run()
      await whileConnected(tag, attempt)
    } catch {
      if host?.isSuperseded ?? false { return }
      let error = explained(error, attempt)
      let isMendable = error.code == .bondLost && binding?.replacesBond() == true
      if error.code.endsConnections, !isMendable { end(error) } else { await retry(attempt, after: error) }
    }
  }

  /// Nil if the connection must end.
  private func usableAdapter() async -> Adapter? {
    do throws(JacquardError) {
      if let adapter = try adapterIfUsable() { return adapter }
      let adapter = try await core.monitor.checks.until { [self] () throws(JacquardError) in try adapterIfUsable() }
      awaySince = core.loop.now
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
      core, identifier, on: adapter, awaySince: awaySince, tagLock, host, binding,
      expectsBond: expectsBond(on: adapter), bondIsSuspected: missingBond.isSuspected, name, followed, notifications
    ) { [weak self] in self?.attemptCame(to: $0, $1) }
  }

  private func expectsBond(on adapter: Adapter) -> Bool {
    guard binding?.isDone ?? isBoundHere else { return false }
    return adapterWithBond.map { $0 == adapter.address } ?? true
  }

  private func attemptCame(to phase: Phase, _ step: Step?) {
    if step == .tagKnown { tagWasKnown = true }
    if let step, step <= .tagKnown {
      // An attempt that waits for the tag like the one before it is not progress.
      if let stepWhileAway, step <= stepWhileAway { return }
      stepWhileAway = step
    }
    publish(
      ConnectionState(
        phase: phase, step: step?.rawValue ?? state.step, attempt: state.attempt,
        reason: attempt?.otherUse ?? state.reason))
    if step == .servicesResolved { lostBond.linkHolds() }
    if step == .firstNotificationsEnabled { missingBond.subscriptionAnswered() }
  }

  private func whileConnected(_ tag: Tag, _ attempt: Attempt) async {
    adapterWithBond = attempt.adapterWithBond ?? adapterWithBond
    announce(tag)
    if attempt.linkIsTakenOver { reportGearAgain() }
    attachmentAsGuest = nil
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

  private func wasRenamed(_ new: String) {
    guard binding?.isDone ?? isBoundHere else { return }
    core.knownTags.noteName(identifier, new, replaces: name.replacedName)
  }

  private func announce(_ tag: Tag) {
    firstConnectionTimer?.cancel()
    if recordIsOld { core.knownTags.noteConnection(tag.info, replacedName: name.replacedName) }
    recordIsOld = false
    notifications.statistics.countLink()
    if tag.info.hasFaultyFirmware {
      core.log(
        .warning, .link,
        "\(identifier.text) has firmware \(tag.info.firmware), which the vendor's programs replaced before use")
    }
    tag.link.isUpdating = update?.excludesModules ?? false
    tag.link.reservation = reservation
    carried.move(to: tag.link.commands)
    lossReport.linkIsUp(slept: core.timeAsleep())
    publish(ConnectionState(phase: .connected, step: Step.connected.rawValue, attempt: state.attempt, tag: tag))
    gear.linkIsReady(tag)
    notifications.linkIsReady()
  }

  /// The tag reports its gear when notifications are enabled. They stay enabled during a hand-over if this program uses the
  /// subscriptions of a host that hangs, or if bluetoothd learns of the end of a killed host after it has a new one.
  private func reportGearAgain() {
    guard notifications.lastAttachment == nil, let packet = attachmentAsGuest else { return }
    gear.nextMayBeDetached()
    packet.withUnsafeBytes(notifications.receive)
  }

  private func explained(_ error: JacquardError, _ attempt: Attempt) -> JacquardError {
    let reason = error.lossReason
    if let reason { lossReport.lost(reason, at: core.loop.now) }
    guard let device = attempt.device else { return error }
    let isHopeless = lostBond.attemptFailed(device)
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
    state.hostProcess = guest?.hostProcess ?? 0
    core.log(.debug, .link, "\(identifier.text) \(new.phase.name) \(new.step)/\(ConnectionState.totalSteps)")
    states.send(state)
    host?.publish(state)
  }

  // MARK: Sharing

  private static let closed = JacquardError(.closed, "The connection was closed.")

  /// Returns the channel to the host if there is one. Otherwise this program has the link, as host if it shares the tag.
  private func meet() async throws(JacquardError) -> Channel? {
    guard meeting.isPossible, let bus = try await bus() else { return nil }
    if let host, host.bus == bus, !host.isSuperseded { return nil }
    leaveSeat()
    switch try await meeting.enter(on: bus) {
    case .alone: return nil
    case .guest(let channel): return channel
    case .host(let seat, let isExclusive):
      let host = HostRole(core, identifier, seat, bus: bus, state, notifications, name, gear)
      host.continuesLink = wasGuest
      self.host = host
      reservation.host = host
      host.begin(reservation.held, isExclusive: isExclusive)
      return nil
    }
  }

  /// The ID of the bus. Nil if there is none, which the adapter's state explains.
  private func bus() async throws(JacquardError) -> String? {
    if let bus = core.bluez.busID { return bus }
    _ = await usableAdapter()
    return core.bluez.busID
  }

  private func pause(after error: JacquardError) async {
    let number = state.attempt
    publish(ConnectionState(phase: .preparing, step: 0, attempt: number &+ 1, reason: error))
    try? await core.loop.sleep(core.deadlines.pause(afterAttempt: Int(number)))
  }

  /// The link stays for the guests of this program.
  private var isHostWithGuests: Bool {
    state.phase == .connected && (host?.hasGuests ?? false) && attempt?.linkIsUp ?? false
  }

  private func beHost(_ host: HostRole) async {
    lent.end()
    let work = core.loop.spawn(returning: { [self] () throws(CancellationError) in await tryOnce() })
    var subscriptionsEnded = false
    host.onSuperseded = { work.cancel() }
    if host.isSuperseded { work.cancel() }
    let subscribeAgain = { [weak self] in
      guard let self, !subscriptionsEnded, attempt?.reliesOnPredecessor ?? false else { return }
      subscriptionsEnded = true
      core.loop.spawn { [self] in
        // The response may still be received: a host that continues lends its subscriptions for a while.
        _ = await attempt?.link?.commands.handOver(within: core.deadlines.inheritedRequest)
        work.cancel()
      }
    }
    host.runningPredecessor?.onEnd { [weak host] in
      host?.followsLentSubscriptions = true
      subscribeAgain()
    }
    // Of several hosts that hang, only one may have had subscriptions.
    host.onSilence = subscribeAgain
    try? await work.join()
    host.onSuperseded = {}
    host.onSilence = nil
    if host.isSuperseded {
      core.log(.warning, .link, "\(identifier.text): \(JacquardError.superseded.message)")
      leaveLink(.superseded)
      leaveSeat()
    } else if subscriptionsEnded {
      leaveLink(.hostEnded)
    }
  }

  /// The link stays: another program has taken it over, because this one did not respond; or this program continues with
  /// subscriptions of its own, because those of an earlier host have ended, and values may have been lost.
  private func leaveLink(_ error: JacquardError) {
    carried.add(attempt?.link?.closeKeepingWaiting(error) ?? [])
    attempt?.leaveLink(error, to: lent)
    attempt = nil
    if state.phase == .connected {
      linkIsLost(error)
    } else if ending == nil {
      publish(ConnectionState(phase: .preparing, step: 0, attempt: attemptNumber(atStep: 0), reason: state.reason))
    }
  }

  /// A tag that has not responded to a request would take the successor's first one as a violation of the protocol.
  private func canHandOver() async -> Bool {
    guard let commands = attempt?.link?.commands else { return false }
    var isReady = false
    // The task is cancelled.
    await core.loop.spawn { [core] in isReady = await commands.handOver(within: core.deadlines.handOver) }.value
    return isReady
  }

  private func handOver() {
    let stopsMotion = reservation.held.contains(.stream) || reservation.held.contains(.download)
    attempt?.leaveLink(Self.closed, stopsMotion: stopsMotion)
    attempt = nil
    lossReport.dropped()
  }

  func leaveSeat() {
    tagLock.release()
    host?.leave()
    host = nil
  }

  /// Only for a link that another program has, or had.
  private func linkIsLost(_ error: JacquardError) {
    awaySince = core.loop.now
    gear.linkIsLost()
    notifications.linkBegins()
    guard ending == nil else { return }
    lossReport.reported(.local)
    publish(ConnectionState(phase: .preparing, step: 0, attempt: 1, reason: error))
  }

  /// Uses the tag through the host until the host ends or hangs.
  private func beGuest(_ channel: Channel) async {
    core.log(.info, .link, "\(identifier.text): process \(channel.peer) has the link to the tag")
    wasGuest = true
    name.unfollow()
    followed.end()
    let guest = GuestRole(core, identifier, channel, notifications, name, gear)
    self.guest = guest
    reservation.guest = guest
    guest.begin { [weak self, weak guest] state, tag in
      if let self, let guest, guest === self.guest { hostCame(to: state, tag) }
    }
    guest.reserveAgain(reservation.held)
    let checks = core.monitor.checks.add { [weak self] in self?.checkAdapterAsGuest() }
    let end = try? await guest.end.value()
    checks.cancel()
    let error = end?.error ?? Self.closed
    if end?.hostHangs ?? false { meeting.hungEpoch = channel.epoch }
    self.guest = nil
    reservation.guest = nil
    if end == nil { guest.close(error) } else { carried.add(guest.closeKeepingWaiting(error)) }
    guard end != nil else {
      if state.step >= Step.linkUp.rawValue { lossReport.dropped() }
      return
    }
    core.log(.info, .link, "\(identifier.text): \(error.message)")
    attachmentAsGuest = nil
    if state.phase == .connected {
      attachmentAsGuest = notifications.lastAttachment
      linkIsLost(error)
    } else if ending == nil {
      publish(ConnectionState(phase: .preparing, step: 0, attempt: attemptNumber(atStep: 0), reason: state.reason))
    }
  }

  /// The number of an attempt that another program makes. Within an attempt steps never decrease.
  private func attemptNumber(atStep step: UInt32, of shared: UInt32 = 1) -> UInt32 {
    guard state.phase != .connected else { return max(shared, 1) }
    let number = max(shared, state.attempt)
    return number == state.attempt && step < state.step ? number &+ 1 : number
  }

  private func hostCame(to shared: SharedState, _ tag: Tag?) {
    guard ending == nil else { return }
    if shared.phase != Phase.connected.rawValue { lent.end() }
    if shared.phase == Phase.disconnected.rawValue, let error = shared.reason, binding?.isDone ?? true {
      return end(JacquardError(error))
    }
    if shared.step >= Step.tagKnown.rawValue { tagWasKnown = true }
    if let tag {
      if state.tag !== tag { hostIsConnected(tag) }
      return
    }
    if state.phase == .connected {
      awaySince = core.loop.now
      gear.linkIsLost()
      notifications.linkBegins()
    }
    lossReport.reported(DisconnectReason(rawValue: shared.disconnectReason) ?? .unknown)
    let phase = Phase(rawValue: shared.phase).flatMap { [.disconnected, .connected].contains($0) ? nil : $0 }
    let step = min(shared.step, Step.connected.rawValue)
    publish(
      ConnectionState(
        phase: phase ?? .preparing, step: step, attempt: attemptNumber(atStep: step, of: shared.attempt),
        reason: shared.reason.map(JacquardError.init)))
    checkAdapterAsGuest()
  }

  private func hostIsConnected(_ tag: Tag) {
    if state.phase == .connected { gear.linkIsLost() }
    guard let binding, !binding.isDone else { return announce(tag) }
    core.loop.spawn { [self] in
      do throws(JacquardError) {
        try await bind(tag, binding)
        if !tag.isStale, ending == nil { announce(tag) }
      } catch {
        // A tag that refuses to pair also ends the link.
        if !error.isCancellation, !tag.isStale || error.code.endsConnections { end(error) }
      }
    }
  }

  /// Binds the tag over the link of another program.
  private func bind(_ tag: Tag, _ binding: BindingProcess) async throws(JacquardError) {
    try await core.refresh(identifier)
    guard let device = core.deviceIndex.devices(of: identifier).first(where: \.connected) else {
      throw JacquardError(.deviceGone, JacquardError.Code.deviceGone.text)
    }
    try await followed.follow(device)
    // Not beyond this, because values would be received twice: from BlueZ and from the host.
    defer { followed.end() }
    try binding.checkAdvertisement(of: device)
    if binding.needsBond(device) {
      publish(ConnectionState(phase: .authenticating, step: state.step, attempt: state.attempt, reason: state.reason))
      try await binding.bond(with: device)
    }
    try await binding.finish(tag.info, device)
    adapterWithBond = core.cache.adapters.first { $0.path == device.adapterPath }?.address
  }

  /// A host that waits for its adapter does not make a guest wait that does not want to.
  private func checkAdapterAsGuest() {
    guard ending == nil, guest != nil, state.phase == .preparing, state.step == 0, !options.waitForAdapter else {
      return
    }
    let status = core.monitor.status
    switch status.state {
    case .unsupported, .unauthorized, .poweredOff:
      end(status.error ?? JacquardError(.noAdapter, JacquardError.Code.noAdapter.text))
    case .unknown, .resetting, .poweredOn: break
    }
  }
}
