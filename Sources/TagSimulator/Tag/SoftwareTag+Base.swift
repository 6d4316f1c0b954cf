import JacquardWire

extension SoftwareTag {
  /// Set-up, configuration, lights, power and modules.
  func answerBase(_ request: WireRequest, _ kind: RequestKind) throws -> Answer {
    switch kind {
    case .hello: return try hello()
    case .begin: return try begin(request.begin)
    case .deviceInfo: return try deviceInfo(request)
    case .configRead: return configRead(request.configRead)
    case .configWrite: return try configWrite(request.configWrite)
    case .led:
      try light(request.ledPatternRequest, component: 0)
      return .done
    case .battery: return try batteryStatus(request.batteryStatusRequest)
    case .configGet:
      let element = try customConfiguration.get(request.configGetRequest)
      return Answer { $0.configGetResponse.config = element }
    case .configGetIndex:
      let element = try customConfiguration.get(request.configGetIndex)
      return Answer { $0.configGetResponse.config = element }
    case .configSet:
      try customConfiguration.set(request.configSetRequest)
      return .done
    case .disconnect: return disconnect(request.bleDisconnectRequest)
    case .reboot: return Answer(then: { [weak self] in self?.reboot() })
    case .faultLogGet: return Answer { $0.faultLogGetResponse = WireFaultlogGetResponse() }
    case .faultLogClear: return .done
    case .supported:
      let known = RequestKind.allCases.contains { $0.wire.route.opcode == request.supported.opcode }
      guard known else { throw Refusal.plain(ResponseStatus.unsupported) }
      return .done
    default: return try answerModules(request, kind)
    }
  }

  // MARK: - Set-up

  private func hello() throws -> Answer {
    // A host that takes over the link of an ended process starts again with hello.
    try refuseRepetition(after: .greeted)
    session?.phase = .greeted
    return Answer { [profile] in
      $0.hello.protocolMin = profile.protocolVersions.lowerBound
      $0.hello.protocolMax = profile.protocolVersions.upperBound
      $0.hello.vendor = profile.vendor
      $0.hello.model = profile.model
      $0.hello.vendorID = profile.vendorID
      $0.hello.productID = profile.productID
    }
  }

  private func begin(_ request: WireBeginRequest) throws -> Answer {
    guard request.hasProtocol else { throw Refusal.breach(.fieldMissing, "protocol") }
    guard profile.protocolVersions.contains(request.protocol) else {
      throw Refusal.breach(.protocolVersion, "\(request.protocol)")
    }
    try refuseRepetition(after: .begun)
    session?.phase = .begun
    return Answer(
      fill: { $0.begin = WireBeginResponse() },
      then: { [weak self] in
        self?.reached(.begun)
        self?.greet(at: .begun)
      })
  }

  private func refuseRepetition(after phase: TagSession.Phase) throws {
    guard profile.behaviour.secondHello == .refused, let session, session.phase >= phase else { return }
    throw Refusal.plain(ResponseStatus.invalidState)
  }

  private func deviceInfo(_ request: WireRequest) throws -> Answer {
    guard request.deviceInfo.hasComponent, request.deviceInfo.component == 0 else {
      throw Refusal.breach(.componentUnknown, "\(request.deviceInfo.component) in device info")
    }
    return Answer { [profile] in
      $0.deviceInfo.vendor = profile.vendor
      $0.deviceInfo.model = profile.model
      $0.deviceInfo.revision = profile.revision
      $0.deviceInfo.uuid = profile.uuid
      $0.deviceInfo.firmwareMajor = profile.firmware.major
      $0.deviceInfo.firmwareMinor = profile.firmware.minor
      $0.deviceInfo.firmwarePoint = profile.firmware.point
      $0.deviceInfo.bootloaderMajor = profile.bootloader.major
      $0.deviceInfo.bootloaderMinor = profile.bootloader.minor
      $0.deviceInfo.bootloaderPoint = profile.bootloader.point
      $0.deviceInfo.vendorID = profile.vendorID
      $0.deviceInfo.productID = profile.productID
    }
  }

  /// Sends the battery level and the attached gear to a newly connected host, which cannot know them.
  func greet(at moment: TagBehaviour.Greeting) {
    let behaviour = profile.behaviour
    guard moment == behaviour.greeting, session?.isWelcomed == false || !behaviour.greetsOnce else { return }
    session?.isWelcomed = true
    scheduleIfLinked(after: behaviour.latency) { [weak self] in
      self?.notifyBattery()
      self?.notifyAttachment()
    }
  }

  // MARK: - Configuration

  private func configRead(_ request: WireUJTConfigReadRequest) -> Answer {
    Answer { [configuration] in
      $0.configResponse = WireUJTConfigResponse()
      if request.imuConfig { $0.configResponse.imuConfig = configuration.imu }
      if request.bleConfig { $0.configResponse.bleConfig = configuration.ble }
      if request.womConfig { $0.configResponse.womConfig = configuration.wakeOnMotion }
    }
  }

  private func configWrite(_ request: WireUJTConfigWriteRequest) throws -> Answer {
    guard request.hasImuConfig || request.hasBleConfig || request.hasWomConfig else {
      throw Refusal.breach(.fieldMissing, "a configuration block")
    }
    let name = advertisedName
    try configuration.apply(request)
    if advertisedName != name { presenceChanged() }
    let isFirst = session?.phase == .begun
    session?.phase = .ready
    return Answer(
      fill: { [configuration] in
        if request.hasImuConfig { $0.configResponse.imuConfig = configuration.imu }
        if request.hasBleConfig { $0.configResponse.bleConfig = configuration.ble }
        if request.hasWomConfig { $0.configResponse.womConfig = configuration.wakeOnMotion }
      },
      then: { [weak self] in
        guard isFirst else { return }
        self?.reached(.ready)
        self?.greet(at: .configured)
      })
  }

  // MARK: - Battery

  private func batteryStatus(_ request: WireBatteryStatusRequest) throws -> Answer {
    guard request.readBatteryLevel || request.readChargingStatus else {
      throw Refusal.breach(.fieldMissing, "read_battery_level or read_charging_status")
    }
    return Answer { [battery] in
      if request.readBatteryLevel { $0.batteryStatusResponse.batteryLevel = battery.level }
      if request.readChargingStatus { $0.batteryStatusResponse.chargingStatus = battery.wireStatus }
    }
  }

  func notifyBattery() {
    notify(0, 23) { [battery] in
      $0.batteryStatusNotification.batteryLevel = battery.level
      $0.batteryStatusNotification.chargingStatus = battery.wireStatus
    }
  }

  // MARK: - Link and power

  private func disconnect(_ request: WireBleDisconnectRequest) -> Answer {
    Answer(then: { [weak self] in
      self?.scheduleIfLinked(after: .seconds(Int64(request.timeoutSecond))) { [weak self] in
        self?.presence.asleep = request.reconnectOnlyOnWom
        self?.dropLink()
      }
    })
  }

  /// The tag restarts: the link is lost, and the tag does not advertise for a moment.
  func reboot() {
    journal.reboots += 1
    firmware.running = nil
    presence.rebooting = true
    recorder.interrupt()
    modules.unloadAll()
    if isConnected { dropLink() }
    presenceChanged()
    clock.schedule(after: profile.rebootTime) { [weak self] in
      self?.presence.rebooting = false
      self?.presenceChanged()
    }
  }

  // MARK: - Lights

  func light(_ request: WireLedPatternRequest, component: UInt32) throws {
    let pattern = request.hasPatternType ? UInt32(request.patternType.rawValue) : 0
    if !request.haltAll {
      guard request.hasPatternType else { throw Refusal.breach(.fieldMissing, "a known pattern_type") }
      guard !request.frames.isEmpty else { throw Refusal.breach(.fieldMissing, "frames") }
      guard request.durationMs > 0 else { throw Refusal.breach(.valueOutOfRange, "duration_ms 0") }
    }
    let frames = try request.frames.map { frame in
      guard frame.hasColor, frame.hasLengthMs else { throw Refusal.breach(.fieldMissing, "color and length_ms") }
      for level in [frame.color.red, frame.color.green, frame.color.blue] where level > 255 {
        throw Refusal.breach(.valueOutOfRange, "colour level \(level)")
      }
      return TagJournal.PlayedLight.Frame(
        red: frame.color.red, green: frame.color.green, blue: frame.color.blue, milliseconds: frame.lengthMs)
    }
    var played = TagJournal.PlayedLight(
      component: component, pattern: pattern, durationMilliseconds: request.durationMs,
      intensity: request.intensityLevel, toggles: request.playPauseToggle == .toggle, isResumable: request.resumable,
      frames: frames, halt: request.haltAll, stopped: false)
    if played.toggles, journal.lights.last == played { played.stopped = true }
    journal.lights.append(played)
  }
}
