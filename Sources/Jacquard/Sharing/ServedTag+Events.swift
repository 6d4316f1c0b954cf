import JacquardWire
import Sharing

/// What the tag sends, and what the service knows of it, goes to every program.
extension ServedTag {
  /// What a program that joins must know.
  func introduce(_ program: ServedProgram) {
    guard let connection else { return }
    if !connection.name.name.isEmpty { program.send(.name(connection.name.name)) }
    sendSignalStrength(to: program)
    sendInfo(to: program)
    program.send(.state(ServiceState(connection.state)))
    guard tag != nil else { return }
    sendGear(to: program)
    if let battery = connection.notifications.lastBattery {
      let report = WireNotification.with { $0.batteryStatusNotification = battery.wire }
      report.packet().withUnsafeBytes { program.send(.notification($0)) }
    }
  }

  func sendSignalStrength(to program: ServedProgram) {
    guard let strength = connection?.notifications.statistics.counts.rssi else { return }
    program.send(.signalStrength(Int32(strength)))
  }

  func sendInfo(to program: ServedProgram) {
    guard let info = tag?.info else { return }
    info.wire.packet().withUnsafeBytes { program.send(.tagInfo($0, address: info.address, name: info.name)) }
  }

  /// Gear is reported when it is ready. Programs neither set its mode nor read its information.
  private func sendGear(to program: ServedProgram) {
    guard let gear = connection?.gear, let component = gear.gear,
      let attachment = connection?.notifications.lastAttachment
    else { return }
    let shared = component.map { ServiceGear($0.info, gear.mode) } ?? ServiceGear()
    attachment.withUnsafeBytes { program.send(.gear($0, shared)) }
  }

  private func send(_ message: ServiceMessage) {
    for program in programs { program.send(message) }
  }

  func forward(_ connection: Connection) {
    stopForwarding()
    let notifications = connection.notifications
    relayPackets(of: connection)
    let packets = notifications.packets.add { [weak self, unowned notifications] packet in
      guard !notifications.isAttachment else { return }
      self?.send(notifications.mayBeCopy ? .possibleCopy(packet) : .notification(packet))
    }
    let values = notifications.rawValues.add { [weak self] value in
      guard let self else { return }
      guard let tag else { return keep(value, isPacket: false) }
      send(.rawValue(value, isStream: !tag.link.rawChannel.receivesPackets))
    }
    let losses = notifications.losses.add { [weak self] in self?.send(.dropped(count: 1)) }
    let copies = notifications.copies.add { [weak self] in
      self?.send(.copies(dropped: $0.dropped, doubtful: $0.doubtful))
    }
    let interruptions = connection.reports.interruptions.add { [weak self] in self?.send(.interrupted) }
    let gear = connection.gear.changes.add { [weak self] _ in
      guard let self else { return }
      for program in programs { sendGear(to: program) }
    }
    let names = connection.name.changes.add { [weak self] in self?.send(.name($0)) }
    let modes = connection.gear.modes.add { [weak self] in self?.send(.touchMode($0.rawValue)) }
    forwarding = [
      { packets.cancel() }, { values.cancel() }, { losses.cancel() }, { copies.cancel() }, { interruptions.cancel() },
      { gear.cancel() }, { names.cancel() }, { modes.cancel() },
    ]
  }

  func stopForwarding() {
    for cancel in forwarding { cancel() }
    forwarding = []
  }

  /// A line of the log about this tag.
  func log(_ level: Log.Level, _ text: String) { send(.log(level: level.rawValue, text)) }

  /// Enough for one packet. The tag sends the next one only after this one was acknowledged.
  private static let mostEarly = 16

  private func keep(_ bytes: UnsafeRawBufferPointer, isPacket: Bool) {
    if early.count < Self.mostEarly { early.append((Array(bytes), isPacket)) }
  }

  func sendEarly() {
    for (bytes, isPacket) in early {
      bytes.withUnsafeBytes { send(isPacket ? .rawPacket($0) : .rawValue($0, isStream: false)) }
    }
    early = []
  }

  /// A packet that the program that downloads a session could not take must not be acknowledged: the tag repeats it.
  private func relayPackets(of connection: Connection) {
    connection.notifications.rawRelay = { [weak self] payload, isNext in
      guard let self else { return true }
      guard tag != nil else {
        keep(payload, isPacket: true)
        return true
      }
      let downloading = programs.first { arbiter.has($0.origin, .download) }
      if let downloading, !isNext || !downloading.channel.send(.rawPacket(payload)) { return false }
      for program in programs where program !== downloading { program.send(.rawPacket(payload)) }
      return true
    }
  }
}

extension ServiceState {
  init(_ state: ConnectionState) {
    self.init(
      phase: state.phase.rawValue, step: state.step, attempt: state.attempt,
      disconnectReason: state.disconnectReason.rawValue, reason: state.reason.map(ServiceFailure.init))
  }
}

extension ServiceGear {
  fileprivate init(_ info: ComponentInfo, _ mode: TouchMode?) {
    self.init(
      uuid: info.uuid, major: info.firmware.major, minor: info.firmware.minor, point: info.firmware.point,
      touchMode: mode?.rawValue ?? 0)
  }
}
