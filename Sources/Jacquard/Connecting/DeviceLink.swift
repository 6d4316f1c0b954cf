import BlueZ
import EventLoop
import JacquardWire

/// The Jacquard service of a connected device: sends packets on two characteristics, receives packets on three.
///
/// Incoming values: `GattCharacteristic.onValue` → the characteristic's reassembler → its packet handler.
final class DeviceLink: Link {
  let device: Device
  let commands: CommandQueue
  let rawChannel: RawChannel
  let facts: LinkFacts
  let health: LinkHealth
  let life = LinkLife()

  private let command: GattCharacteristic
  private let response: GattCharacteristic
  private let notification: GattCharacteristic
  private let rawData: GattCharacteristic
  private let commandWriter: PacketWriter
  private let notifications: Notifications
  /// The characteristics whose values the tag sends.
  private var senders: [GattCharacteristic] { [response, notification, rawData] }

  init(
    _ device: Device, _ core: Core, _ notifications: Notifications, _ reservation: TagReservation
  ) throws(JacquardError) {
    func find(_ uuid: String, _ name: String) throws(JacquardError) -> GattCharacteristic {
      guard let found = core.cache.characteristic(uuid, service: GATT.service, of: device) else {
        throw JacquardError(.incompleteGatt, "The tag's \(name) characteristic is missing.")
      }
      return found
    }
    self.device = device
    self.notifications = notifications
    command = try find(GATT.command, "command")
    response = try find(GATT.response, "response")
    notification = try find(GATT.notification, "notification")
    rawData = try find(GATT.rawData, "raw data")
    guard !command.flags.isDisjoint(with: ["write", "write-without-response"]) else {
      throw JacquardError(.incompleteGatt, "The tag's command characteristic is not writable.")
    }

    // Writes with response keep commands in order and paced; acknowledgements must not delay the stream that they
    // acknowledge.
    let (deadline, transaction) = (core.deadlines.writeFragment, core.deadlines.transaction)
    let health = LinkHealth(core.bluez, life)
    self.health = health
    commandWriter = PacketWriter(
      command, preferred: .request, mtuOf: rawData, deadline: deadline, transaction: transaction, life, health)
    let rawWriter = PacketWriter(
      rawData, preferred: .command, mtuOf: rawData, deadline: deadline, transaction: transaction, life, health)
    rawChannel = RawChannel(notifications) { rawWriter.write($0, overdue: $1, completion: $2) }
    let requests = RequestSender(
      loop: core.loop, cache: core.cache, log: notifications.log, statistics: notifications.statistics,
      responseLimit: core.deadlines.request, life, commandWriter, rawChannel)
    commands = CommandQueue(requests, core.loop, life)
    facts = LinkFacts(core, reservation)

    Self.receive(response, notifications) { [requests] packet, _ in requests.receive(packet) }
    Self.receive(notification, notifications) { [notifications, loop = core.loop] in
      notifications.receive(ReceivedPacket($0, mayBeCopy: $1, arrival: loop.bootTime))
    }
    Self.receive(
      rawData, notifications,
      admits: { [notifications, rawChannel, loop = core.loop] in
        let value = ReceivedValue(bytes: $0, arrival: loop.bootTime)
        notifications.rawValues.send(value)
        if rawChannel.receivesPackets { return true }
        notifications.streamValues.send(value)
        return false
      }, deliver: { [rawChannel] packet, _ in rawChannel.receive(packet) })
    // Responses have the ID of their request. A raw packet is repeated if its acknowledgement was lost.
    response.canRepeat = { _ in false }
    notification.canRepeat = FragmentFormat.isWholePacket
    for characteristic in senders {
      characteristic.onCopies = { [notifications] in notifications.sharedWithOthers($0, $1, sessions: $2) }
    }
    life.ends.add { [weak self] _ in
      for characteristic in self?.senders ?? [] {
        (characteristic.onValue, characteristic.onCopies) = (nil, nil)
      }
    }
  }

  private static func receive(
    _ characteristic: GattCharacteristic, _ notifications: Notifications,
    admits: ((UnsafeRawBufferPointer) -> Bool)? = nil,
    deliver: @escaping (UnsafeRawBufferPointer, _ mayBeCopy: Bool) -> Void
  ) {
    let reassembler = Reassembler()
    let name = String(characteristic.uuid.prefix(8))
    let isEvent = characteristic.uuid == GATT.notification
    characteristic.onValue = { value, mayBeCopy in
      guard admits?(value) ?? true else { return }
      reassembler.feed(value, deliver: { deliver($0, mayBeCopy) }) {
        notifications.dropped(value.count, from: name, isEvent: isEvent, because: $0)
      }
    }
  }

  /// BlueZ may have exported other objects since.
  var isIntact: Bool { !command.isGone && senders.allSatisfy { !$0.isGone } }

  /// Handlers are installed in `init`, so values that arrive before the reply are not lost.
  func enableNotifications(
    deadline: Duration, settleDelay: Duration, eachDone: () -> Void
  ) async throws(JacquardError) {
    for (characteristic, name) in [(response, "response"), (notification, "notification"), (rawData, "raw data")] {
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

  /// For a link that is about to be dropped: it is not known whether a tag stops a stream or a transfer without a link.
  func stopMotionWithoutWaiting() {
    guard rawChannel.isInUse, let packet = commands.requests.lastPacket(of: Tag.stop.request) else { return }
    commandWriter.writeWithoutWaiting(packet)
  }
}
