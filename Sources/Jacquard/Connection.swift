import BlueZ
import EventLoop

/// The wish to stay connected to one tag. It ends when its owner ends it, or when nothing can fulfil it.
public final class Connection {
  public struct Options {
    /// For the first connection; nil: no limit. Unless somebody chose it, it does not hold for a tag that is bound here.
    public var timeout: Duration? { didSet { isTimeoutChosen = true } }
    private(set) var isTimeoutChosen = false
    public var waitForAdapter = false
    /// To whom the tag must belong if it belongs to anybody; nil: whoever.
    public var owner: String?

    public init() { timeout = Deadlines().firstConnection }
  }

  public let identifier: TagIdentifier
  public let states = Observers<ConnectionState>()
  public private(set) var state = ConnectionState(phase: .preparing, step: 0, attempt: 1)
  public let notifications: Notifications
  public let gear: GearMonitor
  public let name: NameMonitor

  private let core: Core
  private let options: Options
  private let binding: BindingProcess?
  private let claim: Claim
  private let owner: String?
  /// The tag is bound here, and its record does not know yet of this connection.
  private var recordIsOld = false
  private var task: Task<Void, Never>?
  private var firstConnectionTimer: LoopTimer?
  /// In any attempt.
  private var tagWasKnown = false
  private var link: (device: Device, link: Link?)?
  private var lossReport = LossReport()
  /// Since when the tag has been waited for with an adapter to hear it.
  private var awaySince: LoopInstant
  private var attemptBegan: LoopInstant
  private var connectBegan: LoopInstant
  private var bondDoubt = BondDoubt()
  /// Set once: the wish is over, for this reason or none.
  private var ending: JacquardError??

  init(
    _ core: Core, _ identifier: TagIdentifier, _ options: Options, _ binding: Binding?, _ statistics: Statistics
  ) {
    self.core = core
    self.identifier = identifier
    self.options = options
    self.binding = binding.map { BindingProcess(core, identifier, $0) }
    owner = binding?.owner ?? options.owner
    claim = Claim(identifier)
    notifications = Notifications(log: core.log, statistics: statistics)
    gear = GearMonitor(notifications, loop: core.loop, log: core.log)
    name = NameMonitor(core.mirror)
    awaySince = core.loop.now
    attemptBegan = awaySince
    connectBegan = awaySince
  }

  var hasEnded: Bool { state.phase == .disconnected }
  var isEnding: Bool { ending != nil }

  /// - Parameter predecessor: a connection to the same tag that is ending; this one begins when its link is down.
  func start(after predecessor: Connection? = nil) {
    task = core.loop.spawn { [self, before = predecessor?.task] in
      await before?.value
      await live()
    }
    let known = core.knownTags.lookUp(identifier)
    recordIsOld = known != nil && binding == nil
    if let owner, let recorded = known?.owner, owner != recorded { return end(.otherOwner) }
    core.knownTags.want(identifier, true)
    if let timeout = options.timeout, options.isTimeoutChosen || known == nil || binding != nil {
      firstConnectionTimer = core.loop.schedule(after: timeout) { [weak self] in self?.firstConnectionTimedOut() }
    }
  }

  /// Drops the link; `disconnected` follows when it is down. The tag is not wanted at the next start.
  public func disconnect() {
    core.knownTags.want(identifier, false)
    end(nil)
  }

  /// The same without a word on what is wanted at the next start.
  public func letGo() { end(nil) }

  private func end(_ reason: JacquardError?) {
    guard ending == nil else { return }
    ending = .some(reason)
    if reason?.code.needsPerson ?? false { core.knownTags.want(identifier, false) }
    task?.cancel()
  }

  /// Returns when it has ended.
  func ended() async { await task?.value }

  private func firstConnectionTimedOut() {
    let text = state.reason.map { " The last attempt failed: \($0.message)" } ?? ""
    end(
      tagWasKnown
        ? JacquardError(.timeout, "The tag could not be connected in time.\(text)")
        : JacquardError(.notFound, "The tag was not seen in time.\(text)"))
  }

  /// For the end of the manager: asks for the link to be dropped without waiting for it.
  func abandon() {
    end(nil)
    claim.release()
    if let device = link?.device, !device.isGone { device.disconnectWithoutWaiting() }
    binding?.takeBackWithoutWaiting()
  }

  // MARK: The life of a connection

  private func live() async {
    while ending == nil {
      do {
        let tag = try await establish()
        await whileConnected(tag)
      } catch let final as Terminal {
        end(final.error)
      } catch {
        let error = explained(error)
        if error.code.endsConnections { end(error) } else { await retry(after: error) }
      }
    }
    firstConnectionTimer?.cancel()
    await dropLink(JacquardError(.closed, "The connection was ended."))
    if let binding { await core.loop.spawn { await binding.takeBack() }.value }
    claim.release()
    gear.linkIsLost()
    publish(ConnectionState(phase: .disconnected, step: 0, attempt: state.attempt, reason: ending ?? nil))
    states.removeAll()
    notifications.removeAllObservers()
    gear.changes.removeAll()
    name.end()
  }

  private func whileConnected(_ tag: Tag) async {
    firstConnectionTimer?.cancel()
    notifications.statistics.countLink()
    lossReport.linkIsUp(slept: core.timeAsleep())
    publish(ConnectionState(phase: .connected, step: Step.connected.rawValue, attempt: state.attempt, tag: tag))
    gear.linkIsReady(tag)
    notifications.linkIsReady()
    guard let device = link?.device else { return }
    guard let loss = await core.loss(of: device, link?.link) else { return }
    awaySince = core.loop.now
    lossReport.lost(loss.reason, at: awaySince)
    link?.link?.close(loss.error)
    link = device.connected && !device.isGone ? (device, nil) : nil
    gear.linkIsLost()
    notifications.linkBegins()
    guard ending == nil else { return }
    core.log(.info, .link, "\(identifier.text) lost: \(loss.error.message)")
    publish(ConnectionState(phase: .preparing, step: 0, attempt: 1, reason: loss.error))
    await dropLink(loss.error)
  }

  private func explained(_ error: any Error) -> JacquardError {
    let loss = error as? LinkLoss
    if let loss { lossReport.lost(loss.reason, at: core.loop.now) }
    let error = JacquardError(describing: error, otherwise: .connectFailed)
    guard let device = link?.device else { return error }
    let length = connectBegan.duration(to: core.loop.now)
    let isHopeless = bondDoubt.attemptFailed(error.code, at: state.step, after: length)
    return core.explained(error, device, bondIsLost: isHopeless || loss?.reason == .authentication)
  }

  private func retry(after error: JacquardError) async {
    guard ending == nil else { return }
    core.log(.info, .link, "\(identifier.text) attempt \(state.attempt) failed: \(error.message)")
    let device = link?.device
    await dropLink(error)
    if error.code == .incompleteGatt, let device { await core.forget(device) }
    guard ending == nil else { return }
    let attempt = state.attempt
    publish(ConnectionState(phase: .preparing, step: 0, attempt: attempt &+ 1, reason: error))
    let length = attemptBegan.duration(to: core.loop.now)
    try? await core.loop.sleep(core.deadlines.pause(afterAttempt: Int(attempt), ofLength: length))
  }

  /// Leaves no half-open link behind. Runs to its end also in a cancelled task: BlueZ would otherwise stay "connecting"
  /// and refuse the next attempt.
  private func dropLink(_ error: JacquardError) async {
    guard let (device, link) = link else { return }
    self.link = nil
    link?.close(error)
    if state.step >= Step.linkUp.rawValue, device.connected, !device.isGone { lossReport.dropped() }
    await core.loop.spawn { [core] in await core.drop(device) }.value
  }

  // MARK: One attempt

  /// An error that no retry can mend.
  private struct Terminal: Error {
    let error: JacquardError
  }

  private func establish() async throws -> Tag {
    let before = core.loop.now
    let adapter = try await usableAdapter()
    attemptBegan = core.loop.now
    if attemptBegan > before { awaySince = attemptBegan }
    reached(.adapterReady)
    if let bus = core.session.busID { try claim.take(on: bus) }
    let search = Search(core, adapter, identifier, awaySince: awaySince)
    defer { search.end() }
    let device = try await search.device()
    reached(.tagKnown)
    try binding?.checkAdvertisement(of: device)
    try await core.dropInherited(device)
    // BlueZ restores notifications by itself when the link is up, so a tag it knows is listened to beforehand.
    listen(to: device)
    connectBegan = core.loop.now
    let away = awaySince.duration(to: connectBegan)
    try await core.bringUp(device, deadline: core.deadlines.linkUp(away: away))
    search.end()
    core.discovery(on: adapter).reassertFilter()
    reached(.linkUp)
    return try await core.whileLinked(device) { [self] in try await setUp(device) }
  }

  private func usableAdapter() async throws -> Adapter {
    try await core.monitor.looks.until { [self] in
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
          throw Terminal(error: status.error ?? JacquardError(.noAdapter, JacquardError.Code.noAdapter.text))
        }
        return nil
      }
    }
  }

  private func explainLoss(by cause: DisconnectReason) {
    guard lossReport.explain(by: cause, at: core.loop.now) else { return }
    publish(state)
  }

  private func setUp(_ device: Device) async throws -> Tag {
    try await core.servicesResolved(device)
    reached(.servicesResolved)
    bondDoubt.linkHolds()
    if let binding, binding.needsBond(device) {
      publish(ConnectionState(phase: .authenticating, step: state.step, attempt: state.attempt, reason: state.reason))
      try await binding.bond(with: device)
    }
    try await core.characteristicsExported(by: device)
    let link = try listeningLink(to: device)
    reached(.characteristicsFound)

    var enabling: [Step] = [.thirdNotificationsEnabled, .secondNotificationsEnabled, .firstNotificationsEnabled]
    try await link.enableNotifications(deadline: core.deadlines.enableNotifications) {
      if let step = enabling.popLast() { reached(step) }
    }
    let response = try await Handshake(link: link, deadlines: core.deadlines).run { [self] in reached($0) }
    let info = TagInfo(response, identifier: identifier, address: device.address, name: device.name)
    try await binding?.finish(info, device)
    if recordIsOld { core.knownTags.noteConnection(info) }
    recordIsOld = false
    return Tag(info, link, core.deadlines, notifications)
  }

  private func listen(to device: Device) {
    link = (device, nil)
    name.follow(device, notifications.statistics)
    notifications.linkBegins()
    _ = try? listeningLink(to: device)
  }

  private func listeningLink(to device: Device) throws -> Link {
    if let link = link?.link, link.isIntact { return link }
    link?.link?.close(JacquardError(.deviceGone, "The Bluetooth service exported the tag anew."))
    let new = try Link(device, core, notifications)
    link = (device, new)
    return new
  }

  private func reached(_ step: Step) {
    if step == .tagKnown { tagWasKnown = true }
    publish(
      ConnectionState(phase: step.phase, step: step.rawValue, attempt: state.attempt, reason: state.reason))
  }

  private func publish(_ new: ConnectionState) {
    lossReport.explainBySleep(core.timeAsleep(), at: core.loop.now)
    state = new
    state.disconnectReason = lossReport.reason
    core.log(.debug, .link, "\(identifier.text) \(new.phase.name) \(new.step)/\(ConnectionState.totalSteps)")
    states.send(state)
  }
}
