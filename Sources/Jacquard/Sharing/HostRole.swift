import EventLoop
import JacquardWire
import Sharing

/// A connection's part as host: passes what the tag sends on to the guests, and runs their requests.
final class HostRole {
  /// A program that uses the tag through this one.
  private final class Guest {
    let channel: Channel
    let origin: CommandTurn.Origin
    var requests: [UInt32: (task: Task<Void, Never>, progress: RequestProgress)] = [:]

    init(_ channel: Channel, _ origin: CommandTurn.Origin) {
      self.channel = channel
      self.origin = origin
    }
  }

  /// A guest has one request in flight, and one raw packet. The others are retries of requests that it no longer waits for.
  private static let mostRequests = 8

  let bus: String
  let announcement: WriteAnnouncement
  /// Another program had the link a moment ago.
  var continuesLink = false
  /// An earlier host, whose subscriptions this program has used, is about to end them.
  var followsLentSubscriptions = false
  /// Called when no program is subscribed to the tag's notifications any more.
  var onSilence: (() -> Void)?
  /// Called when another program has become the host.
  var onSuperseded: () -> Void = {}
  private let seat: HostSeat
  private let core: Core
  private let identifier: TagIdentifier
  private let notifications: Notifications
  private let name: NameMonitor
  private let gear: GearMonitor
  private var guests: [Guest] = []
  private var lastOrigin = CommandTurn.Origin.own.rawValue
  private var arbiter = Arbiter()
  private var state: ConnectionState
  private var tag: Tag?
  private var inheritance: Predecessor?
  private var observers: [() -> Void] = []
  private var forwarding: [() -> Void] = []
  private var hasLeft = false
  /// Stops the motion of a guest that has ended; not carried over to another program's link.
  private var stopping: Task<Void, Never>?

  init(
    _ core: Core, _ identifier: TagIdentifier, _ seat: HostSeat, bus: String, _ state: ConnectionState,
    _ notifications: Notifications, _ name: NameMonitor, _ gear: GearMonitor
  ) {
    self.core = core
    self.identifier = identifier
    self.seat = seat
    self.bus = bus
    self.state = state
    self.notifications = notifications
    self.name = name
    self.gear = gear
    announcement = WriteAnnouncement(seat)
    inheritance = seat.predecessor
  }

  var hasGuests: Bool { !guests.isEmpty }
  /// A process that was stopped continues with work that was due before the bell. The link that it would drop then is
  /// its successor's.
  var isSuperseded: Bool { seat.hasSuccessor() }

  /// - Parameters:
  ///   - reserved: what this program has reserved from an earlier host.
  ///   - isExclusive: whether other programs are refused.
  func begin(_ reserved: [ReservationKind], isExclusive: Bool) {
    if isExclusive { seat.refusal = .exclusive }
    for kind in reserved { _ = arbiter.reserve(kind, for: .own) }
    let changes = gear.changes.add { [weak self] _ in
      if let self { sendGear(to: guests) }
    }
    let names = name.changes.add { [weak self] in self?.send(.name($0)) }
    let modes = gear.modes.add { [weak self] in self?.send(.touchMode($0.rawValue)) }
    observers = [{ changes.cancel() }, { names.cancel() }, { modes.cancel() }]
    seat.open(
      onGuest: { [weak self] in self?.admit($0) }, onSuperseded: { [weak self] in self?.onSuperseded() })
  }

  /// Ends all guests' channels; one of them becomes the next host.
  func leave() {
    guard !hasLeft else { return }
    hasLeft = true
    stopping?.cancel()
    for guest in guests { for request in guest.requests.values { request.task.cancel() } }
    guests = []
    stopForwarding()
    for cancel in observers { cancel() }
    observers = []
    tag?.link.rawChannel.relay = nil
    tag = nil
    seat.leave()
  }

  // MARK: Succession

  /// What an earlier host may have left on the link; only for the first link of this host.
  func takeInheritance() -> Predecessor? {
    defer { inheritance = nil }
    return inheritance
  }

  /// An earlier host that hangs still has its subscriptions.
  var runningPredecessor: Predecessor? { seat.predecessor.flatMap { $0.isRunning ? $0 : nil } }

  var hasPredecessor: Bool { seat.predecessor != nil }

  /// The lock on the tag may be that of an earlier host.
  var replacesRunningHost: Bool { seat.predecessor?.wasRunning ?? false }

  // MARK: Guests

  private func admit(_ channel: Channel) {
    guard !hasLeft else { return channel.close() }
    lastOrigin &+= 1
    let guest = Guest(channel, CommandTurn.Origin(rawValue: max(lastOrigin, 1)))
    guests.append(guest)
    core.log(.info, .link, "\(identifier.text): process \(channel.peer) uses the tag through this program")
    if guests.count == 1 { startForwarding() }
    channel.start(
      onMessage: { [weak self, weak guest] message in
        if let self, let guest { take(message, from: guest) }
      },
      onEnd: { [weak self, weak guest] reason in
        if let self, let guest { ended(guest, reason) }
      })
    introduce(guest)
  }

  private func ended(_ guest: Guest, _ reason: ChannelEnd) {
    guard let index = guests.firstIndex(where: { $0 === guest }) else { return }
    guests.remove(at: index)
    if guests.isEmpty { stopForwarding() }
    core.log(.info, .link, "\(identifier.text): process \(guest.channel.peer) no longer uses the tag: \(reason)")
    for request in guest.requests.values { request.task.cancel() }
    let reserved = arbiter.forget(guest.origin)
    guard reserved.contains(.stream) || reserved.contains(.download), let tag, !tag.isStale else { return }
    // A guest that has left a host that hung continues through another one.
    guard !isSuperseded else { return }
    stopping?.cancel()
    stopping = core.loop.spawn { _ = try? await tag.stopMotion() }
  }

  private func introduce(_ guest: Guest) {
    if !name.name.isEmpty { guest.channel.send(.name(name.name)) }
    sendSignalStrength(to: [guest])
    if let tag { sendInfo(of: tag, to: [guest]) }
    guest.channel.send(.state(SharedState(state)))
    guard tag != nil else { return }
    sendGear(to: [guest])
    if let battery = notifications.lastBattery {
      let report = WireNotification.with { $0.batteryStatusNotification = battery.wire }
      report.packet().withUnsafeBytes { _ = guest.channel.send(.notification($0)) }
    }
  }

  private func sendSignalStrength(to guests: [Guest]) {
    guard let strength = notifications.statistics.counts.rssi else { return }
    for guest in guests { guest.channel.send(.signalStrength(Int32(strength))) }
  }

  private func sendInfo(of tag: Tag, to guests: [Guest]) {
    let info = tag.info
    info.wire.packet().withUnsafeBytes { packet in
      for guest in guests { guest.channel.send(.tagInfo(packet, address: info.address, name: info.name)) }
    }
  }

  /// Gear is reported when it is ready. Guests neither set its mode nor read its information.
  private func sendGear(to guests: [Guest]) {
    guard let component = gear.gear, let attachment = notifications.lastAttachment else { return }
    let shared = component.map { SharedGear($0.info, gear.mode) } ?? SharedGear()
    attachment.withUnsafeBytes { packet in
      for guest in guests { guest.channel.send(.gear(packet, shared)) }
    }
  }

  private func send(_ message: Message) {
    for guest in guests { guest.channel.send(message) }
  }

  // MARK: What the tag sends

  /// The end of this connection is not that of the guests' connections.
  func publish(_ new: ConnectionState) {
    guard new.phase != .disconnected, !hasLeft else { return }
    state = new
    if let new = new.tag, new !== tag {
      tag = new
      relay(new)
      sendInfo(of: new, to: guests)
    } else if new.tag == nil {
      tag = nil
    }
    seat.isSetUp = tag != nil
    // A message for each advertisement would wake the guests.
    sendSignalStrength(to: guests)
    send(.state(SharedState(new)))
  }

  /// The attempt has begun to receive the tag's advertisements.
  func tagIsFollowed() { sendSignalStrength(to: guests) }

  /// The link is about to be dropped, which takes two seconds: guests that come now must not use it.
  func linkWillEnd() {
    publish(ConnectionState(phase: .preparing, step: 0, attempt: 1, reason: .hostEnded))
  }

  /// This connection has ended because of an error that every program would get with this tag.
  func tagFailed(_ error: JacquardError) {
    send(
      .state(
        SharedState(
          phase: Phase.disconnected.rawValue, attempt: state.attempt,
          disconnectReason: state.disconnectReason.rawValue, reason: SharedFailure(error))))
  }

  private func startForwarding() {
    let packets = notifications.packets.add { [weak self] packet in
      guard let self else { return }
      guard !notifications.isAttachment else { return }
      send(notifications.mayBeCopy ? .possibleCopy(packet) : .notification(packet))
    }
    let values = notifications.rawValues.add { [weak self] value in
      guard let self, let tag else { return }
      send(.rawValue(value, isStream: !tag.link.rawChannel.receivesPackets))
    }
    let losses = notifications.losses.add { [weak self] in self?.send(.dropped(count: 1)) }
    forwarding = [{ packets.cancel() }, { values.cancel() }, { losses.cancel() }]
  }

  private func stopForwarding() {
    for cancel in forwarding { cancel() }
    forwarding = []
  }

  /// A packet that the guest that downloads a session could not take must not be acknowledged: the tag repeats it.
  private func relay(_ tag: Tag) {
    tag.link.rawChannel.relay = { [weak self] payload in
      guard let self else { return true }
      var isTaken = true
      for guest in guests where arbiter.has(guest.origin, .download) {
        isTaken = guest.channel.send(.rawPacket(payload))
      }
      guard isTaken else { return false }
      for guest in guests where !arbiter.has(guest.origin, .download) { guest.channel.send(.rawPacket(payload)) }
      return true
    }
  }

  // MARK: What guests send

  private func take(_ message: Message, from guest: Guest) {
    switch message {
    case .request(let id, let packet): request(id, packet, of: guest)
    case .rawRequest(let id, let packet): rawRequest(id, packet, of: guest)
    case .withdraw(let id): guest.requests[id]?.task.cancel()
    case .inquire(let id):
      if let request = guest.requests[id] { request.progress.report() } else { guest.channel.send(.accepted(id: id)) }
    case .reserve(let kind): reserve(kind, for: guest)
    case .release(let kind):
      if let kind = ReservationKind(rawValue: kind) { arbiter.release(kind, of: guest.origin) }
    default: break
    }
  }

  private func request(_ id: UInt32, _ packet: UnsafeRawBufferPointer, of guest: Guest) {
    guard let request = try? WireRequest(packet: packet) else {
      return fail(id, .invalid("The request cannot be decoded."), guest)
    }
    run(id, for: guest) { [self] tag, progress throws(JacquardError) in
      let commands = tag.link.commands
      // The guest withdraws the request when its own time limit has passed.
      var response = try await commands.inTurn(limit: tag.link.deadlines.guestRequest, of: guest.origin) {
        turn throws(JacquardError) in
        try await commands.exchange(request, in: turn, responseLimit: commands.responseLimit) {
          progress.written()
        }
      }
      if response.status == 0 { note(request) }
      response.id = id
      response.packet().withUnsafeBytes { _ = guest.channel.send(.response(id: id, $0)) }
    }
  }

  private func rawRequest(_ id: UInt32, _ packet: UnsafeRawBufferPointer, of guest: Guest) {
    let packet = Array(packet)
    run(id, for: guest) { tag, _ throws(JacquardError) in
      try await tag.link.commands.inTurn(of: guest.origin) { turn throws(JacquardError) in
        try await turn.value(of: tag.link.rawChannel.send(packet))
      }
      guest.channel.send(.written(id: id))
    }
  }

  private func run(
    _ id: UInt32, for guest: Guest, _ body: @escaping (Tag, RequestProgress) async throws(JacquardError) -> Void
  ) {
    guard let tag, !tag.isStale else {
      return fail(id, JacquardError(.staleTag, JacquardError.Code.staleTag.text), guest)
    }
    guard guest.requests.count < Self.mostRequests, guest.requests[id] == nil else {
      return fail(id, JacquardError(.busy, "The program has too many requests in flight."), guest)
    }
    let progress = RequestProgress(id, guest.channel, core.loop, after: core.deadlines.progress)
    let task = core.loop.spawn { [self] in
      defer { progress.end() }
      do throws(JacquardError) {
        try await body(tag, progress)
        guest.requests[id] = nil
      } catch {
        guest.requests[id] = nil
        fail(id, error, guest)
      }
    }
    guest.requests[id] = (task, progress)
  }

  private func fail(_ id: UInt32, _ error: JacquardError, _ guest: Guest) {
    guest.channel.send(.failed(id: id, SharedFailure(error)))
  }

  /// What a guest has changed belongs to the tag, not to the guest.
  private func note(_ request: WireRequest) {
    switch request.command {
    case .gearData: gear.modeWasSet(request.data.touch == .dataStreamEnable ? .continuous : .gesture)
    case .configWrite:
      if request.configWrite.bleConfig.hasCustomAdvNameUtf8 {
        name.renamed(request.configWrite.bleConfig.customAdvName)
      }
    default: break
    }
  }

  // MARK: Reservations

  /// For this program.
  func reserve(_ kind: ReservationKind) throws(JacquardError) {
    guard let (owner, activity) = arbiter.reserve(kind, for: .own) else { return }
    throw .reserved(activity, by: process(of: owner))
  }

  func release(_ kind: ReservationKind) { arbiter.release(kind, of: .own) }

  private func reserve(_ number: UInt8, for guest: Guest) {
    // Unknown kinds are those of newer versions.
    guard let kind = ReservationKind(rawValue: number) else {
      guest.channel.send(.busy(kind: number, process: 0))
      return
    }
    if let (owner, _) = arbiter.reserve(kind, for: guest.origin) {
      guest.channel.send(.busy(kind: number, process: process(of: owner)))
    } else {
      guest.channel.send(.granted(kind: number))
    }
  }

  private func process(of owner: CommandTurn.Origin) -> Int32 {
    guests.first { $0.origin == owner }?.channel.peer ?? JacquardError.ownProcess
  }
}

extension SharedState {
  fileprivate init(_ state: ConnectionState) {
    self.init(
      phase: state.phase.rawValue, step: state.step, attempt: state.attempt,
      disconnectReason: state.disconnectReason.rawValue, reason: state.reason.map(SharedFailure.init))
  }
}

extension SharedGear {
  fileprivate init(_ info: ComponentInfo, _ mode: TouchMode?) {
    self.init(
      uuid: info.uuid, major: info.firmware.major, minor: info.firmware.minor, point: info.firmware.point,
      touchMode: mode?.rawValue ?? 0)
  }
}
