import BlueZ
import EventLoop

/// One attempt to get from a usable adapter to a usable tag, and the link that it establishes. The code that starts the
/// attempt drops the link, however the attempt ends.
final class Attempt {
  let began: LoopInstant
  /// The time at which the connection began to wait for the tag.
  private let awaySince: LoopInstant
  private let core: Core
  private let identifier: TagIdentifier
  private let adapter: Adapter
  private let tagLock: TagLock
  /// Nil if the tag is not shared.
  private let host: HostRole?
  private let binding: BindingProcess?
  private let name: NameMonitor
  private let followed: FollowedDevice
  private let notifications: Notifications
  private let report: (Phase, Step?) -> Void
  /// The tag is bound to this machine, so BlueZ must have its bond.
  private let expectsBond: Bool

  /// Set from just before `Connect` until the link is down.
  private(set) var device: Device?
  private(set) var link: DeviceLink?
  /// The link was up already.
  private(set) var linkIsTakenOver = false
  /// Whether values are received through the subscriptions of an earlier host that hangs.
  var reliesOnPredecessor: Bool { link?.usesOtherSessions ?? false }
  /// Set if another program is connected to the tag, and it is not known which.
  private(set) var otherUse: JacquardError?
  /// An earlier host may still get a response.
  private var requestIsOpen = false
  /// The previous attempt stopped as it would if the tag required a bond.
  private let bondIsSuspected: Bool
  /// The link stopped at the step at which a tag that requires a bond stops it, although bluetoothd responds
  /// (`MissingBondDetector`).
  private(set) var bondMayBeDemanded = false

  /// - Parameter report: reports progress: the phase, and the step if it has changed.
  init(
    _ core: Core, _ identifier: TagIdentifier, on adapter: Adapter, awaySince: LoopInstant, _ tagLock: TagLock,
    _ host: HostRole?, _ binding: BindingProcess?, expectsBond: Bool, bondIsSuspected: Bool, _ name: NameMonitor,
    _ followed: FollowedDevice, _ notifications: Notifications, report: @escaping (Phase, Step?) -> Void
  ) {
    began = core.loop.now
    self.awaySince = awaySince
    self.core = core
    self.identifier = identifier
    self.adapter = adapter
    self.tagLock = tagLock
    self.host = host
    self.binding = binding
    self.expectsBond = expectsBond
    self.bondIsSuspected = bondIsSuspected
    self.name = name
    self.followed = followed
    self.notifications = notifications
    self.report = report
  }

  // MARK: Establishing the link

  func run() async throws(JacquardError) -> Tag {
    reached(.adapterReady)
    try await lockTag()
    if expectsBond { try await core.checkBond(identifier) }
    let search = Search(core, adapter, identifier, awaySince: awaySince)
    defer { search.end() }
    let device = try await search.device()
    reached(.tagKnown)
    try await followed.follow(device)
    if host == nil { try await lockTag() }
    try checkBus()
    try await checkOtherUse(of: device)
    try binding?.checkAdvertisement(of: device)
    try await takeOver(device)
    try await connect(to: device)
    search.end()
    core.discovery(on: adapter).reassertFilter()
    reached(.linkUp)
    return try await core.whileLinked(device) { [self] () throws(JacquardError) in try await setUp(device) }
  }

  /// A tag may have received a part of the packet that an earlier host was writing when it ended. The sessions of one
  /// that hangs show that the link is usable.
  private func takeOver(_ device: Device) async throws(JacquardError) {
    let predecessor = host?.takeInheritance()
    requestIsOpen = predecessor?.wasAwaiting ?? false
    if predecessor?.mayDisturb ?? false {
      core.log(.info, .link, "\(identifier.text): an earlier program ended while it was writing")
      await core.drop(device)
      try JacquardError.checkCancellation()
    } else if let running = host?.runningPredecessor {
      // The tag may have reported its gear before this program was listening, and does so once for each link.
      if predecessor != nil, !running.wasSetUp { await core.drop(device) }
      try JacquardError.checkCancellation()
    } else {
      // The tag reports its gear again when notifications are enabled again.
      if let predecessor, !predecessor.wasSetUp { host?.followsLentSubscriptions = true }
      try await awaitEndOfLentSubscriptions(of: device)
      try await core.dropInherited(device)
    }
    linkIsTakenOver = device.connected
  }

  /// Those of an earlier host, which is about to end them. If both were subscribed, values would be repeated.
  private func awaitEndOfLentSubscriptions(of device: Device) async throws(JacquardError) {
    guard let host, host.followsLentSubscriptions else { return }
    host.followsLentSubscriptions = false
    _ = try? await device.changes.until(within: core.deadlines.lentSubscriptions, on: core.loop) { [core] in
      core.cache.characteristics(of: device).contains(where: \.notifying) ? nil : true
    }
    try JacquardError.checkCancellation()
  }

  /// A lock that another user created prevents a connection only if the link is used; that of an earlier host does not.
  ///
  /// A program that uses another library has no lock. It may only listen, so it is reported, and prevents nothing.
  private func checkOtherUse(of device: Device) async throws(JacquardError) {
    guard device.connected, host?.runningPredecessor == nil,
      core.cache.characteristics(of: device).contains(where: \.notifying), let bus = core.bluez.busID
    else { return }
    if !tagLock.isHeld {
      try await tagLock.take(on: bus, within: core.deadlines.linkDown, isUsed: true)
      if tagLock.isHeld { return }
    }
    guard !(host?.continuesLink ?? false) else { return }
    otherUse = .inUseByUnknown
    core.log(.warning, .link, "\(identifier.text): \(JacquardError.inUseByUnknown.message)")
  }

  /// Programs that cannot share the tag, for example without a runtime directory, have only the lock. If the bus is
  /// replaced during a wait, the programs on the new one must be asked again.
  private func lockTag() async throws(JacquardError) {
    if let host, host.replacesRunningHost {
      if let bus = core.bluez.busID { try tagLock.takeIfFree(on: bus) }
      return
    }
    var lockedOn: String?
    while let bus = core.bluez.busID, bus != lockedOn {
      try await tagLock.take(on: bus, within: core.deadlines.linkDown, isUsed: false)
      lockedOn = bus
    }
  }

  /// A host of the programs on an earlier bus is not one of those on the present bus.
  private func checkBus() throws(JacquardError) {
    guard let host, let bus = core.bluez.busID, bus != host.bus else { return }
    throw JacquardError(.bluezUnavailable, "The bus was restarted.")
  }

  /// BlueZ restores notifications itself when the link comes up, so listeners for a known tag are added beforehand.
  private func connect(to device: Device) async throws(JacquardError) {
    self.device = device
    name.follow(device, notifications.statistics)
    host?.tagIsFollowed()
    notifications.linkBegins()
    _ = try? listeningLink(to: device)
    let away = awaySince.duration(to: core.loop.now)
    let limit = core.deadlines.linkUp(away: away)
    do throws(JacquardError) {
      try await core.bringUp(device, deadline: limit)
    } catch {
      guard error.code == .timeout else { throw error }
      // The call timed out because it waited for the tag.
      throw JacquardError(
        .timeout, "The tag was not reached within \(limit.components.seconds) s.", advice: Self.adviceOutOfReach)
    }
  }

  private static let adviceOutOfReach =
    "None needed: the library keeps trying. Bring the tag closer if it is out of range."

  private func setUp(_ device: Device) async throws(JacquardError) -> Tag {
    let isSuspect = bondIsSuspected && !device.isBonded
    let areResolved = try await core.servicesResolved(
      device, within: isSuspect ? core.deadlines.enableUnbonded : core.deadlines.servicesResolved)
    guard areResolved else {
      if bondIsSuspected { bondMayBeDemanded = await core.bluez.answers(within: core.deadlines.proofOfLife) }
      throw JacquardError(
        .timeout, "The tag's services were not found in time.", advice: Self.adviceOutOfReach)
    }
    reached(.servicesResolved)
    if let binding, binding.needsBond(device) {
      report(.authenticating, nil)
      try await binding.bond(with: device)
    }
    try await core.characteristicsExported(by: device)
    let link = try listeningLink(to: device)
    reached(.characteristicsFound)

    var enabling: [Step] = [.thirdNotificationsEnabled, .secondNotificationsEnabled, .firstNotificationsEnabled]
    let limit = core.deadlines.enableNotifications(bonded: device.isBonded)
    try await awaitEndOfLentSubscriptions(of: device)
    do throws(JacquardError) {
      try await link.enableNotifications(
        deadline: limit, settleDelay: core.deadlines.notifyingDelay, predecessor: host?.runningPredecessor
      ) {
        if let step = enabling.popLast() { reached(step) }
      }
    } catch {
      if error.code == .timeout {
        bondMayBeDemanded = await core.bluez.answers(within: core.deadlines.proofOfLife)
      } else if error.attCode == MissingBondDetector.unlikelyError {
        bondMayBeDemanded = true
      }
      throw error
    }
    if linkIsTakenOver, requestIsOpen { try await link.commands.settle(within: core.deadlines.inheritedRequest) }
    let response = try await Handshake(link: link, deadlines: core.deadlines).run { [self] in reached($0) }
    if linkIsTakenOver { try await link.learnRawDataUse() }
    let info = TagInfo(response, identifier: identifier, address: device.address, name: name.name(of: device))
    try await binding?.finish(info, device)
    return Tag(info, link, notifications, name)
  }

  private func reached(_ step: Step) { report(step.phase, step) }

  private func listeningLink(to device: Device) throws(JacquardError) -> DeviceLink {
    if let link, link.isIntact { return link }
    link?.close(JacquardError(.deviceGone, "The Bluetooth service re-exported the tag."))
    link = nil
    let new = try DeviceLink(device, core, notifications, host?.announcement)
    if linkIsTakenOver { new.rawChannel.keepValues() }
    new.succeedsHost = linkIsTakenOver && host?.hasPredecessor ?? false
    new.onSilence = { [weak host] in host?.onSilence?() }
    link = new
    return new
  }

  // MARK: The link

  var adapterWithBond: String? { device?.isBonded == true ? adapter.address : nil }

  private var isSuperseded: Bool { host?.isSuperseded ?? false }

  var linkIsUp: Bool { device.map { $0.connected && !$0.isGone } ?? false }

  /// Waits until the link is lost; nil if the task was cancelled first.
  func loss() async -> LinkLoss? {
    guard let device, let loss = await core.loss(of: device, link) else { return nil }
    closeLink(loss.error)
    if !linkIsUp { self.device = nil }
    return loss
  }

  /// Leaves no half-open link, unless another program has it.
  func dropLink(_ error: JacquardError) async {
    guard !isSuperseded else { return leaveLink(error) }
    link?.stopMotionWithoutWaiting()
    closeLink(error)
    guard let device else { return }
    self.device = nil
    await core.dropInAnyCase(device)
  }

  /// Leaves the link to other programs.
  ///
  /// - Parameter stopsMotion: whether this program streams or downloads.
  func leaveLink(_ error: JacquardError, stopsMotion: Bool = false) {
    if stopsMotion { link?.stopMotionWithoutWaiting() }
    core.endSubscriptions(to: identifier)
    closeLink(error)
    device = nil
  }

  /// The same, for a program that has taken it over and still needs the subscriptions of this one, which `lent` ends.
  func leaveLink(_ error: JacquardError, to lent: LentSubscriptions) {
    lent.lend()
    closeLink(error)
    device = nil
  }

  func dropLinkWithoutWaiting() {
    guard !isSuperseded else { return leaveLink(.superseded) }
    guard let device, device.needsDisconnect else { return }
    link?.stopMotionWithoutWaiting()
    device.disconnectWithoutWaiting()
  }

  private func closeLink(_ error: JacquardError) {
    link?.close(error)
    link = nil
  }
}
