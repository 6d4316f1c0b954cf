import BlueZ
import EventLoop
import JacquardWire
import Sharing

/// A tag with the programs that use it through the service: a direct connection, whose events are passed on to them.
final class ServedTag {
  let identifier: TagIdentifier
  /// The address of the adapter that the first program wanted; empty for any.
  private let wantedAdapter: String
  private(set) var programs: [ServedProgram] = []
  private let manager: Manager
  private let lingering: Duration
  /// Called when the link is down and no program is left.
  private let whenUnused: () -> Void
  var connection: Connection?
  var tag: Tag?
  private(set) lazy var panelBattery = PanelBattery(core)
  var arbiter = Arbiter()
  /// The program that has set the mode of the gear, while it uses the tag.
  private weak var modeSetter: ServedProgram?
  private var lastOrigin = CommandTurn.Origin.own.rawValue
  private var linger: LoopTimer?
  /// Set while no program uses the link: a program that wants to have it itself waits for the lock.
  private var lockWatch: FileWatch?
  /// Removes the bond of a program that has ended before it stored the tag.
  private var takingBack: Task<Void, Never>?
  /// Stops the motion of a program that has ended.
  private var stopping: Task<Void, Never>?

  /// - Parameter lingering: how long the link stays without a program.
  init(
    _ identifier: TagIdentifier, adapter: String, _ manager: Manager, lingering: Duration,
    whenUnused: @escaping () -> Void
  ) {
    self.identifier = identifier
    wantedAdapter = adapter
    self.manager = manager
    self.lingering = lingering
    self.whenUnused = whenUnused
  }

  var core: Core { manager.core }

  /// The programs' names, for errors.
  var programNames: String {
    programs.prefix(3).map(\.description).joined(separator: "; ")
      + (programs.count > 3 ? " and \(programs.count - 3) more" : "")
  }

  /// The address of the adapter with the link; empty if there is none.
  var adapter: String { wantedAdapter.isEmpty ? core.monitor.status.address : wantedAdapter }

  // MARK: Programs

  func admit(_ channel: ProgramChannel, _ hello: ProgramMessage.Hello) {
    endLingering()
    lastOrigin = max(lastOrigin &+ 1, 1)
    let origin = CommandTurn.Origin(rawValue: lastOrigin, process: channel.peer.process)
    let program = ServedProgram(channel, origin, hello, core.loop)
    program.checkRight = { [weak self, weak program] action throws(JacquardError) in
      if let self, let program { try check(action, by: program.channel.peer, program.origin) }
    }
    programs.append(program)
    core.log(.info, .link, of: identifier, "process \(channel.peer.process) uses the tag")
    channel.send(.welcome)
    let ended = { [weak self, weak program] in if let self, let program { release(program, keepsLink: true) } }
    channel.start(
      onMessage: { [weak self, weak program] in if let self, let program { take($0, from: program) } },
      onEnd: { _ in ended() })
    program.watchProcess(ended: ended)
    // If it ends for all programs, that is about to be reported.
    if connection?.isEnding ?? true, programs.count == 1 { connect() }
    updateBond()
    connection?.reports.requests.send(())
    if let streaming = hello.streaming { resume(streaming, of: program, hasSetMode: hello.hasSetMode) }
    if hello.code.isEmpty { introduce(program) } else { bind(program, TagCode(text: hello.code)) }
  }

  /// The program has ended, or no longer needs the tag.
  ///
  /// - Parameter keepsLink: whether the link stays for a while.
  func release(_ program: ServedProgram, keepsLink: Bool) {
    guard let index = programs.firstIndex(where: { $0 === program }) else { return }
    programs.remove(at: index)
    core.log(.info, .link, of: identifier, "process \(program.channel.peer.process) no longer uses the tag")
    program.end()
    if let bonding = program.bonding { takingBack = core.loop.spawn { await bonding.takeBack() } }
    updateBond()
    stopMotion(of: program)
    if modeSetter === program {
      modeSetter = nil
      connection?.gear.setterIs(0)
    }
    guard programs.isEmpty else { return program.channel.close() }
    guard keepsLink, tag != nil, lingering > .zero else {
      closeLink()
      // The program waits for the end of its channel.
      core.loop.spawn { [connection] in
        await connection?.ended()
        program.channel.close()
      }
      return
    }
    program.channel.close()
    linger = core.loop.schedule(after: lingering) { [weak self] in self?.closeLink() }
    guard let bus = core.bluez.busID, let directory = core.sharing.directory else { return }
    let lock = TagLockFile(directory, bus: bus, tag: core.current(identifier).text)
    lockWatch = try? FileWatch(core.loop, lock.path) { [weak self] in self?.closeLink() }
  }

  /// A service that has just been started does not know which gear streamed touches, and for which program.
  private func resume(_ streaming: GearMonitor.Streaming, of program: ServedProgram, hasSetMode: Bool) {
    guard let gear = connection?.gear else { return }
    if gear.gear == nil, gear.streaming == nil { gear.streaming = streaming }
    guard hasSetMode, modeSetter == nil, let current = gear.streaming,
      current.isOf(vendorID: streaming.vendorID, productID: streaming.productID)
    else { return }
    modeSetter = program
    gear.setterIs(program.channel.peer.process)
  }

  private func endLingering() {
    linger?.cancel()
    linger = nil
    lockWatch?.cancel()
    lockWatch = nil
  }

  /// Called if a program wants the tag for itself. Returns false if other programs use it.
  func releaseWarmLink() async -> Bool {
    guard programs.isEmpty else { return false }
    closeLink()
    await connection?.ended()
    return programs.isEmpty
  }

  /// Stops a stream or download that the program left running: it belongs to no other program. Touch mode and
  /// configuration stay.
  private func stopMotion(of program: ServedProgram) {
    let reserved = arbiter.forget(program.origin)
    guard reserved.contains(.stream) || reserved.contains(.download), let tag, !tag.isStale else { return }
    stopping?.cancel()
    stopping = core.loop.spawn { _ = try? await tag.stopMotion() }
  }

  func close() {
    for program in programs {
      program.end()
      program.channel.close()
    }
    programs = []
    closeLink()
  }

  // MARK: The link

  private func connect() {
    var options = Connection.Options()
    options.timeout = .unlimited
    options.waitForAdapter = true
    guard let new = try? manager.connect(identifier, options) else { return }
    connection = new
    tag = nil
    forward(new)
    new.states.add { [weak self, weak new] state in
      if let self, let new, new === connection { publish(state) }
    }
  }

  private func closeLink() {
    endLingering()
    connection?.end(.disconnected)
  }

  private func publish(_ state: ConnectionState) {
    guard state.phase != .disconnected else { return linkEnded(state) }
    if let new = state.tag, new !== tag {
      tag = new
      for program in programs { sendInfo(to: program) }
    } else if state.tag == nil {
      tag = nil
      panelBattery.linkEnded()
      // A warm link that was lost is not needed any more.
      if programs.isEmpty { closeLink() }
    }
    for program in programs {
      // A message for each advertisement would wake the programs.
      sendSignalStrength(to: program)
      program.send(.state(state))
    }
    if state.phase == .connected { showBattery() }
  }

  /// An error of one program's binding ends the link for this program only, and a missing bond ends it for the programs
  /// that are bound.
  private func linkEnded(_ state: ConnectionState) {
    tag = nil
    connection = nil
    panelBattery.linkEnded()
    if state.reason?.code == .alreadyConnected {
      // BlueZ has resolved an address, so another instance serves the same tag: the programs return to that one.
      close()
      return whenUnused()
    }
    let error = state.reason ?? LinkEnd.connectionEnds(keepsLink: false).error
    let concerned = programs.filter { $0.bonding != nil || error.code == .notBound && $0.isBound }
    for program in concerned.isEmpty ? programs : concerned { fail(program, error, state) }
    if programs.isEmpty { whenUnused() } else { connect() }
  }

  private func fail(_ program: ServedProgram, _ error: JacquardError, _ state: ConnectionState? = nil) {
    var last = state ?? ConnectionState(phase: .disconnected, step: 0, attempt: 1)
    last.reason = error
    program.send(.state(last))
    release(program, keepsLink: true)
  }

  // MARK: Binding

  private func updateBond() {
    guard let bond = connection?.reports.bond else { return }
    bond.isBound = programs.contains(where: \.isBound)
    bond.bonding = programs.lazy.compactMap(\.bonding).first
  }

  /// Binds over the existing link, or with the next one. A program that has not finished in the usual time gives way.
  private func bind(_ program: ServedProgram, _ code: TagCode) {
    do throws(JacquardError) {
      try program.checkRight(.bind)
    } catch {
      return fail(program, error)
    }
    if let other = programs.first(where: { $0.bonding != nil }), let began = other.bonding?.began {
      guard began.duration(to: core.loop.now) >= core.deadlines.firstConnection else {
        return fail(program, JacquardError(.busy, "Another program is binding the tag."))
      }
      fail(other, JacquardError(.timeout, "The tag was not bound in time, and another program binds it now."))
    }
    let bonding = Bonding(core, identifier, code)
    program.bonding = bonding
    updateBond()
    guard let tag, let device = core.devices(of: identifier).first(where: \.connected) else {
      return introduce(program)
    }
    program.send(
      .state(ConnectionState(phase: .authenticating, step: Step.servicesResolved.rawValue, attempt: 1)))
    core.loop.spawn { [self, takingBack] in
      await takingBack?.value
      // Otherwise the next link is used.
      guard !tag.isStale else { return }
      do throws(JacquardError) {
        try bonding.checkAdvertisement(of: device)
        if bonding.needsBond(device) { try await bonding.bond(with: device) }
        try await bonding.finish(tag.info, device)
        if programs.contains(where: { $0 === program }) { introduce(program) }
      } catch {
        if !tag.isStale || error.code.endsConnections { fail(program, error) }
      }
    }
  }

  private func isBound(_ program: ServedProgram) {
    guard let bonding = program.bonding else { return }
    bonding.keep()
    program.isBound = true
    program.bonding = nil
    updateBond()
    showBattery()
  }

  // MARK: Messages from programs

  private func take(_ message: ProgramMessage, from program: ServedProgram) {
    switch message {
    case .request(let request):
      program.request(request, to: tag) { [weak self, weak program] in
        if let self, let program { note($0, of: program) }
      }
    case .rawRequest(let request): program.rawRequest(request.id, request.packet, to: tag)
    case .withdraw(let request): program.withdraw(request.id)
    case .reserve(let request): reserve(request.id, ReservationKind(rawValue: request.reservation), for: program)
    case .release(let release):
      if let kind = ReservationKind(rawValue: release.reservation) { arbiter.release(kind, of: program.origin) }
    case .bound: isBound(program)
    case .disconnect: release(program, keepsLink: false)
    case .rawData(let wanted): program.rawData = wanted
    case .ping: program.send(.pong)
    case .hello: break
    }
  }

  /// Notes a change by a program: it belongs to the tag, not to the program.
  private func note(_ request: WireRequest, of program: ServedProgram) {
    switch request.command {
    case .gearData:
      modeSetter = program
      connection?.gear.modeWasSet(
        request.data.touch == .dataStreamEnable ? .continuous : .gesture, by: program.channel.peer.process)
    case .configWrite:
      if request.configWrite.bleConfig.hasCustomAdvNameUtf8 {
        connection?.name.renamed(request.configWrite.bleConfig.customAdvName)
      }
    default: break
    }
  }

  private func reserve(_ id: UInt32, _ kind: ReservationKind?, for program: ServedProgram) {
    // Unknown kinds are those of newer versions.
    guard let kind else { return program.send(.busy(id, .reserved(by: 0))) }
    guard let owner = arbiter.reserve(kind, for: program.origin) else {
      return program.send(.granted(.init(id: id)))
    }
    program.send(.busy(id, .reserved(owner.kinds.last, by: process(of: owner.id))))
  }

  private func process(of origin: CommandTurn.Origin) -> Int32 {
    programs.first { $0.origin == origin }?.channel.peer.process ?? 0
  }

  /// Throws if another program's reservation excludes the action.
  ///
  /// - Parameter origin: nil for a process that does not use the tag with this channel.
  func check(_ action: TagAction, by peer: Peer, _ origin: CommandTurn.Origin? = nil) throws(JacquardError) {
    guard action.reservation != nil, let owner = arbiter.owner, owner.id != origin else { return }
    let holder = process(of: owner.id)
    guard origin != nil || peer.process == 0 || holder != peer.process else { return }
    throw .reserved(owner.kinds.last, by: holder)
  }
}
