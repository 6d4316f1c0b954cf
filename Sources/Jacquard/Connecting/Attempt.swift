import BlueZ
import EventLoop

/// One attempt to get from a usable adapter to a usable tag, and the link that it establishes. `DirectSource` drops the
/// link, however the attempt ends.
final class Attempt {
  let began: LoopInstant
  private let core: Core
  private let identifier: TagIdentifier
  private let adapter: Adapter
  private let reports: TagReports
  private let memory: AttemptMemory
  private let report: (Phase, Step?) -> Void
  /// The tag is bound to this machine, so BlueZ must have its bond.
  private let expectsBond: Bool

  /// Set from just before `Connect` until the link is down.
  private(set) var device: Device?
  private(set) var link: DeviceLink?
  /// A reason for concern although the attempt continues: an unknown program is connected to the tag, or the bond is
  /// missing.
  private(set) var doubt: JacquardError?
  /// The link stopped at the step at which a tag that requires a bond stops it, although bluetoothd responds
  /// (`MissingBondDetector`).
  private(set) var bondMayBeDemanded = false

  /// - Parameter report: reports progress: the phase, and the step if it has changed.
  init(
    _ core: Core, _ identifier: TagIdentifier, on adapter: Adapter, _ reports: TagReports, _ memory: AttemptMemory,
    report: @escaping (Phase, Step?) -> Void
  ) {
    began = core.loop.now
    self.core = core
    self.identifier = identifier
    self.adapter = adapter
    self.reports = reports
    self.memory = memory
    self.report = report
    expectsBond = reports.bond.isExpected(on: adapter.address)
  }

  private var bonding: Bonding? { reports.bond.bonding }

  // MARK: Establishing the link

  func run() async throws(JacquardError) -> Tag {
    reached(.adapterReady)
    try core.checkIsTag(identifier)
    try await lockTag()
    let lacksBond = expectsBond ? try await !core.hasBond(identifier) : false
    if lacksBond, core.knownTags.isForgotten(identifier) { throw .bondMissing }
    if lacksBond { try await dropLinkWithoutBond() }
    let search = Search(core, adapter, identifier, awaySince: memory.awaySince, afresh: lacksBond)
    defer { search.end() }
    if lacksBond, !adapter.isGone, adapter.powered {
      doubt = .bondMayBeMissing
      report(.preparing, nil)
    }
    let device = try await search.device()
    if lacksBond, !device.hasBond { throw .bondMissing }
    doubt = nil
    memory.reporter.follow(device)
    reached(.tagKnown)
    let isNew = try await memory.followed.follow(device)
    try await lockTag()
    try bonding?.checkAdvertisement(of: device)
    // A link whose attempt failed may end late; the kernel's own reconnection to a bonded tag is used.
    let isLeft = !device.isBonded && !device.servicesResolved
    if device.connected, isNew || isLeft { try await replaceLink(of: device) }
    try await connect(to: device, isHeard: search.hasFound)
    search.end()
    core.discovery(on: adapter).reassertFilter()
    reached(.linkUp)
    return try await core.whileLinked(device) { [self] () throws(JacquardError) in try await setUp(device) }
  }

  /// If the bus is replaced during a wait, the programs on the new one must be asked again.
  private func lockTag() async throws(JacquardError) {
    var lockedOn: String?
    while let bus = core.bluez.busID, bus != lockedOn {
      try await memory.lock.take(core.deviceIndex.current(identifier), on: bus, within: core.deadlines.linkDown)
      lockedOn = bus
    }
  }

  /// BlueZ keeps the link of a program that has ended. It is dropped, because it was set up, and the tag has reported
  /// its gear on it. A link that another library uses is not dropped: that program may only listen, so it is reported,
  /// and prevents nothing.
  private func replaceLink(of device: Device) async throws(JacquardError) {
    guard core.cache.characteristics(of: device).contains(where: \.notifying) else {
      await core.drop(device)
      return try JacquardError.checkCancellation()
    }
    try await memory.lock.awaitOtherUser(within: core.deadlines.linkDown)
    doubt = .inUseByUnknown
    core.log(.warning, .link, of: identifier, JacquardError.inUseByUnknown.message)
  }

  /// A tag with a link does not advertise, so a link that a program has left behind would hide it.
  private func dropLinkWithoutBond() async throws(JacquardError) {
    for device in core.devices(of: identifier)
    where device.adapterPath == adapter.path && device.connected && !device.hasBond {
      _ = try await memory.followed.follow(device)
      try await replaceLink(of: device)
    }
  }

  /// BlueZ restores notifications itself when the link comes up, so listeners for a known tag are added beforehand.
  ///
  /// - Parameter isHeard: the tag has just been discovered, so `Connect` does not wait for it.
  private func connect(to device: Device, isHeard: Bool) async throws(JacquardError) {
    self.device = device
    core.tagIsUsed(device, identifier)
    reports.notifications.linkBegins()
    _ = try? listeningLink(to: device)
    let away = memory.awaySince.duration(to: core.loop.now)
    let limit = core.deadlines.linkUp(away: isHeard ? .zero : away)
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
    let bondIsSuspected = memory.missingBond.isSuspected
    let isSuspect = bondIsSuspected && !device.isBonded
    let areResolved = try await core.servicesResolved(
      device, within: isSuspect ? core.deadlines.enableUnbonded : core.deadlines.servicesResolved)
    guard areResolved else {
      if bondIsSuspected { bondMayBeDemanded = await core.bluez.answers(within: core.deadlines.proofOfLife) }
      throw JacquardError(
        .timeout, "The tag's services were not found in time.", advice: Self.adviceOutOfReach)
    }
    reached(.servicesResolved)
    try await bond(with: device)
    try await core.characteristicsExported(by: device)
    let link = try listeningLink(to: device)
    reached(.characteristicsFound)
    try await enableNotifications(link, isBonded: device.isBonded)
    let response = try await Handshake(link: link, deadlines: core.deadlines).run { [self] in reached($0) }
    // A program may have begun to bind the tag meanwhile.
    try await bond(with: device)
    let info = TagInfo(
      response, identifier: identifier, address: device.address.text, name: reports.name.known(device.name))
    try await bonding?.finish(info, device)
    if device.isBonded { reports.bond.exists(on: adapter.address) }
    return Tag(info, link, reports.notifications, reports.name, reports.gear)
  }

  private func bond(with device: Device) async throws(JacquardError) {
    guard let bonding, bonding.needsBond(device) else { return }
    try bonding.checkAdvertisement(of: device)
    report(.authenticating, nil)
    try await bonding.bond(with: device)
    // BlueZ may have resolved a private address.
    try await lockTag()
  }

  private func enableNotifications(_ link: DeviceLink, isBonded: Bool) async throws(JacquardError) {
    var enabling: [Step] = [.thirdNotificationsEnabled, .secondNotificationsEnabled, .firstNotificationsEnabled]
    do throws(JacquardError) {
      try await link.enableNotifications(
        deadline: core.deadlines.enableNotifications(bonded: isBonded), settleDelay: core.deadlines.notifyingDelay
      ) {
        if let step = enabling.popLast() { reached(step) }
      }
    } catch {
      if error.code == .timeout {
        bondMayBeDemanded = await core.bluez.answers(within: core.deadlines.proofOfLife)
      } else if error.attCode == MissingBondDetector.unlikelyError {
        bondMayBeDemanded = adapter.hidesSecurityErrors
      }
      throw error
    }
  }

  private func reached(_ step: Step) { report(step.phase, step) }

  private func listeningLink(to device: Device) throws(JacquardError) -> DeviceLink {
    if let link, link.isIntact { return link }
    link?.life.end(JacquardError(.deviceGone, "The Bluetooth service re-exported the tag."))
    link = nil
    let new = try DeviceLink(device, core, reports.notifications, reports.reservation)
    link = new
    return new
  }

  // MARK: The link

  var linkIsUp: Bool { device.map { $0.connected && !$0.isGone } ?? false }

  /// Waits until the link is lost; nil if the task was cancelled first.
  func loss() async -> LinkLoss? {
    guard let device, let link, let loss = await core.loss(of: device, link) else { return nil }
    if !linkIsUp { self.device = nil }
    return loss
  }

  /// Leaves no half-open link.
  func end(_ error: JacquardError) async {
    link?.stopMotionWithoutWaiting()
    link?.life.end(error)
    link = nil
    guard let device else { return }
    self.device = nil
    await core.drop(device)
  }
}

/// The state that all attempts of one connection share.
struct AttemptMemory {
  let lock: TagLock
  let followed: FollowedDevice
  let reporter: DeviceReporter
  var missingBond = MissingBondDetector()
  /// The time at which the connection began to wait for the tag with a usable adapter.
  var awaySince: LoopInstant

  init(_ core: Core, _ reports: TagReports) {
    lock = TagLock(core.loop, core.sharing.directory)
    followed = FollowedDevice(core.cache)
    reporter = DeviceReporter(reports.name, reports.statistics)
    awaySince = core.loop.now
  }
}
