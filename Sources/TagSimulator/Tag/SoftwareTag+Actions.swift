import JacquardWire

extension SoftwareTag {
  /// Executes an action.
  public func perform(_ action: TagAction) throws {
    switch action {
    case .gesture(let number): try makeGesture(number)
    case .touch(let lines): try touch(lines)
    case .touchSweep: try touch(TouchSweep.frame(Int(attachment?.touchSequence ?? 0)))
    case .touchLift: try touch([], lifted: true)
    case .stroke(let choice, let person, let seed): try stroke(choice, person: person, seed: seed)
    case .attach(let gear, let component): attach(gear, component: component)
    case .detach: detach()
    case .battery(let level, let charging):
      battery = SimulatedBattery(level: level, charging: charging ?? battery.charging)
      if isConnected { notifyBattery() }
    case .inRange(let value):
      presence.inRange = value
      if !value, isConnected { dropLink() }
      presenceChanged()
    case .dropLink: if isConnected { dropLink() }
    case .advertise(let value):
      presence.advertises = value
      presenceChanged()
    case .advertiseEvery(let period):
      presence.interval = max(period, .milliseconds(20))
      presenceChanged()
    case .rssi(let value):
      presence.rssi = value
      presenceChanged()
    case .move:
      presence.asleep = false
      presenceChanged()
    case .sleep:
      presence.asleep = true
      if isConnected { dropLink() }
      presenceChanged()
    case .reboot: reboot()
    case .forgetBond: forgetBonds()
    case .requireBond(let value): profile.requiresBond = value
    case .pairing(let manner): profile.pairing = manner
    case .firmware(let version): profile.firmware = version
    case .nextFirmware(let version): firmware.nextVersion = version
    case .flashTime(let time): profile.behaviour.flashTime = time
    case .writeTime(let time): firmware.writeTime = time
    case .corruptBlock: firmware.corruptNext = true
    case .verification(let verdict): firmware.verification = verdict
    case .powerLoss(let moment): firmware.powerLoss = moment
    case .gearReport(let report): firmware.gearReport = report
    case .drain(let blocks): firmware.blocksPerPercent = blocks
    case .greeting(let moment, let once): (profile.behaviour.greeting, profile.behaviour.greetsOnce) = (moment, once)
    case .imageRemoval(let moment): profile.behaviour.imageRemoval = moment
    case .flashing(let manner): profile.behaviour.flashing = manner
    case .secondHello(let manner): profile.behaviour.secondHello = manner
    case .address(let kind): profile.behaviour.address = kind
    case .bonds(let number): profile.behaviour.bonds = number
    case .pairElsewhere: try pairElsewhere()
    case .linkTime(let time): profile.behaviour.linkTime = time
    case .latency(let time): profile.behaviour.latency = time
    case .airTime(let time): outbox.airTime = time
    case .patience(let time): (profile.responseTimeLimit, profile.setUpResponseTimeLimit) = (time, time)
    case .sleepAfter(let time): profile.sleepAfter = time
    case .protocolVersions(let lowest, let highest): profile.protocolVersions = lowest...highest
    case .corrupt(let characteristic, let fault): presence.nextFault[characteristic] = fault
    case .send(let characteristic, let value):
      guard isConnected else { throw TagActionError("no host is connected") }
      journal.overflowed += outbox.add([value], on: characteristic, depth: nil)
    case .sendPacket(let characteristic, let packet):
      guard isConnected else { throw TagActionError("no host is connected") }
      if characteristic == .notification {
        journal.notifications += 1
        become(whatIsToldIn: packet)
      }
      send(packet, on: characteristic)
    case .mute(let value): profile.isMute = value
    case .sendRawPacket(let sequence, let payload):
      guard isConnected else { throw TagActionError("no host is connected") }
      downloads.unacknowledged.append(sequence)
      send([sequence] + payload, on: .rawData)
    case .react(let reaction): reactions.append(reaction)
    case .heed: reactions = []
    case .module(let installed):
      let isInstalled = modules.modules.contains { $0.moduleID == TagModule.motion.moduleID }
      if installed, !isInstalled { modules.modules.append(.motion) }
      if !installed, isInstalled {
        modules.modules.removeAll { $0.moduleID == TagModule.motion.moduleID }
        recorder.interrupt()
      }
    case .reportLoads(let report): profile.behaviour.loadReport = report
    case .restartPacketNumbers(let value): profile.behaviour.restartsPacketNumbers = value
    case .storageFull(let value): recorder.storageFull = value
    case .motion(let behaviour): behave(behaviour)
    case .session(let trial, let samples):
      addSession(Self.metadata(trial), sampleCount: samples)
    case .recording(let trial, let path):
      guard let file = InputFile.read(path) else { throw TagActionError("cannot read \(path)") }
      var metadata = SimulatedMotionFile.metadata(of: file) ?? Self.metadata(trial)
      metadata.trialID = trial
      addSession(metadata, file: file)
    case .rename(let name):
      configuration.ble.customAdvName = name
      presenceChanged()
    case .serial(let serial):
      profile.serial = serial
      presenceChanged()
    }
  }

  private func forgetBonds() {
    bonded = false
    bondForgotten()
  }

  /// Another host, such as a phone, connects, bonds with the tag, and disconnects.
  private func pairElsewhere() throws {
    guard isAdvertising, profile.pairing == .accepted else { throw TagActionError("no host can pair with the tag now") }
    if profile.behaviour.bonds == .one { forgetBonds() }
  }

  private func behave(_ behaviour: MotionBehaviour) {
    switch behaviour {
    case .drift(let parts): recorder.sensor.drift = parts
    case .rateError(let parts): recorder.sensor.rateError = parts
    case .loss(let parts): recorder.sensor.loss = parts
    case .ticks(let ticks): recorder.sensor.firstTicks = ticks
    case .status(let status): recorder.reported = status
    case .eraseTime(let time): profile.behaviour.eraseTime = time
    case .eraseResponse(let moment): profile.behaviour.eraseResponse = moment
    case .eraseReport(let status): recorder.eraseReport = status
    }
  }

  /// Stores the battery level and gear of a packet in the tag, because a host may query them.
  private func become(whatIsToldIn packet: [UInt8]) {
    guard let notification = try? WireNotification(serializedBytes: packet) else { return }
    if notification.hasBatteryStatusNotification {
      let reported = notification.batteryStatusNotification
      battery = SimulatedBattery(
        level: reported.batteryLevel, charging: reported.chargingStatus == SimulatedBattery(charging: true).wireStatus)
    }
    if notification.hasAttached {
      let reported = notification.attached
      let known = Gear.known.first { $0.vendorID == reported.vendorID && $0.productID == reported.productID }
      let gear = known ?? .unlisted(vendorID: reported.vendorID, productID: reported.productID)
      if reported.attachState { lastComponentID = max(lastComponentID, reported.componentID) }
      attachment = reported.attachState ? Attachment(gear: gear, componentID: reported.componentID) : nil
    }
  }

  private static func metadata(_ trial: String) -> WireDataCollectionMetadata {
    var metadata = WireDataCollectionMetadata()
    metadata.campaignID = "jqCampaign"
    metadata.sessionID = "jqSession"
    metadata.trialID = trial
    metadata.subjectID = "jqSession"
    metadata.mode = 1
    metadata.productID = "jqProduct"
    return metadata
  }

  /// The tag's line of `stats`.
  public var summary: String {
    "links=\(journal.links) requests=\(journal.requests) responses=\(journal.responses) "
      + "notifications=\(journal.notifications) unheard=\(journal.unheard) overflowed=\(journal.overflowed) "
      + "lights=\(journal.lights.count) haptics=\(journal.haptics.count) reboots=\(journal.reboots) "
      + "blocks=\(journal.blocks.count) executions=\(journal.executions) installed=\(journal.installed.count) "
      + "violations=\(violations.count)"
  }
}

/// A finger that moves back and forth over the twelve lines.
enum TouchSweep {
  static func frame(_ number: Int) -> [UInt8] {
    let position = abs(number % 22 - 11)
    return [64] + (0..<12).map { UInt8(max(0, 128 - 48 * abs($0 - position))) }
  }
}
