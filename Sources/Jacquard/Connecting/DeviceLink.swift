import BlueZ
import EventLoop
import JacquardWire
import Sharing

/// The Jacquard service of a connected device: sends packets on two characteristics, receives packets on three.
///
/// Incoming values: `GattCharacteristic.onValue` → the characteristic's reassembler → its packet handler.
final class DeviceLink: Link {
  let device: Device

  private let command: GattCharacteristic
  private let response: GattCharacteristic
  private let notification: GattCharacteristic
  private let rawData: GattCharacteristic
  private let commandWriter: PacketWriter
  private let notifications: Notifications
  private let announcement: WriteAnnouncement?
  /// The characteristics whose values the tag sends.
  private var senders: [GattCharacteristic] { [response, notification, rawData] }

  init(
    _ device: Device, _ core: Core, _ notifications: Notifications, _ announcement: WriteAnnouncement? = nil
  ) throws(JacquardError) {
    func find(_ uuid: String, _ name: String) throws(JacquardError) -> GattCharacteristic {
      guard let found = core.cache.characteristic(uuid, service: GATT.service, of: device) else {
        throw JacquardError(.incompleteGatt, "The tag's \(name) characteristic is missing.")
      }
      return found
    }
    self.device = device
    self.notifications = notifications
    self.announcement = announcement
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
    commandWriter = PacketWriter(
      command, preferred: .request, mtuOf: rawData, deadline: deadline, transaction: transaction)
    let rawWriter = PacketWriter(
      rawData, preferred: .command, mtuOf: rawData, deadline: deadline, transaction: transaction)
    let write = { (writer: PacketWriter) -> CommandQueue.Write in
      announcement?.announcing(writer) ?? { writer.write($0, overdue: $1, completion: $2) }
    }
    let rawChannel = RawChannel(
      notifications, write: write(rawWriter), close: { rawWriter.close($0) })
    let commands = CommandQueue(
      loop: core.loop, service: core.cache, log: core.log, statistics: notifications.statistics,
      responseLimit: core.deadlines.request, write: write(commandWriter))
    super.init(core, commands, rawChannel)
    if let announcement {
      commands.continueIDs(after: announcement.lastID)
      commands.onRequest = { [rawChannel] request, _ in
        announcement.willRequest(request.id)
        rawChannel.requested(request)
      }
      commands.onLanding = { announcement.landed() }
    }

    for writer in [commandWriter, rawWriter] {
      writer.onDeadLink = { [weak self, bluez = core.bluez] in self?.isDead(bluez) ?? true }
    }
    Self.receive(response, notifications) { [commands] in commands.receive($0) }
    Self.receive(notification, notifications) { [notifications] in notifications.receive($0) }
    Self.receive(
      rawData, notifications,
      admits: { [notifications, rawChannel] in
        if rawChannel.keeps($0) { return false }
        notifications.rawValues.send($0)
        if rawChannel.receivesPackets { return true }
        notifications.streamValues.send($0)
        return false
      }, deliver: { [rawChannel] in rawChannel.receive($0) })
    // Responses have the ID of their request. A raw packet is repeated if its acknowledgement was lost.
    response.canRepeat = { _ in false }
    notification.canRepeat = FragmentFormat.isWholePacket
    notification.onPossibleCopy = { [notifications] in notifications.mayBeCopy = $0 }
    for characteristic in senders {
      characteristic.onSilence = { [weak self] in self?.checkSilence() }
      characteristic.onCopies = { [notifications] in notifications.sharedWithOthers($0, $1, sessions: $2) }
    }
  }

  private static func receive(
    _ characteristic: GattCharacteristic, _ notifications: Notifications,
    admits: ((UnsafeRawBufferPointer) -> Bool)? = nil, deliver: @escaping (UnsafeRawBufferPointer) -> Void
  ) {
    let reassembler = Reassembler()
    let name = String(characteristic.uuid.prefix(8))
    let isEvent = characteristic.uuid == GATT.notification
    characteristic.onValue = { value in
      guard admits?(value) ?? true else { return }
      reassembler.feed(value, deliver: deliver) {
        notifications.dropped(value.count, from: name, isEvent: isEvent, because: $0)
      }
    }
  }

  /// The sessions of an earlier host may end during set-up.
  private func checkSilence() {
    guard !notification.notifying else { return }
    notifications.forgetKept()
    if senders.allSatisfy({ !$0.notifying }) { onSilence?() }
  }

  private func isDead(_ bluez: BlueZClient) -> Bool {
    guard loss == nil, !commands.isClosed else { return true }
    guard case .running = bluez.availability else { return false }
    loss = .unacknowledged
    // For those who wait for the loss.
    device.changes.send(.changed(device, []))
    return true
  }

  private(set) var loss: LinkLoss?

  /// Called when no program has sessions any more.
  var onSilence: (() -> Void)?

  /// Whether some values are received through another program's sessions.
  private(set) var usesOtherSessions = false {
    didSet { announcement?.reliesOnPredecessor = usesOtherSessions }
  }

  /// Another program of those that share the tag had the link before, and ends its sessions.
  var succeedsHost = false

  /// BlueZ may have exported other objects since.
  override var isIntact: Bool { !command.isGone && senders.allSatisfy { !$0.isGone } }

  /// Handlers are installed in `init`, so values that arrive before the reply are not lost.
  ///
  /// - Parameter predecessor: while it runs, its sessions are used, because a second one would duplicate values.
  func enableNotifications(
    deadline: Duration, settleDelay: Duration, predecessor: Predecessor?, eachDone: () -> Void
  ) async throws(JacquardError) {
    let characteristics = [(response, "response"), (notification, "notification"), (rawData, "raw data")]
    // All of its sessions end at the same time.
    usesOtherSessions = characteristics.contains { Self.hasSession(predecessor, on: $0.0) }
    for (characteristic, name) in characteristics {
      if Self.hasSession(predecessor, on: characteristic) {
        usesOtherSessions = true
        eachDone()
        continue
      }
      guard try await enable(characteristic, name, deadline: deadline, settleDelay: settleDelay) else {
        throw JacquardError(
          .incompleteGatt,
          "The tag's \(name) characteristic sends no notifications, although BlueZ accepted StartNotify twice.")
      }
      eachDone()
    }
    rawChannel.open()
  }

  private static func hasSession(_ predecessor: Predecessor?, on characteristic: GattCharacteristic) -> Bool {
    characteristic.notifying && !characteristic.isStopping && predecessor?.isRunning ?? false
  }

  /// Restarts a session that BlueZ has but does not restore. Returns false if that does not help.
  private func enable(
    _ characteristic: GattCharacteristic, _ name: String, deadline: Duration, settleDelay: Duration
  ) async throws(JacquardError) -> Bool {
    do throws(BlueZError) {
      try await characteristic.startNotify(deadline: deadline, succeeds: succeedsHost)
      if try await characteristic.becomesNotifying(within: settleDelay) { return true }
      characteristic.stopNotifyWithoutWaiting()
      try await characteristic.startNotify(deadline: deadline, succeeds: succeedsHost)
      return try await characteristic.becomesNotifying(within: settleDelay)
    } catch {
      guard error.kind == .deadline else { throw JacquardError(error, otherwise: .connectFailed) }
      throw JacquardError(.timeout, "The tag did not respond to the subscription to its \(name) characteristic.")
    }
  }

  override var writesRequests: Bool { commandWriter.writesRequests }

  func fallBackToWriteCommands() -> Bool { commandWriter.fallBackToCommands() }

  /// A tag may be streaming for a host that has ended without stopping it, and only its status shows that.
  func learnRawDataUse() async throws(JacquardError) {
    let request = Tag.collectionStatus
    var status: CollectionStatus?
    do throws(JacquardError) {
      status = try request.result(of: try await commands.exchange(request.request, deadline: commands.responseLimit))
    } catch {
      // Firmware without motion capture has no streams.
      guard error.code == .tagStatus || error.code == .malformedResponse || error.code == .timeout else { throw error }
    }
    rawChannel.learn(isStream: status == .logging) { $0.withUnsafeBytes { rawData.onValue?($0) } }
  }

  /// For a link that is about to be dropped: it is not known whether a tag stops a stream or a transfer without a link.
  func stopMotionWithoutWaiting() {
    guard rawChannel.isInUse, let packet = commands.lastPacket(of: Tag.stop.request) else { return }
    commandWriter.writeWithoutWaiting(packet)
  }

  override func close(_ error: JacquardError) {
    for characteristic in senders {
      characteristic.onValue = nil
      characteristic.onSilence = nil
      characteristic.onCopies = nil
      characteristic.onPossibleCopy = nil
    }
    commandWriter.close(error)
    super.close(error)
  }
}
