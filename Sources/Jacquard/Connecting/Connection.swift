import EventLoop

/// A request to stay connected to one tag, and its reported state. It ends when its owner ends it, or when reconnecting
/// cannot succeed. `LinkSource` gives it links.
public final class Connection {
  /// The tag that a connection is for.
  public enum Target: Sendable {
    case identifier(TagIdentifier)
    /// The serial number of the tag: see `SerialSearch`.
    case serial(String)
  }

  /// How long the first connection may take.
  public enum TimeLimit: Sendable {
    /// The limit in `Deadlines`; no limit for a tag that is bound to this machine.
    case usual
    case after(Duration)
    case unlimited
  }

  /// How a connection begins, and whether it waits for an adapter.
  public struct Options: Sendable {
    /// How long the first connection may take.
    public var timeout = TimeLimit.usual
    /// Whether the connection waits while the adapter is off or missing, instead of ending.
    public var waitForAdapter = false
    /// The required owner if the tag is bound; nil: any.
    public var owner: String?

    public init() {}
  }

  /// Why a connection ends, which decides what happens to its link.
  public enum Ending: Sendable {
    /// Drops the link; the tag is not wanted at the next start.
    case disconnected
    /// No longer needed by this program. The service keeps the link for a while.
    case closed
    /// The program no longer runs this loop, so the end of the link is requested without waiting for it.
    case managerCloses
    case failed(JacquardError)

    var error: JacquardError? { if case .failed(let error) = self { error } else { nil } }

    var keepsLink: Bool { if case .closed = self { true } else { false } }
  }

  /// The tag; nil while it is searched for.
  public private(set) var identifier: TagIdentifier?
  /// Sends each state, after `state` has changed.
  public let states = Observers<ConnectionState>()
  /// The latest state. The last one of a connection has the phase `disconnected`.
  public private(set) var state = ConnectionState(phase: .preparing, step: 0)
  let core: Core
  let reports: TagReports
  var firmware = FirmwareWork()
  private let options: Options
  private let binding: Binding?
  /// Nil while the tag is searched for.
  private var sources: LinkSources?
  /// The search for the tag, which continues until the first link is up or the first attempt has failed.
  private var search: SerialSearch?
  private var task: Task<Void, Never>?
  private var firstConnectionTimer: LoopTimer?
  private var ending: Ending?
  /// Whether the tag was seen in any attempt.
  private var tagWasKnown = false
  /// The tag is bound here, and its record has not been updated for this connection yet.
  private var recordIsOld = false

  init(_ core: Core, _ options: Options, _ binding: Binding?, _ statistics: Statistics) {
    self.core = core
    self.options = options
    self.binding = binding
    reports = TagReports(
      core, Notifications(log: TagLog(core.log), statistics: statistics), BondRequirement(isBound: false))
    reports.states.add { [weak self] in self?.publish($0) }
  }

  /// The tag's events, on all links of this connection.
  public var notifications: Notifications { reports.notifications }
  /// Reports the gear that the tag is attached to, on all links of this connection.
  public var gear: GearMonitor { reports.gear }
  /// Reports the tag's name, on all links of this connection.
  public var name: NameMonitor { reports.name }
  var reservation: TagReservation { reports.reservation }
  var hasEnded: Bool { state.phase == .disconnected }
  var isEnding: Bool { ending != nil }

  // MARK: Beginning and ending

  /// - Parameters:
  ///   - predecessor: an ending connection to the same tag; this one begins when that link is down.
  ///   - refusal: the connection ends immediately, and reports this like any other end.
  func start(_ identifier: TagIdentifier, after predecessor: Connection? = nil, refusal: JacquardError? = nil) {
    task = core.loop.spawn { [self, before = predecessor?.task] in
      await before?.value
      await live()
    }
    if let refusal {
      self.identifier = identifier
      return end(.failed(refusal))
    }
    begin(identifier)
  }

  /// - Parameter reserve: returns an ending connection to the tag that was found; its error ends this one.
  func start(
    searchingFor serial: String, reserve: @escaping (TagIdentifier) throws(JacquardError) -> Connection?
  ) {
    let began = core.loop.now
    let search = SerialSearch(
      core, serial, within: firstConnectionLimit(isKnown: false), waitsForAdapter: options.waitForAdapter)
    self.search = search
    reports.states.add { if $0.step >= Step.linkUp.rawValue || $0.reason != nil { search.end() } }
    task = core.loop.spawn { [self] in
      do throws(JacquardError) {
        let identifier = core.knownTags.current(try await search.identifier())
        let predecessor = try reserve(identifier)
        begin(identifier, after: began.duration(to: core.loop.now))
        publish(state)
        await predecessor?.ended()
      } catch {
        end(error.isCancellation ? .disconnected : .failed(error))
      }
      await live()
    }
  }

  /// - Parameter elapsed: the part of the time limit that the search has taken.
  private func begin(_ identifier: TagIdentifier, after elapsed: Duration = .zero) {
    self.identifier = identifier
    reports.notifications.log.tag = identifier
    reports.bond.bonding = binding.map { Bonding(core, identifier, $0.tagCode) }
    sources = LinkSources(core, identifier, reports, binding?.tagCode, waitsForAdapter: options.waitForAdapter)
    let known = core.knownTags.lookUp(identifier)
    reports.bond.isBound = known != nil
    recordIsOld = known != nil && binding == nil
    if let known, let replaced = known.replacedName { name.wasRenamed(from: replaced, to: known.name) }
    name.renamings.add { [weak self] in self?.wasRenamed($0) }
    if let owner = binding?.owner ?? options.owner, let recorded = known?.owner, owner != recorded {
      return end(.failed(.otherOwner))
    }
    core.knownTags.want(identifier, true)
    if let limit = firstConnectionLimit(isKnown: known != nil) {
      firstConnectionTimer = core.loop.schedule(after: max(limit - elapsed, .zero)) { [weak self] in
        if let self { end(.failed(timeLimitPassed)) }
      }
    }
  }

  private func firstConnectionLimit(isKnown: Bool) -> Duration? {
    switch options.timeout {
    case .usual: isKnown && binding == nil ? nil : core.deadlines.firstConnection
    case .after(let limit): limit
    case .unlimited: nil
    }
  }

  /// Reports `disconnected` when the link is down. Only the first call has an effect, except that `disconnected` always
  /// makes the tag unwanted at the next start.
  public func end(_ reason: Ending) {
    if case .disconnected = reason { noLongerWant() }
    if case .managerCloses = reason { sources?.current.closeWithoutWaiting() }
    guard ending == nil else { return }
    ending = reason
    if reason.error?.code.needsPerson ?? false { noLongerWant() }
    search?.end()
    task?.cancel()
  }

  private func noLongerWant() {
    if let identifier { core.knownTags.want(identifier, false) }
  }

  /// Returns when the connection has ended.
  func ended() async { await task?.value }

  private var timeLimitPassed: JacquardError {
    // Without the service that has the links, no attempt has looked for the tag.
    if !tagWasKnown, let reason = state.reason, reason.code == .serviceUnavailable { return reason }
    let text = state.reason.map { " The last attempt failed: \($0.message)" } ?? ""
    return tagWasKnown
      ? JacquardError(.timeout, "The tag could not be connected in time.\(text)")
      : JacquardError(.notFound, "The tag was not found in time.\(text)")
  }

  // MARK: The life of a connection

  private func live() async {
    // Closing the loop cancels the task as well.
    while ending == nil, !Task.isCancelled, let sources {
      do throws(JacquardError) {
        try await sources.run { [self] info throws(JacquardError) in try await admit(info) }
      } catch {
        if !error.isCancellation { end(.failed(error)) }
      }
    }
    firstConnectionTimer?.cancel()
    await sources?.current.close(.connectionEnds(keepsLink: ending?.keepsLink ?? false))
    publish(
      ConnectionState(
        phase: .disconnected, step: 0, attempt: reports.attempt, reason: ending?.error,
        disconnectReason: sources?.current.disconnectReason ?? .none))
    states.removeAll()
    reports.end()
  }

  /// Stores a tag that is being bound, before its first link is reported.
  private func admit(_ info: TagInfo) async throws(JacquardError) {
    guard let identifier, let binding, !reports.bond.isFulfilled || reports.bond.bonding?.isDone == false
    else { return }
    // A callback may have closed the manager in the meantime.
    try await core.knownTags.remember(
      info, formerly: identifier, binding, while: { [self] in ending == nil },
      kept: { [reports] in reports.bond.bonding?.keep() })
  }

  private func publish(_ new: ConnectionState) {
    if new.step >= Step.tagKnown.rawValue { tagWasKnown = true }
    if let tag = new.tag, tag !== state.tag { isConnected(tag) }
    state = new
    core.log(.debug, .link, of: identifier, "\(new.phase.name) \(new.step)/\(ConnectionState.totalSteps)")
    states.send(new)
  }

  private func isConnected(_ tag: Tag) {
    guard let identifier else { return }
    firstConnectionTimer?.cancel()
    core.deviceIndex.note(identifier, isNow: tag.info.identifier)
    if recordIsOld {
      core.knownTags.noteConnection(tag.info, formerly: identifier, replacedName: name.replacedName)
    }
    recordIsOld = false
    notifications.statistics.countLink()
    if tag.info.hasFaultyFirmware {
      core.log(
        .warning, .link, of: identifier,
        "has firmware \(tag.info.firmware), which the vendor's programs replaced before use")
    }
    tag.link.isUpdating = firmware.update?.excludesModules ?? false
  }

  private func wasRenamed(_ new: String) {
    guard let identifier, reports.bond.isFulfilled else { return }
    core.knownTags.noteName(identifier, new, replaces: name.replacedName)
  }
}
