import JacquardWire

extension SoftwareTag {
  func answerRecording(_ request: WireRequest, _ kind: RequestKind) throws -> Answer {
    guard modules.isMotionEnabled else { throw Refusal.plain(ResponseStatus.unsupported) }
    switch kind {
    case .recordingStart: return try startRecording(request.start)
    case .recordingStop: return try stopRecording(request.stop)
    case .recordingStatus:
      return Answer { [recorder] in $0.dcStatusResponse.dcStatus = recorder.reported ?? recorder.status }
    case .sessionList: return listSessions(request.trialList)
    case .sessionData: return try sendSession(request.trialData)
    case .sessionErase: return try eraseSession(request.eraseTrialData)
    case .sessionEraseAll: return eraseAll()
    default: throw Refusal.plain(ResponseStatus.unsupported)
    }
  }

  // MARK: - Recording and streaming

  private func startRecording(_ request: WireDataCollectionStartRequest) throws -> Answer {
    let metadata = request.metadata
    func check(_ name: String, _ text: String) throws {
      guard (1...30).contains(text.utf8.count) else {
        throw Refusal.breach(.valueOutOfRange, "\(name) of \(text.utf8.count) bytes")
      }
    }
    try check("campaign_id", metadata.campaignID)
    try check("session_id", metadata.sessionID)
    try check("trial_id", metadata.trialID)
    try check("subject_id", metadata.subjectID)
    try check("product_id", metadata.productID)
    guard metadata.hasMode, metadata.mode <= 1 else { throw Refusal.breach(.valueOutOfRange, "mode \(metadata.mode)") }
    func report(_ status: UInt32) -> Answer { Answer { $0.start.dcStatus = status } }
    if let reported = recorder.reported { return report(reported) }
    guard recorder.status == RecorderStatus.idle else { return report(RecorderStatus.invalidState) }
    guard battery.level >= 50 else { return report(RecorderStatus.lowBattery) }
    guard !recorder.storageFull else { return report(RecorderStatus.lowStorage) }

    recorder.status = RecorderStatus.logging
    recorder.run = .init(
      metadata: metadata, since: clock.now,
      ticks: recorder.sensor.firstTicks &+ recorder.sensor.ticks(in: clock.now), sensor: recorder.sensor,
      isStreaming: metadata.mode == 0)
    var answer = report(RecorderStatus.logging)
    let since = recorder.run?.since ?? .zero
    if metadata.mode == 0 { answer.then = { [weak self] in self?.streamMotion(from: 0, of: since) } }
    return answer
  }

  /// Up to three samples per value: two leading bytes, then 16 bytes per sample.
  private func streamMotion(from index: Int, of start: Duration) {
    guard let run = recorder.run, run.isStreaming, run.since == start else { return }
    let period = run.sensor.period(rate: configuration.imu.accelSampleRate)
    scheduleIfLinked(after: period * 3) { [weak self] in
      guard let self, let run = self.recorder.run, run.isStreaming, run.since == start else { return }
      var value: [UInt8] = [0xc0, 48]
      for number in index..<index + 3 {
        value += SimulatedMotionFile.sample(
          number, ticks: run.ticks &+ run.sensor.ticks(in: period * number), self.configuration.imu)
      }
      if self.session?.notifying.contains(.rawData) == true, !self.recorder.sensor.losesValue() {
        self.journal.overflowed += self.outbox.add([value], on: .rawData, depth: nil)
      }
      self.streamMotion(from: index + 3, of: start)
    }
  }

  private func stopRecording(_ request: WireDataCollectionStopRequest) throws -> Answer {
    guard request.hasIsError else { throw Refusal.breach(.fieldMissing, "is_error") }
    if recorder.status == RecorderStatus.transferring { stopDownload() }
    if let run = recorder.run, !run.isStreaming { keep(run) }
    recorder.interrupt()
    return Answer { [clock] in
      $0.stop.timestamp = SimulatedMotionFile.ticks(in: clock.now)
      $0.stop.dcStatus = RecorderStatus.idle
    }
  }

  private func keep(_ run: DataRecorder.Run) {
    let period = run.sensor.period(rate: configuration.imu.accelSampleRate)
    let count = min(Int((clock.now - run.since) / period), DataRecorder.capacity)
    addSession(run.metadata, sampleCount: count, ticks: run.ticks)
  }

  /// Stores a session as if it had been recorded.
  func addSession(_ metadata: WireDataCollectionMetadata, sampleCount: Int, ticks: UInt32? = nil) {
    let sensor = recorder.sensor
    let period = sensor.period(rate: configuration.imu.accelSampleRate)
    let samples = (0..<sampleCount).map {
      SimulatedMotionFile.sample(
        $0, ticks: (ticks ?? sensor.firstTicks) &+ sensor.ticks(in: period * $0), configuration.imu)
    }
    addSession(metadata, file: SimulatedMotionFile.file(metadata, configuration.imu, samples: samples))
  }

  func addSession(_ metadata: WireDataCollectionMetadata, file: [UInt8]) {
    recorder.sessions.append(
      .init(
        campaign: metadata.campaignID, group: metadata.sessionID, trial: metadata.trialID,
        subject: metadata.subjectID, product: metadata.productID, file: file))
  }

  // MARK: - Sessions

  /// The names and files of the stored sessions.
  public var recordings: [(name: String, file: [UInt8])] { recorder.sessions.map { ($0.trial, $0.file) } }

  private func listSessions(_ request: WireDataCollectionTrialListRequest) -> Answer {
    let listed = recorder.sessions.filter {
      (!request.hasCampaignID || request.campaignID == $0.campaign)
        && (!request.hasSessionID || request.sessionID == $0.group)
        && (!request.hasProductID || request.productID == $0.product)
    }
    return Answer(
      fill: { [recorder] in $0.trialList.dcStatus = recorder.status },
      then: { [weak self] in
        guard let self else { return }
        if listed.isEmpty { return self.notify(9, 4) { $0.trialList.totalTrials = 0 } }
        for (index, session) in listed.enumerated() {
          self.notify(9, 4) { Self.describe(session, index, of: listed.count, in: &$0.trialList) }
        }
      })
  }

  private static func describe(
    _ session: DataRecorder.Session, _ index: Int, of total: Int, in list: inout WireDataCollectionTrialListNotification
  ) {
    var sensor = WireDataCollectionTrialSensorData()
    sensor.sensorID = 0
    sensor.fsize = UInt32(session.file.count)
    sensor.crc16 = UInt32(Checksum.crc16(session.file))
    var data = WireDataCollectionTrialData()
    data.subjectID = session.subject
    data.sensorData = [sensor]
    list.trial.trialID = session.trial
    list.trial.trialData = [data]
    list.trial.campaignID = session.campaign
    list.trial.sessionID = session.group
    list.trial.productID = session.product
    list.totalTrials = UInt32(total)
    list.trialIndex = UInt32(index)
  }

  private func index(campaign: String, group: String, trial: String, subject: String, product: String) throws -> Int {
    let index = recorder.sessions.firstIndex {
      $0.campaign == campaign && $0.group == group && $0.trial == trial && $0.subject == subject
        && $0.product == product
    }
    guard let index else { throw Refusal.plain(ResponseStatus.badParameter) }
    return index
  }

  private func sendSession(_ request: WireDataCollectionTrialDataRequest) throws -> Answer {
    guard request.hasSensorID, request.hasOffset else { throw Refusal.breach(.fieldMissing, "sensor_id and offset") }
    let index = try index(
      campaign: request.campaignID, group: request.sessionID, trial: request.trialID, subject: request.subjectID,
      product: request.productID)
    let file = recorder.sessions[index].file
    guard request.sensorID == 0, Int(request.offset) <= file.count else {
      throw Refusal.breach(.valueOutOfRange, "sensor \(request.sensorID), offset \(request.offset) of \(file.count)")
    }
    guard recorder.status == RecorderStatus.idle else {
      return Answer { $0.trialData.dcStatus = RecorderStatus.invalidState }
    }
    recorder.status = RecorderStatus.transferring
    return Answer(
      fill: { $0.trialData.dcStatus = RecorderStatus.transferring },
      then: { [weak self] in self?.startDownload(file, from: Int(request.offset)) })
  }

  private func eraseSession(_ request: WireDataCollectionEraseTrialDataRequest) throws -> Answer {
    let index = try index(
      campaign: request.campaignID, group: request.sessionID, trial: request.trialID, subject: request.subjectID,
      product: request.productID)
    return erase({ $0.sessions.remove(at: index) }) { response, status in
      response.eraseTrialData = .with { if let status { $0.dcStatus = status } }
    }
  }

  private func eraseAll() -> Answer {
    erase({ $0.sessions.removeAll() }) { response, status in
      response.eraseAllData = .with { if let status { $0.dcStatus = status } }
    }
  }

  private func erase(
    _ change: (inout DataRecorder) -> Void, _ report: @escaping (inout WireResponse, UInt32?) -> Void
  ) -> Answer {
    guard recorder.status == RecorderStatus.idle else {
      return Answer { report(&$0, RecorderStatus.invalidState) }
    }
    // An erase that fails changes nothing.
    if recorder.eraseReport ?? RecorderStatus.idle == RecorderStatus.idle { change(&recorder) }
    recorder.status = RecorderStatus.erasing
    let behaviour = profile.behaviour
    clock.schedule(after: behaviour.eraseTime) { [weak self] in
      guard let self, self.recorder.status == RecorderStatus.erasing else { return }
      self.recorder.status = RecorderStatus.idle
      if behaviour.eraseResponse != .end { self.reportErased() }
    }
    guard behaviour.eraseResponse == .end else {
      return Answer { report(&$0, behaviour.eraseResponse == .start ? RecorderStatus.erasing : nil) }
    }
    return Answer(
      fill: { [recorder] in report(&$0, recorder.eraseReport ?? RecorderStatus.idle) },
      then: { [weak self] in self?.reportErased() }, delay: behaviour.eraseTime)
  }

  private func reportErased() {
    guard isConnected, let report = recorder.eraseReport else { return }
    notify(9, 3) {
      $0.errorNotification.subsystem = 1
      $0.errorNotification.errorcode = report
    }
  }

  /// The end of a link ends transfers and streams; a recording continues.
  func endSessionWork() {
    stopDownload()
    firmware.current = nil
    if recorder.run?.isStreaming == true { recorder.interrupt() }
    attachment?.inference = 0
    attachment?.touch = 0
  }
}
