import EventLoop
import JacquardWire
import Sharing

/// Events of the tag, and the facts that the service has about it, go to every program.
extension ServedTag {
  /// Sends the tag's state to a program that joins.
  func introduce(_ program: ServedProgram) {
    guard let connection else { return }
    if !connection.name.name.isEmpty { program.send(.name(.init(name: connection.name.name))) }
    sendSignalStrength(to: program)
    sendInfo(to: program)
    program.send(.state(connection.state))
    guard tag != nil else { return }
    sendGear(to: program)
    if let battery = connection.notifications.lastBattery {
      let report = WireNotification.with { $0.batteryStatusNotification = battery.wire }
      report.packet().withUnsafeBytes { program.send(.notification(.init(packet: $0))) }
    }
  }

  /// Shows the battery as soon as the tag is bound.
  func showBattery() {
    guard let tag, let device = core.devices(of: identifier).first(where: \.connected) else { return }
    panelBattery.show(tag, device)
  }

  func sendSignalStrength(to program: ServedProgram) {
    guard let strength = connection?.notifications.statistics.counts.rssi else { return }
    program.send(.signalStrength(.init(strength: Int32(strength))))
  }

  /// BlueZ may have resolved the address since the tag was connected, because a program has bound it.
  func sendInfo(to program: ServedProgram) {
    guard let info = tag?.info else { return }
    let address = core.devices(of: identifier).first(where: \.connected)?.address.text ?? info.address
    info.wire.packet().withUnsafeBytes {
      program.send(.tagInfo(.init(address: address, name: info.name, response: $0)))
    }
  }

  /// Gear is reported when it is ready. Programs neither set its mode nor read its information.
  private func sendGear(to program: ServedProgram) {
    guard let gear = connection?.gear, let component = gear.gear,
      let attachment = connection?.notifications.lastAttachment
    else { return }
    attachment.withUnsafeBytes { program.send(.gear(component?.info, gear.mode, $0)) }
  }

  private func send(_ message: ServiceMessage) {
    for program in programs { program.send(message) }
  }

  func forward(_ connection: Connection) {
    func pass<Event>(_ events: Observers<Event>, _ body: @escaping (ServedTag, Event) -> Void) {
      events.add { [weak self, weak connection] in
        if let self, let connection, connection === self.connection { body(self, $0) }
      }
    }
    relayPackets(of: connection)
    pass(connection.notifications.relayedPackets) {
      $0.send(.notification(.init(arrival: UInt64(clamping: $1.arrival), mayBeCopy: $1.mayBeCopy, packet: $1.bytes)))
    }
    pass(connection.notifications.raw.values) { tag, value in
      let isStream = !(tag.tag?.link.rawChannel.receivesPackets ?? true)
      let message: ServiceMessage =
        isStream
        ? .streamValue(.init(arrival: UInt64(clamping: value.arrival), value: value.bytes))
        : .rawValue(.init(value: value.bytes))
      for program in tag.programs
      where program.rawData.values || isStream && tag.arbiter.has(program.origin, .stream) {
        program.send(message)
      }
    }
    pass(connection.notifications.losses) { tag, _ in tag.send(.dropped(.init(count: 1))) }
    pass(connection.notifications.copies) {
      $0.send(.copies(.init(dropped: UInt32(clamping: $1.dropped), doubtful: UInt32(clamping: $1.doubtful))))
    }
    pass(connection.notifications.battery) { $0.panelBattery.report($1) }
    pass(connection.reports.interruptions) { tag, _ in tag.send(.interrupted) }
    pass(connection.gear.changes) { tag, _ in
      for program in tag.programs { tag.sendGear(to: program) }
    }
    pass(connection.gear.modes) { $0.send(.touchMode($1)) }
    pass(connection.name.changes) { $0.send(.name(.init(name: $1))) }
  }

  /// A line of the log about this tag.
  func log(_ line: Log.Line) { send(.log(.init(level: line.level.rawValue, text: line.message))) }

  /// A packet that the program that downloads a session could not take must not be acknowledged: the tag repeats it.
  private func relayPackets(of connection: Connection) {
    connection.notifications.raw.relay = { [weak self] payload, isNext in
      guard let self else { return true }
      let packet = ServiceMessage.rawPacket(.init(payload: payload))
      let downloading = programs.first { arbiter.has($0.origin, .download) }
      if let downloading, !isNext || !downloading.channel.send(packet) { return false }
      for program in programs where program !== downloading && program.rawData.packets {
        program.send(packet)
      }
      return true
    }
  }
}
