import JacquardWire

extension SoftwareTag {
  func requireAttachment(_ request: WireRequest) throws -> Attachment {
    guard request.hasComponentID, request.componentID != 0 else {
      throw Refusal.breach(.componentUnknown, "gear request without the gear's component id")
    }
    guard let attachment, attachment.componentID == request.componentID else {
      // The gear may just have been detached: a race, not a violation.
      if request.componentID <= lastComponentID { throw Refusal.plain(ResponseStatus.deviceType) }
      throw Refusal.breach(.componentUnknown, "\(request.componentID)", status: ResponseStatus.deviceType)
    }
    return attachment
  }

  func answerGear(_ request: WireRequest, _ kind: RequestKind, _ attachment: Attachment) throws -> Answer {
    func need(_ capability: Gear.Capability) throws {
      guard attachment.gear.capabilities.contains(capability) else { throw Refusal.plain(ResponseStatus.unsupported) }
    }
    switch kind {
    case .gearInfo:
      guard request.deviceInfo.hasComponent, request.deviceInfo.component == attachment.componentID else {
        throw Refusal.breach(.componentUnknown, "\(request.deviceInfo.component) in device info")
      }
      return Answer { Self.describe(attachment.gear, in: &$0.deviceInfo) }
    case .touchMode: return try touchMode(request.data)
    case .gearLed:
      try need(.led)
      try light(request.ledPatternRequest, component: attachment.componentID)
      return .done
    case .haptic:
      try need(.haptic)
      try vibrate(request.haptic)
      return Answer { $0.haptic = WireHapticResponse() }
    case .gearCharacteristics:
      return Answer { $0.hwGearChar.characteristics.id = attachment.gear.productID }
    default: throw Refusal.plain(ResponseStatus.unsupported)
    }
  }

  private static func describe(_ gear: Gear, in info: inout WireDeviceInfoResponse) {
    info.vendor = gear.vendor
    info.model = gear.model
    info.revision = 1
    info.uuid = "1-02-0000GEAR00000-0001"
    info.firmwareMajor = gear.firmware.major
    info.firmwareMinor = gear.firmware.minor
    info.firmwarePoint = gear.firmware.point
    info.vendorID = gear.vendorID
    info.productID = gear.productID
  }

  // MARK: - Touch

  private func touchMode(_ request: WireDataChannelRequest) throws -> Answer {
    guard request.hasInference, request.hasTouch else { throw Refusal.breach(.fieldMissing, "inference and touch") }
    attachment?.inference = UInt32(request.inference.rawValue)
    attachment?.touch = UInt32(request.touch.rawValue)
    return Answer {
      $0.data.inference = UInt32(request.inference.rawValue)
      $0.data.touch = UInt32(request.touch.rawValue)
    }
  }

  /// The wearer makes a gesture. The gear reports it only if a stream is enabled.
  func makeGesture(_ number: UInt32) throws {
    guard let attachment else { throw TagActionError("no gear is attached") }
    guard attachment.inference == 1 else { return }
    notify(8, 7, component: attachment.componentID) { $0.data.inferenceData.event = number }
  }

  /// One sample of the touch lines: proximity, then lines 1 to 12.
  func touch(_ lines: [UInt8], lifted: Bool = false) throws {
    guard let attachment else { throw TagActionError("no gear is attached") }
    sense(lines, sequence: lifted ? 0 : attachment.touchSequence &+ 1, on: attachment.componentID)
  }

  /// Sample 0 is not sent: the sleeve is not touched any more.
  private func sense(_ lines: [UInt8], sequence: UInt32, on component: UInt32) {
    guard let attachment, attachment.componentID == component else { return }
    self.attachment?.touchSequence = sequence
    guard attachment.touch == 1, sequence > 0 else { return }
    notify(8, 7, component: component) {
      $0.data.touchData.sequence = sequence
      $0.data.touchData.diffDataScaled = lines
    }
  }

  /// A person makes a stroke. In touch mode the gear sends samples while the sleeve is touched; in gesture mode it
  /// reports the stroke at its end, if it recognises it.
  func stroke(_ choice: [Stroke], person: UInt64, seed: UInt64?) throws {
    guard let component = attachment?.componentID else { throw TagActionError("no gear is attached") }
    guard !isStroked else { throw TagActionError("the previous stroke has not ended") }
    strokeCount += 1
    let now = clock.now / .seconds(1)
    let performed = Person(person).perform(choice, seed: seed ?? strokeCount, now: now)
    isStroked = true
    for sample in performed.samples {
      clock.schedule(after: .seconds(sample.time)) { [weak self] in
        self?.sense(sample.values, sequence: sample.sequence, on: component)
      }
    }
    clock.schedule(after: .seconds(performed.length)) { [weak self] in
      guard let self else { return }
      isStroked = false
      sense([], sequence: 0, on: component)
      guard let gesture = performed.stroke.reported, attachment?.componentID == component else { return }
      try? makeGesture(gesture.number)
    }
  }

  // MARK: - Attaching

  func attach(_ gear: Gear, component: UInt32?) {
    if attachment != nil { detach() }
    lastComponentID = component ?? (lastComponentID >= 250 ? 101 : lastComponentID + 1)
    attachment = Attachment(gear: gear, componentID: lastComponentID)
    notifyAttachment()
  }

  func detach() {
    guard attachment != nil else { return }
    attachment = nil
    guard isConnected else { return }
    notify(0, 9) { $0.attached.attachState = false }
  }

  /// Reports the attached gear; without gear the greeting contains no report.
  func notifyAttachment() {
    guard let attachment, isConnected else { return }
    notify(0, 9) {
      $0.attached.attachState = true
      $0.attached.vendorID = attachment.gear.vendorID
      $0.attached.productID = attachment.gear.productID
      $0.attached.componentID = attachment.componentID
    }
  }

  // MARK: - Haptics

  private func vibrate(_ request: WireHapticRequest) throws {
    let symbol = request.frames
    guard request.hasFrames, symbol.hasOnMs, symbol.hasOffMs, symbol.hasPattern, symbol.hasMaxAmplitudePercent,
      symbol.hasRepeatNMinusOne
    else { throw Refusal.breach(.fieldMissing, "a haptic symbol with its five fields") }
    let limits =
      [
        ("on_ms", symbol.onMs, 65535), ("off_ms", symbol.offMs, 65535),
        ("max_amplitude_percent", symbol.maxAmplitudePercent, 100), ("repeat_n_minus_one", symbol.repeatNMinusOne, 255),
      ] as [(String, UInt32, UInt32)]
    for (name, value, most) in limits where value > most {
      throw Refusal.breach(.valueOutOfRange, "\(name) \(value)")
    }
    journal.haptics.append(
      .init(
        onMilliseconds: symbol.onMs, offMilliseconds: symbol.offMs, pattern: UInt32(symbol.pattern.rawValue),
        amplitude: symbol.maxAmplitudePercent, repeats: symbol.repeatNMinusOne))
  }
}
