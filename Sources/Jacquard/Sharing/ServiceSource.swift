import EventLoop
import JacquardWire
import Sharing

/// Links that the service has. Everything reaches the tag through the service.
final class ServiceSource: LinkSource {
  private let core: Core
  private let reports: TagReports
  private let channel: ServiceChannel
  private let entrance: ServiceEntrance
  private let identifier: TagIdentifier
  private let waitsForAdapter: Bool
  private lazy var heartbeat = Heartbeat(
    channel, core.loop, isNeeded: { [weak self] in self?.isWaiting ?? false },
    onHang: { [end, channel] in end.fail(.serviceHangs(channel.peer.process)) })
  private var state = ConnectionState(phase: .preparing, step: 0)
  private var link: (tag: Tag, link: ServiceLink)?
  /// The facts about the gear that is reported next, before its report.
  private var nextGear = ServiceMessage.Gear()
  private var questions: [UInt32: Completion<Void, JacquardError>] = [:]
  private var lastQuestion: UInt32 = 0
  private var admit: (TagInfo) async throws(JacquardError) -> Void = { _ in }
  private let end = Completion<Void, JacquardError>()
  /// Set while the service may have been asked with an identifier that the tag no longer has.
  private var stopObserving: (() -> Void)?
  private var isClosed = false
  /// The use of raw data that was last sent to the service.
  private var rawData = ProgramMessage.RawData()
  /// The service's number of its attempt, which it counts from the last time that it was connected.
  private var attempt: UInt32 = 1

  init(
    _ core: Core, _ reports: TagReports, _ channel: ServiceChannel, _ entrance: ServiceEntrance, waitsForAdapter: Bool
  ) {
    self.core = core
    identifier = entrance.identifier
    self.reports = reports
    self.channel = channel
    self.entrance = entrance
    self.waitsForAdapter = waitsForAdapter
  }

  /// Whether the service has yet to answer. It may take any time to find the tag.
  private var isWaiting: Bool {
    if !questions.isEmpty || link?.link.isWaiting ?? false { return true }
    return state.serviceProcess == 0 || state.phase != .connected && state.step >= Step.linkUp.rawValue
  }

  var disconnectReason: DisconnectReason { state.disconnectReason }

  func run(admit: @escaping (TagInfo) async throws(JacquardError) -> Void) async throws(JacquardError) {
    core.log(.info, .link, of: identifier, "the service (process \(channel.peer.process)) has the link to the tag")
    self.admit = admit
    let attachments = reports.notifications.workReports.attachments.add { [weak self] in self?.take($0) }
    let checks = core.monitor.checks.add { [weak self] in self?.checkAdapter() }
    observeIdentifier()
    let raw = reports.notifications.raw
    (raw.packets.onAdd, raw.values.onAdd) = (
      { [weak self] in self?.tellRawInterest() }, { [weak self] in self?.tellRawInterest() }
    )
    tellRawInterest()
    reports.reservation.service = self
    defer {
      attachments.cancel()
      checks.cancel()
      stopObserving?()
      (raw.packets.onAdd, raw.values.onAdd) = (nil, nil)
      // It retains the connection, which retains this source.
      self.admit = { _ in }
    }
    channel.start(
      onMessage: { [weak self] in self?.take($0) },
      onEnd: { [end, core, identifier] in
        if $0 != .closed { core.log(.info, .link, of: identifier, "the channel to the service ended: \($0)") }
        end.fail(.serviceEnded)
      })
    heartbeat.start()
    do throws(JacquardError) {
      try await end.value()
      await close(.failed(.deviceGone))
    } catch {
      let isReplaceable = error.code == .serviceUnavailable || error.code == .inUse
      guard isReplaceable, !reports.isFinal(error) else { throw error }
      // Another service, or this program, continues.
      await close(.failed(error))
    }
  }

  // MARK: Messages from the service

  private func take(_ message: ServiceMessage) {
    guard !isClosed else { return }
    switch message {
    case .notification(let received):
      reports.notifications.receive(
        ReceivedPacket(received.packet, mayBeCopy: received.mayBeCopy, arrival: arrival(received.arrival)))
    case .gear(let gear):
      nextGear = gear
      reports.notifications.receive(ReceivedPacket(arriving: gear.report, on: core.loop))
    case .state(let new): takeState(new)
    case .tagInfo(let info): takeInfo(info)
    case .name(let new): reports.name.report(new.name.printable)
    case .signalStrength(let signal):
      // Core Specification, volume 4, part E, 7.7.65.2.
      if (-127...20).contains(signal.strength) { reports.statistics.heard(Int16(signal.strength)) }
    case .touchMode(let set):
      if let mode = TouchMode(rawValue: set.touchMode) { reports.gear.modeWasSet(mode, by: process(set.process)) }
    case .dropped(let dropped):
      reports.statistics.countDroppedNotifications(UInt64(dropped.count))
      core.log(
        .warning, .link, of: identifier,
        "\(dropped.count) events were damaged, or this program was too slow for them")
    case .copies(let copies):
      reports.statistics.countShared(dropped: UInt64(copies.dropped), doubtful: UInt64(copies.doubtful))
    case .interrupted: reports.interrupted()
    case .log(let line):
      if let level = Log.Level(rawValue: line.level) { core.log(level, .link, of: identifier, line.text) }
    case .granted(let granted): questions.removeValue(forKey: granted.id)?.succeed(())
    case .busy(let busy): questions.removeValue(forKey: busy.id)?.fail(busy.error.error ?? .reserved(by: 0))
    case .rawValue, .streamValue, .rawPacket: takeRawData(message)
    case .written, .response, .failed: link?.link.take(message)
    case .welcome, .refused, .unbound, .pong, .usage: break
    }
  }

  private func takeRawData(_ message: ServiceMessage) {
    let raw = reports.notifications.raw
    switch message {
    case .rawValue(let new):
      raw.values.send(ReceivedValue(arriving: new.value, on: core.loop))
      tellRawInterest()
    case .streamValue(let new):
      let value = ReceivedValue(new.value, arrival: arrival(new.arrival))
      raw.values.send(value)
      raw.streamValues.send(value)
    case .rawPacket(let new):
      // The tag may send one before it is ready.
      if let link {
        link.link.rawChannel.receiveRelayed(new.payload)
      } else {
        reports.notifications.receiveRaw(new.payload)
      }
      tellRawInterest()
    default: break
    }
  }

  /// When the service received an event; 0: it does not say, so it arrives now.
  private func arrival(_ reported: UInt64) -> Int64 { reported == 0 ? core.loop.bootTime : Int64(clamping: reported) }

  /// Called when a subscription begins, and for each message, because one may have ended.
  private func tellRawInterest() {
    let raw = reports.notifications.raw
    let wanted = ProgramMessage.RawData(packets: !raw.packets.isEmpty, values: !raw.values.isEmpty)
    guard wanted != rawData else { return }
    rawData = wanted
    channel.send(.rawData(wanted))
  }

  private func takeInfo(_ new: ServiceMessage.TagInfo) {
    guard let response = try? WireDeviceInfoResponse(serializedBytes: new.response) else { return }
    endLink(.serviceEnded)
    reports.notifications.linkBegins()
    let link = ServiceLink(core, channel, heartbeat, reports.notifications, reports.reservation)
    let info = TagInfo(
      response, identifier: identifier, address: new.address.printable, name: new.name.printable)
    self.link = (Tag(info, link, reports.notifications, reports.name, reports.gear), link)
  }

  private func takeState(_ new: ServiceMessage.State) {
    let phase = Phase(rawValue: new.phase) ?? .preparing
    let (step, reason) = (min(new.step, Step.connected.rawValue), new.error.error)
    switch phase {
    case .disconnected:
      end.fail(reason ?? .serviceEnded)
      return
    case .connected: return isConnected(new.attempt)
    default: break
    }
    endLink(reason ?? .serviceEnded)
    // The connection has reported the first state itself.
    let isReported = state.serviceProcess == 0 && phase == .preparing && step == 0 && reason == nil
    count(new.attempt, step: step)
    state = ConnectionState(
      phase: phase, step: step, reason: reason,
      disconnectReason: DisconnectReason(rawValue: new.disconnectReason) ?? .unknown,
      serviceProcess: channel.peer.process)
    if isWaiting { heartbeat.start() }
    if !isReported { reports.report(state) }
    observeIdentifier()
    checkAdapter()
  }

  /// Counts the attempts that have ended before a new state. Within an attempt of this program no step goes back.
  private func count(_ new: UInt32, step: UInt32) {
    let last = attempt
    attempt = max(new, 1)
    if state.phase == .connected {
      reports.attemptHasEnded(attempt)
    } else if attempt > last {
      reports.attemptHasEnded(attempt - last)
    } else if attempt < last || step < state.step {
      reports.attemptHasEnded()
    }
  }

  private func isConnected(_ number: UInt32) {
    guard let tag = link?.tag, state.tag !== tag else { return }
    core.loop.spawn { [self] in
      do throws(JacquardError) {
        try await admit(tag.info)
        channel.send(.bound)
        guard !tag.isStale, !isClosed else { return }
        count(number, step: Step.connected.rawValue)
        state = ConnectionState(
          phase: .connected, step: Step.connected.rawValue, serviceProcess: channel.peer.process, tag: tag)
        observeIdentifier()
        reports.report(state)
        reports.linkIsReady(tag, core.loop)
      } catch {
        if !error.isCancellation { end.fail(error) }
      }
    }
  }

  private func take(_ attachment: WireAttachedNotification) {
    guard let tag = link?.tag else { return }
    guard attachment.attachState, attachment.hasVendorID, attachment.hasProductID, attachment.hasComponentID else {
      return reports.gear.report(nil)
    }
    var info = ComponentInfo(
      id: attachment.componentID, vendorID: attachment.vendorID, productID: attachment.productID)
    info.uuid = nextGear.uuid.printable
    info.firmware = TagInfo.Version(major: nextGear.major, minor: nextGear.minor, point: nextGear.point)
    let mode = TouchMode(rawValue: nextGear.touchMode).map {
      GearMonitor.Mode(touchMode: $0, process: process(nextGear.process))
    }
    reports.gear.report(Component(info, of: tag), mode: mode)
  }

  /// The service's number of a process. It has no meaning in another PID namespace, where the service is not known
  /// either.
  private func process(_ number: Int32) -> Int32 { channel.peer.process > 0 ? max(number, 0) : 0 }

  /// The service waits for its adapter; a connection that does not want to wait ends.
  private func checkAdapter() {
    guard state.phase == .preparing, state.step == 0, !waitsForAdapter else { return }
    let status = core.monitor.status
    switch status.state {
    case .unsupported, .unauthorized, .poweredOff:
      end.fail(status.error ?? JacquardError(.noAdapter, JacquardError.Code.noAdapter.text))
    case .unknown, .resetting, .poweredOn: break
    }
  }

  /// Without its bond, BlueZ no longer resolves the tag's address. The service has to be asked again, by the identifier
  /// of the address that the tag sends.
  private func checkIdentifier() {
    if searches, entrance.hasOtherIdentifier { end.succeed(()) }
  }

  private var searches: Bool { state.phase == .preparing && state.step < Step.tagKnown.rawValue }

  private func observeIdentifier() {
    guard searches else {
      stopObserving?()
      return stopObserving = nil
    }
    guard stopObserving == nil else { return }
    stopObserving = core.observeDevices(of: identifier) { [weak self] in self?.checkIdentifier() }
    checkIdentifier()
  }

  // MARK: The end

  private func endLink(_ error: JacquardError) {
    failQuestions(error)
    guard let ending = link?.link else { return }
    link = nil
    ending.life.end(error.ofCommands)
    reports.linkIsLost()
  }

  func close(_ cause: LinkEnd) async {
    guard !isClosed else { return }
    isClosed = true
    heartbeat.stop()
    if case .connectionEnds(keepsLink: false) = cause { await releaseLink() }
    channel.close()
    let wasUp = state.step >= Step.linkUp.rawValue
    endLink(cause.error)
    if wasUp { state.disconnectReason = .local }
    guard case .failed(let error) = cause else { return }
    if error.code == .serviceUnavailable {
      entrance.serviceHasEnded()
      reports.hadLink = true
    }
    core.log(.info, .link, of: identifier, error.message)
    reports.attemptHasEnded()
    reports.report(
      ConnectionState(phase: .preparing, step: 0, reason: error, disconnectReason: state.disconnectReason))
  }

  /// Returns when the link is down, or other programs use it.
  private func releaseLink() async {
    let done = Completion<Void, JacquardError>()
    channel.start(onMessage: { _ in }, onEnd: { _ in done.succeed(()) })
    guard channel.send(.disconnect) else { return }
    let timer = core.loop.schedule(after: core.deadlines.linkDown) { done.succeed(()) }
    defer { timer.cancel() }
    // The connection's task has been cancelled.
    await core.loop.spawn { _ = try? await done.value() }.value
  }

  func closeWithoutWaiting() {
    isClosed = true
    channel.close()
    let error = LinkEnd.connectionEnds(keepsLink: true).error
    failQuestions(error)
    link?.link.life.end(error)
  }

  // MARK: Reservations

  /// - Parameter turn: that of the command that needs it, if any; the wait ends when it fails.
  func reserve(_ kind: ReservationKind, in turn: CommandTurn?) async throws(JacquardError) {
    guard !isClosed else { throw .serviceEnded.ofCommands }
    let question = Completion<Void, JacquardError>()
    lastQuestion &+= 1
    let id = lastQuestion
    questions[id] = question
    channel.send(.reserve(.init(id: id, reservation: kind.rawValue)))
    heartbeat.start()
    let timer = core.loop.schedule(after: core.deadlines.otherTurns) { question.fail(.serviceLate) }
    defer {
      timer.cancel()
      questions[id] = nil
    }
    do throws(JacquardError) {
      if let turn { try await turn.value(of: question) } else { try await question.value() }
    } catch {
      // Unless it refused, the service has granted it or may still do so.
      if error.code != .busy { release(kind) }
      throw error
    }
  }

  func release(_ kind: ReservationKind) { channel.send(.release(.init(reservation: kind.rawValue))) }

  private func failQuestions(_ error: JacquardError) {
    let unanswered = questions.values
    questions = [:]
    for question in unanswered { question.fail(error.ofCommands) }
  }
}
