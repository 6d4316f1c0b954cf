import BlueZ
import EventLoop
import JacquardWire

/// The Jacquard service of a connected device: sends packets on two characteristics, receives packets on three.
///
/// Incoming values: `GattCharacteristic.listen` → the characteristic's reassembler → its packet handler.
final class DeviceLink: Link {
  let device: Device
  let commands: CommandQueue
  let rawChannel: RawChannel
  let facts: LinkFacts
  let health: LinkHealth
  let life = LinkLife()

  private let characteristics: TagCharacteristics
  private let commandWriter: PacketWriter
  private let notifications: Notifications

  init(
    _ device: Device, _ core: Core, _ notifications: Notifications, _ reservation: TagReservation
  ) throws(JacquardError) {
    let characteristics = try TagCharacteristics(of: device, core.cache)
    let life = self.life
    let health = LinkHealth(core.bluez, life)
    func writer(_ characteristic: GattCharacteristic, _ preferred: GattCharacteristic.WriteType) -> PacketWriter {
      PacketWriter(
        characteristic, preferred: preferred, mtuOf: characteristics.rawData, deadline: core.deadlines.writeFragment,
        transaction: core.deadlines.transaction, life, health)
    }
    self.device = device
    self.notifications = notifications
    self.characteristics = characteristics
    self.health = health
    // Writes with response keep commands in order and paced; acknowledgements must not delay the stream that they
    // acknowledge.
    commandWriter = writer(characteristics.command, .request)
    let rawWriter = writer(characteristics.rawData, .command)
    rawChannel = RawChannel(notifications) { rawWriter.write($0, overdue: $1, completion: $2) }
    let requests = RequestSender(
      loop: core.loop, cache: core.cache, log: notifications.log, statistics: notifications.statistics,
      responseLimit: core.deadlines.request, life, commandWriter, rawChannel)
    commands = CommandQueue(requests, core.loop, life)
    facts = LinkFacts(core, reservation)
    listen(core.loop)
  }

  /// Installs the handlers of the tag's values, until the link ends.
  private func listen(_ loop: EventLoop) {
    // Responses have the ID of their request. A raw packet is repeated if its acknowledgement was lost.
    receive(characteristics.response, canRepeat: { _ in false }) { [requests = commands.requests] packet, _ in
      requests.receive(packet)
    }
    receive(characteristics.notification, canRepeat: FragmentFormat.isWholePacket) { [notifications] in
      notifications.receive(ReceivedPacket(arriving: $0, mayBeCopy: $1, on: loop))
    }
    receive(
      characteristics.rawData, canRepeat: { _ in true },
      admits: { [raw = notifications.raw, rawChannel] in
        let value = ReceivedValue(arriving: $0, on: loop)
        raw.values.send(value)
        if rawChannel.receivesPackets { return true }
        raw.streamValues.send(value)
        return false
      }, deliver: { [rawChannel] packet, _ in rawChannel.receive(packet) })
    life.ends.add { [weak self] _ in
      for (characteristic, _) in self?.characteristics.senders ?? [] { characteristic.stopListening() }
    }
  }

  /// - Parameter canRepeat: whether the tag may send a value twice in a row.
  /// - Parameter admits: called first with each value; it is not a fragment if this returns false.
  private func receive(
    _ characteristic: GattCharacteristic, canRepeat: @escaping (UnsafeRawBufferPointer) -> Bool,
    admits: ((UnsafeRawBufferPointer) -> Bool)? = nil,
    deliver: @escaping (UnsafeRawBufferPointer, _ mayBeCopy: Bool) -> Void
  ) {
    let reassembler = Reassembler()
    let name = String(characteristic.uuid.prefix(8))
    let isEvent = characteristic.uuid == GATT.notification
    characteristic.listen(
      canRepeat: canRepeat,
      onCopies: { [notifications] in notifications.sharedWithOthers($0, $1, sessions: $2) },
      onValue: { [notifications] value, mayBeCopy in
        guard admits?(value) ?? true else { return }
        reassembler.feed(value, deliver: { deliver($0, mayBeCopy) }) {
          notifications.dropped(value.count, from: name, isEvent: isEvent, because: $0)
        }
      })
  }

  /// Whether BlueZ has not exported other objects since.
  var isIntact: Bool { characteristics.areIntact }

  /// Handlers are installed in `init`, so values that arrive before the reply are not lost.
  func enableNotifications(
    deadline: Duration, settleDelay: Duration, eachDone: () -> Void
  ) async throws(JacquardError) {
    for (characteristic, name) in characteristics.senders {
      guard try await enable(characteristic, name, deadline: deadline, settleDelay: settleDelay) else {
        throw JacquardError(
          .incompleteGatt,
          "The tag's \(name) characteristic sends no notifications, although BlueZ accepted StartNotify twice.")
      }
      eachDone()
    }
    rawChannel.open()
  }

  /// Restarts a session that BlueZ has but does not restore. Returns false if that does not help.
  private func enable(
    _ characteristic: GattCharacteristic, _ name: String, deadline: Duration, settleDelay: Duration
  ) async throws(JacquardError) -> Bool {
    do throws(BlueZError) {
      try await characteristic.startNotify(deadline: deadline)
      if try await characteristic.becomesNotifying(within: settleDelay) { return true }
      characteristic.stopNotifyWithoutWaiting()
      try await characteristic.startNotify(deadline: deadline)
      return try await characteristic.becomesNotifying(within: settleDelay)
    } catch {
      guard error.kind == .deadline else { throw JacquardError(error, otherwise: .connectFailed) }
      throw JacquardError(.timeout, "The tag did not respond to the subscription to its \(name) characteristic.")
    }
  }

  var writesRequests: Bool { commandWriter.writesRequests }

  func fallBackToWriteCommands() -> Bool { commandWriter.fallBackToCommands() }

  /// Called before a link is dropped: it is not known whether a tag stops a stream or a transfer without a link.
  func stopMotionWithoutWaiting() {
    guard rawChannel.isInUse, let packet = commands.requests.lastPacket(of: Tag.stop.request) else { return }
    commandWriter.writeWithoutWaiting(packet)
  }
}
