import EventLoop
import JacquardWire

extension Tag {
  /// Loads the motion module unless it is already loaded. While it is loaded, motion does not wake the tag, and its
  /// battery drains quickly.
  public func prepareMotion(deadline: Duration? = nil) async throws(JacquardError) {
    let installed = try await modules(deadline: deadline).first { $0.isMotion }
    guard let module = installed else { throw JacquardError(.moduleMissing, JacquardError.Code.moduleMissing.text) }
    if !module.isEnabled { try await load(module, deadline: deadline) }
  }

  /// Unloads the motion module, so that motion wakes the tag again. Refused while the tag uses it, perhaps for another
  /// program: a recording would be lost.
  public func releaseMotion(deadline: Duration? = nil) async throws(JacquardError) {
    // In one turn, so that nothing starts between the status and the request to unload.
    try await inTurn(deadline, reserving: .modules) { turn throws(JacquardError) in
      let installed = try await turn.send(Self.moduleList).modules.map(Module.init).first { $0.isMotion }
      guard let module = installed, module.isEnabled else { return }
      let status = try await statusWithoutEndedStream(turn)
      switch status {
      case .logging, .transferring, .erasing: throw JacquardError(status)
      default: try await turn.send(Self.unloading(module))
      }
    }
  }

  /// Starts a recording on the tag, which continues until it is stopped, even without a link.
  public func startRecording(
    _ labels: RecordingLabels, _ settings: MotionSettings, deadline: Duration? = nil
  ) async throws(JacquardError) {
    try await capture(labels, settings, .store, .recording, deadline)
  }

  /// - Parameters:
  ///   - replaces: whether it replaces a running stream, for example one of an earlier link.
  ///   - willStart: runs before the request after which the tag may stream.
  func startStream(
    _ labels: RecordingLabels, _ settings: MotionSettings, replaces: Bool, _ willStart: @escaping () -> Void
  ) async throws(JacquardError) {
    if replaces, try await motionStatus().activity == .streaming { try await stopMotion() }
    try await capture(labels, settings, .streaming, .streaming, nil, willStart)
  }

  private func capture(
    _ labels: RecordingLabels, _ settings: MotionSettings, _ mode: WireDataCollectionMode, _ note: CaptureMode,
    _ deadline: Duration?, _ willStart: @escaping () -> Void = {}
  ) async throws(JacquardError) {
    try await inTurn(deadline, reserving: .recording) { turn throws(JacquardError) in
      try labels.check()
      let before = try await statusWithoutEndedStream(turn)
      guard before == .idle else { throw JacquardError(before) }
      try await turn.send(Self.configure(settings))
      willStart()
      let after = try await turn.send(Self.start(labels, mode))
      guard after == .logging else { throw JacquardError(after) }
      try await self.note(note, turn)
    }
  }

  /// Ends a recording, a stream or a download. Does nothing if there is none.
  public func stopMotion(deadline: Duration? = nil) async throws(JacquardError) {
    try await inTurn(deadline, reserving: .recording) { turn throws(JacquardError) in try await stop(turn) }
  }

  private func stop(_ turn: CommandTurn) async throws(JacquardError) {
    link.isStopDue = false
    let status = try await turn.send(Self.stop)
    guard status == .idle else { throw JacquardError(status) }
    try await note(.none, turn)
  }

  /// Stops a stream that was cancelled or failed, unless another command has stopped it. Its error is more useful than
  /// one of this request.
  func stopEndedStream() async {
    guard !isStale else { return }
    link.isStopDue = true
    await link.loop.spawn { [self] in
      do {
        try await inTurn(nil, reserving: .recording) { turn throws(JacquardError) in
          if link.isStopDue { try await stop(turn) }
        }
      } catch {
        link.isStopDue = false
      }
    }.value
  }

  /// The status for a command that a running stream would make fail. A command that was called immediately after a
  /// stream was cancelled has its turn before the stream's request to stop, and stops the stream itself.
  func statusWithoutEndedStream(_ turn: CommandTurn) async throws(JacquardError) -> CollectionStatus {
    let status = try await turn.send(Self.collectionStatus)
    guard status == .logging, link.isStopDue else { return status }
    try await stop(turn)
    return .idle
  }

  /// Reads the state of the motion capture, and whether a running capture is a recording or a stream.
  public func motionStatus(deadline: Duration? = nil) async throws(JacquardError) -> MotionStatus {
    try await inTurn(deadline) { turn throws(JacquardError) in
      let status = try await turn.send(Self.collectionStatus)
      guard status == .logging, let key = CaptureMode.key else { return MotionStatus(status, mode: nil) }
      return MotionStatus(status, mode: CaptureMode(ConfigurationValue(try await turn.send(Self.get(key)))))
    }
  }

  /// The capture itself has succeeded, so a tag that refuses the note is not an error.
  private func note(_ mode: CaptureMode, _ turn: CommandTurn) async throws(JacquardError) {
    guard let key = CaptureMode.key else { return }
    do throws(JacquardError) {
      try await turn.send(Self.set(.int32(mode.rawValue), at: key))
    } catch {
      guard error.code == .tagStatus else { throw error }
    }
  }

  static let collectionStatus = TagCommand<CollectionStatus>(.collectionStatus, isRepeatable: true) {
    $0.status = WireDataCollectionStatusRequest()
  } answer: {
    // A tag that omits it is idle.
    CollectionStatus(rawValue: $0.dcStatusResponse.dcStatus)
  }

  static let stop = TagCommand<CollectionStatus>(.collectionStop) {
    $0.stop.isError = false
  } answer: {
    $0.hasStop ? CollectionStatus(rawValue: $0.stop.dcStatus) : nil
  }

  private static func start(_ labels: RecordingLabels, _ mode: WireDataCollectionMode) -> TagCommand<CollectionStatus> {
    TagCommand(.collectionStart) {
      $0.start.metadata = labels.metadata(mode: mode)
    } answer: {
      $0.hasStart ? CollectionStatus(rawValue: $0.start.dcStatus) : nil
    }
  }

  private static func configure(_ settings: MotionSettings) -> TagCommand<Void> {
    TagCommand(.configWrite) {
      $0.configWrite.imuConfig = settings.wire
    } answer: { _ in
    }
  }
}

extension Module {
  var isMotion: Bool {
    vendorID == IMUModule.vendor.rawValue && productID == IMUModule.product.rawValue
      && moduleID == IMUModule.module.rawValue
  }
}
