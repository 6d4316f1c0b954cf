import EventLoop
import JacquardWire
import Sharing

/// A connection's part as guest: everything reaches the tag through the host, the program that has the link.
final class GuestRole {
  struct End {
    let error: JacquardError
    /// The host still runs, as far as known, but does not accept requests.
    var hostHangs = false
  }

  /// The host's process; 0 if it is not known.
  var hostProcess: Int32 { channel.peer }
  let channel: Channel
  /// Completed when this program has to find another host, or become one.
  let end = Completion<End, CancellationError>()

  private let core: Core
  private let identifier: TagIdentifier
  private let notifications: Notifications
  private let name: NameMonitor
  private let gear: GearMonitor
  private var onState: (SharedState, Tag?) -> Void = { _, _ in }
  private var tag: (tag: Tag, link: GuestLink)?
  private var hostWatch: HostWatch?
  private var asked: [UInt8: [Completion<Void, JacquardError>]] = [:]
  private var isClosed = false

  init(
    _ core: Core, _ identifier: TagIdentifier, _ channel: Channel, _ notifications: Notifications, _ name: NameMonitor,
    _ gear: GearMonitor
  ) {
    self.core = core
    self.identifier = identifier
    self.channel = channel
    self.notifications = notifications
    self.name = name
    self.gear = gear
  }

  /// - Parameter onState: called with each state of the host, and with the tag if it is connected.
  func begin(onState: @escaping (SharedState, Tag?) -> Void) {
    self.onState = onState
    hostWatch = HostWatch(channel, core.loop, core.deadlines) { [weak self] in self?.hostHangs() }
    channel.start(
      onMessage: { [weak self] in self?.take($0) }, onEnd: { [weak self] in self?.ended($0) })
  }

  private func take(_ message: Message) {
    guard !isClosed else { return }
    switch message {
    case .notification(let packet): notifications.receive(packet)
    case .possibleCopy(let packet):
      notifications.mayBeCopy = true
      notifications.receive(packet)
      notifications.mayBeCopy = false
    case .gear(let packet, let shared):
      gear.hostWillReport(shared)
      notifications.receive(packet)
    case .state(let state): take(state)
    case .tagInfo(let packet, let address, let name): take(packet, address, name)
    case .accepted(HostWatch.inquiryID): hostWatch?.answered()
    case .name(let text): name.heard(text.printable)
    case .signalStrength(let strength): name.heard(strength, notifications.statistics)
    case .granted(let kind): answered(kind, .success(()))
    case .busy(let kind, let process):
      answered(kind, .failure(.reserved(by: process)))
    case .dropped(let count):
      notifications.statistics.countDroppedNotifications(count)
      core.log(
        .warning, .link, "\(identifier.text): \(count) events were damaged, or this program was too slow for them")
    case .touchMode(let mode):
      if let mode = TouchMode(rawValue: mode) { gear.modeWasSet(mode) }
    default: tag?.link.take(message)
    }
  }

  private func take(_ packet: UnsafeRawBufferPointer, _ address: String, _ name: String) {
    guard let response = try? WireDeviceInfoResponse(serializedBytes: packet) else { return }
    closeLink(.hostEnded)
    notifications.linkBegins()
    let link = GuestLink(core, channel, notifications) { [weak self] in self?.hostHangs() }
    let info = TagInfo(response, identifier: identifier, address: address.printable, name: name.printable)
    tag = (Tag(info, link, notifications, self.name), link)
  }

  private func take(_ state: SharedState) {
    hostWatch?.hostCame(to: state)
    guard state.phase != Phase.connected.rawValue else { return onState(state, tag?.tag) }
    closeLink(state.reason.map(JacquardError.init) ?? .hostEnded)
    onState(state, nil)
  }

  private func ended(_ reason: ChannelEnd) {
    if reason != .closed { core.log(.info, .link, "\(identifier.text): the channel to the host ended: \(reason)") }
    end.succeed(End(error: .hostEnded))
  }

  private func hostHangs() { end.succeed(End(error: .hostHangs, hostHangs: true)) }

  private func closeLink(_ error: JacquardError) {
    tag?.link.close(error)
    tag = nil
  }

  func close(_ error: JacquardError) {
    guard !isClosed else { return }
    isClosed = true
    hostWatch?.stop()
    channel.close()
    failQuestions(error)
    closeLink(error)
  }

  /// Before the link is closed: the command that asks was given before those that wait for it.
  private func failQuestions(_ error: JacquardError) {
    let unanswered = asked.values.flatMap { $0 }
    asked = [:]
    for question in unanswered { question.fail(error) }
  }

  /// For a connection that is about to have another link. Returns the commands that have not begun.
  func closeKeepingWaiting(_ error: JacquardError) -> [CommandTurn] {
    defer { close(error) }
    failQuestions(error)
    return tag?.link.closeKeepingWaiting(error) ?? []
  }

  // MARK: Reservations

  /// - Parameter turn: that of the command that needs it, if any; the wait ends when it fails.
  func reserve(_ kind: ReservationKind, in turn: CommandTurn?) async throws(JacquardError) {
    guard !isClosed else { throw .hostEnded }
    let question = Completion<Void, JacquardError>()
    asked[kind.rawValue, default: []].append(question)
    channel.send(.reserve(kind: kind.rawValue))
    do throws(JacquardError) {
      if let turn { try await turn.value(of: question) } else { try await question.value() }
    } catch {
      // Without an answer, the host may still grant it.
      if asked[kind.rawValue]?.contains(where: { $0 === question }) ?? false { release(kind) }
      throw error
    }
  }

  func release(_ kind: ReservationKind) { channel.send(.release(kind: kind.rawValue)) }

  /// A new host does not know what an earlier one granted.
  func reserveAgain(_ kinds: [ReservationKind]) {
    for kind in kinds {
      asked[kind.rawValue, default: []].append(Completion())
      channel.send(.reserve(kind: kind.rawValue))
    }
  }

  private func answered(_ kind: UInt8, _ result: Result<Void, JacquardError>) {
    guard let first = asked[kind]?.first else { return }
    asked[kind]?.removeFirst()
    first.complete(result)
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
