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
    case .inRange(let value): changePresence(keepsLink: value) { $0.inRange = value }
    case .dropLink: if isConnected { dropLink() }
    case .advertise(let value): changePresence { $0.advertises = value }
    case .advertiseEvery(let period): changePresence { $0.interval = max(period, .milliseconds(20)) }
    case .rssi(let value): changePresence { $0.rssi = value }
    case .move: changePresence { $0.asleep = false }
    case .sleep: changePresence(keepsLink: false) { $0.asleep = true }
    case .reboot: reboot()
    case .forgetBond: forgetBonds()
    case .pairElsewhere: try pairElsewhere()
    case .greeting(let moment, let once): (profile.behaviour.greeting, profile.behaviour.greetsOnce) = (moment, once)
    case .patience(let time): (profile.responseTimeLimit, profile.setUpResponseTimeLimit) = (time, time)
    case .corrupt(let characteristic, let fault): presence.nextFault[characteristic] = fault
    case .send(let characteristic, let value): try sendValue(value, on: characteristic)
    case .sendPacket(let characteristic, let packet): try sendPacket(packet, on: characteristic)
    case .sendRawPacket(let sequence, let payload): try sendRawPacket(sequence, payload)
    case .mute(let value): profile.isMute = value
    case .react(let reaction): reactions.append(reaction)
    case .heed: reactions = []
    case .module(let installed): motionModule(isInstalled: installed)
    case .storageFull(let value): recorder.storageFull = value
    case .session(let trial, let samples): addSession(Self.metadata(trial), sampleCount: samples)
    case .recording(let trial, let path): try addRecording(trial, path)
    case .rename(let name):
      configuration.ble.customAdvName = name
      presenceChanged()
    case .serial(let serial):
      profile.serial = serial
      presenceChanged()
    case .setting(let setting): setting.apply(self)
    }
  }

  private func changePresence(keepsLink: Bool = true, _ change: (inout Presence) -> Void) {
    change(&presence)
    if !keepsLink, isConnected { dropLink() }
    presenceChanged()
  }

  private func sendValue(_ value: [UInt8], on characteristic: TagCharacteristic) throws {
    guard isConnected else { throw TagActionError("no host is connected") }
    journal.overflowed += outbox.add([value], on: characteristic, depth: nil)
  }

  private func sendPacket(_ packet: [UInt8], on characteristic: TagCharacteristic) throws {
    guard isConnected else { throw TagActionError("no host is connected") }
    if characteristic == .notification {
      journal.notifications += 1
      become(whatIsToldIn: packet)
    }
    send(packet, on: characteristic)
  }

  private func sendRawPacket(_ sequence: UInt8, _ payload: [UInt8]) throws {
    guard isConnected else { throw TagActionError("no host is connected") }
    downloads.unacknowledged.append(sequence)
    send([sequence] + payload, on: .rawData)
  }

  private func motionModule(isInstalled: Bool) {
    let wasInstalled = modules.modules.contains { $0.moduleID == TagModule.motion.moduleID }
    if isInstalled, !wasInstalled { modules.modules.append(.motion) }
    if !isInstalled, wasInstalled {
      modules.modules.removeAll { $0.moduleID == TagModule.motion.moduleID }
      recorder.interrupt()
    }
  }

  private func addRecording(_ trial: String, _ path: String) throws {
    guard let file = InputFile.read(path) else { throw TagActionError("cannot read \(path)") }
    var metadata = SimulatedMotionFile.metadata(of: file) ?? Self.metadata(trial)
    metadata.trialID = trial
    addSession(metadata, file: file)
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
