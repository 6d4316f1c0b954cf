import EventLoop
import JacquardWire
import Sharing

/// Links that the service has. Everything reaches the tag through the service.
final class ServiceSource: LinkSource {
  private let core: Core
  private let reports: TagReports
  private let channel: Channel
  private let entrance: ServiceEntrance
  private let identifier: TagIdentifier
  private let waitsForAdapter: Bool
  private var state = ConnectionState(phase: .preparing, step: 0, attempt: 1)
  private var link: (tag: Tag, link: ServiceLink)?
  /// What the service has read from the gear that is reported next.
  private var nextGear = ServiceGear()
  private var questions: [UInt8: [Completion<Void, JacquardError>]] = [:]
  private var admit: (TagInfo) async throws(JacquardError) -> Void = { _ in }
  private let end = Completion<Void, JacquardError>()
  private var isClosed = false
  /// Attempts before those that the service counts now.
  private var earlierAttempts: UInt32 = 0

  init(
    _ core: Core, _ identifier: TagIdentifier, _ reports: TagReports, _ channel: Channel, _ entrance: ServiceEntrance,
    waitsForAdapter: Bool
  ) {
    self.core = core
    self.identifier = identifier
    self.reports = reports
    self.channel = channel
    self.entrance = entrance
    self.waitsForAdapter = waitsForAdapter
  }

  var disconnectReason: DisconnectReason { state.disconnectReason }

  func run(admit: @escaping (TagInfo) async throws(JacquardError) -> Void) async throws(JacquardError) {
    core.log(.info, .link, "\(identifier.text): the service (process \(channel.peer.process)) has the link to the tag")
    self.admit = admit
    let attachments = reports.notifications.attachments.add { [weak self] in self?.take($0) }
    let checks = core.monitor.checks.add { [weak self] in self?.checkAdapter() }
    reports.reservation.service = self
    defer {
      attachments.cancel()
      checks.cancel()
      // It retains the connection, which retains this source.
      self.admit = { _ in }
    }
    channel.start(
      onMessage: { [weak self] in self?.take($0) }, onEnd: { [weak self] in self?.channelEnded($0) })
    reserveAgain()
    do throws(JacquardError) {
      try await end.value()
    } catch {
      guard error.code == .serviceUnavailable, !error.isCancellation else { throw error }
      // Another service, or this program, continues.
      await close(.failed(error))
    }
  }

  // MARK: What the service sends

  private func take(_ message: ServiceMessage) {
    guard !isClosed else { return }
    switch message {
    case .notification(let packet): reports.notifications.receive(packet)
    case .possibleCopy(let packet): reports.notifications.receive(packet, mayBeCopy: true)
    case .gear(let packet, let gear):
      nextGear = gear
      reports.notifications.receive(packet)
    case .state(let new): take(new)
    case .tagInfo(let packet, let address, let name): take(packet, address, name)
    case .name(let text): reports.name.report(text.printable)
    // Core Specification, volume 4, part E, 7.7.65.2.
    case .signalStrength(let strength) where (-127...20).contains(strength): reports.statistics.heard(Int16(strength))
    case .touchMode(let mode):
      if let mode = TouchMode(rawValue: mode) { reports.gear.modeWasSet(mode) }
    case .dropped(let count):
      reports.statistics.countDroppedNotifications(count)
      core.log(
        .warning, .link, "\(identifier.text): \(count) events were damaged, or this program was too slow for them")
    case .copies(let dropped, let doubtful): reports.statistics.countShared(dropped: dropped, doubtful: doubtful)
    case .interrupted: reports.interrupted()
    case .log(let level, let text):
      if let level = Log.Level(rawValue: level) { core.log(level, .link, text.printable) }
    case .granted(let kind): answered(kind, .success(()))
    case .busy(let kind, let process): answered(kind, .failure(.reserved(by: process)))
    default: link?.link.take(message)
    }
  }

  private func take(_ packet: UnsafeRawBufferPointer, _ address: String, _ name: String) {
    guard let response = try? WireDeviceInfoResponse(serializedBytes: packet) else { return }
    closeLink(.serviceEnded)
    reports.notifications.linkBegins()
    let link = ServiceLink(core, channel, reports.notifications, reports.reservation)
    let info = TagInfo(response, identifier: identifier, address: address.printable, name: name.printable)
    self.link = (Tag(info, link, reports.notifications, reports.name, reports.gear), link)
  }

  private func take(_ new: ServiceState) {
    let phase = Phase(rawValue: new.phase)
    let reason = new.reason.map(JacquardError.init)
    switch phase {
    case .disconnected?: return endConnection(reason ?? .serviceEnded)
    case .connected?: return isConnected(new)
    default: break
    }
    closeLink(reason ?? .serviceEnded)
    // The connection has reported the first state itself.
    let isReported = state.serviceProcess == 0 && phase == .preparing && new.step == 0 && reason == nil
    state = ConnectionState(
      phase: phase ?? .preparing, step: min(new.step, Step.connected.rawValue), attempt: attempt(new),
      reason: reason, disconnectReason: DisconnectReason(rawValue: new.disconnectReason) ?? .unknown,
      serviceProcess: channel.peer.process)
    if !isReported { reports.states.send(state) }
    checkAdapter()
  }

  /// The service counts from the last time that it was connected. Within an attempt of this program no step goes back.
  private func attempt(_ new: ServiceState) -> UInt32 {
    if state.phase == .connected { earlierAttempts = 0 }
    let number = max(new.attempt, 1) &+ earlierAttempts
    guard state.phase != .connected, number <= state.attempt, number < state.attempt || new.step < state.step else {
      return number
    }
    earlierAttempts &+= state.attempt &+ 1 &- number
    return state.attempt &+ 1
  }

  private func isConnected(_ new: ServiceState) {
    guard let tag = link?.tag, state.tag !== tag else { return }
    core.loop.spawn { [self] in
      do throws(JacquardError) {
        try await admit(tag.info)
        channel.send(.bound)
        guard !tag.isStale, !isClosed else { return }
        state = ConnectionState(
          phase: .connected, step: Step.connected.rawValue, attempt: attempt(new),
          serviceProcess: channel.peer.process, tag: tag)
        reports.states.send(state)
        reports.notifications.linkIsReady()
      } catch {
        if !error.isCancellation { endConnection(error) }
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
    reports.gear.report(Component(info, of: tag), mode: TouchMode(rawValue: nextGear.touchMode))
  }

  /// The service waits for its adapter; a program that does not want to ends.
  private func checkAdapter() {
    guard state.phase == .preparing, state.step == 0, !waitsForAdapter else { return }
    let status = core.monitor.status
    switch status.state {
    case .unsupported, .unauthorized, .poweredOff:
      endConnection(status.error ?? JacquardError(.noAdapter, JacquardError.Code.noAdapter.text))
    case .unknown, .resetting, .poweredOn: break
    }
  }

  // MARK: The end

  private func channelEnded(_ reason: ChannelEnd) {
    if reason != .closed { core.log(.info, .link, "\(identifier.text): the channel to the service ended: \(reason)") }
    end.fail(.serviceEnded)
  }

  private func endConnection(_ error: JacquardError) { end.fail(error) }

  private func closeLink(_ error: JacquardError) {
    guard let link else { return }
    self.link = nil
    failQuestions(error)
    link.link.close(error.ofCommands)
    reports.gear.linkIsLost()
    reports.notifications.linkBegins()
  }

  func close(_ cause: LinkEnd) async {
    guard !isClosed else { return }
    isClosed = true
    if case .connectionEnds(keepsLink: false) = cause { await disconnect() }
    channel.close()
    failQuestions(cause.error)
    let wasUp = state.step >= Step.linkUp.rawValue
    closeLink(cause.error)
    if wasUp { state.disconnectReason = .local }
    guard case .failed(let error) = cause else { return }
    entrance.serviceHasEnded()
    core.log(.info, .link, "\(identifier.text): \(error.message)")
    reports.states.send(
      ConnectionState(
        phase: .preparing, step: 0, attempt: state.phase == .connected ? 1 : state.attempt &+ 1, reason: error,
        disconnectReason: state.disconnectReason))
  }

  /// Returns when the link is down, or other programs use it.
  private func disconnect() async {
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
    link?.link.close(error)
  }

  // MARK: Reservations

  /// - Parameter turn: that of the command that needs it, if any; the wait ends when it fails.
  func reserve(_ kind: ReservationKind, in turn: CommandTurn?) async throws(JacquardError) {
    guard !isClosed else { throw .serviceEnded.ofCommands }
    let question = Completion<Void, JacquardError>()
    questions[kind.rawValue, default: []].append(question)
    channel.send(.reserve(kind: kind.rawValue))
    do throws(JacquardError) {
      if let turn { try await turn.value(of: question) } else { try await question.value() }
    } catch {
      // Without an answer, the service may still grant it.
      if questions[kind.rawValue]?.contains(where: { $0 === question }) ?? false { release(kind) }
      throw error
    }
  }

  func release(_ kind: ReservationKind) { channel.send(.release(kind: kind.rawValue)) }

  /// A new service does not know what an earlier one granted.
  private func reserveAgain() {
    for kind in reports.reservation.held {
      questions[kind.rawValue, default: []].append(Completion())
      channel.send(.reserve(kind: kind.rawValue))
    }
  }

  private func answered(_ kind: UInt8, _ result: Result<Void, JacquardError>) {
    guard let first = questions[kind]?.first else { return }
    questions[kind]?.removeFirst()
    first.complete(result)
  }

  private func failQuestions(_ error: JacquardError) {
    let unanswered = questions.values.flatMap { $0 }
    questions = [:]
    for question in unanswered { question.fail(error.ofCommands) }
  }
}

extension JacquardError {
  /// - Parameter kind: what the other program does; nil if it is not known.
  static func reserved(_ kind: ReservationKind? = nil, by process: Int32) -> JacquardError {
    let holder = process > 0 ? "Another program (\(description(ofProcess: process)))" : "Another program"
    return JacquardError(
      .busy, "\(holder) is \(kind?.activity ?? "using the tag for an operation that excludes this one").",
      advice: "Wait until the other program has finished.")
  }
}
