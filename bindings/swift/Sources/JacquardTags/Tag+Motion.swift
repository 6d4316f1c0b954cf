import CJacquard

/// Recordings and streams have been tested with software tags only.
extension Tag {
  /// Prepares the tag to record and stream, by loading the motion module. While it is loaded, motion does not wake the
  /// tag, and its battery drains quickly.
  ///
  /// - Throws: `.moduleMissing`
  public func prepareMotion(timeout: Duration? = nil) async throws(JacquardError) {
    try await motion(timeout) { jacquard_tag_prepare_motion($0, $1, { complete($0, $1) }, $2, release, $3) }
  }

  /// Unloads the motion module, so that motion wakes the tag again.
  ///
  /// - Throws: `.captureInProgress`, `.busy`
  public func releaseMotion(timeout: Duration? = nil) async throws(JacquardError) {
    try await motion(timeout) { jacquard_tag_release_motion($0, $1, { complete($0, $1) }, $2, release, $3) }
  }

  /// Starts a recording on the tag, which continues without a link, until `stopMotion()`.
  ///
  /// - Throws: `.captureInProgress`, `.lowBattery`, `.lowStorage`, `.busy`
  public func startRecording(
    _ session: Session, _ settings: MotionSettings = MotionSettings(), timeout: Duration? = nil
  ) async throws(JacquardError) {
    var settings = settings.cStruct
    try await motion(timeout) { tag, options, context, request throws(JacquardError) in
      try session.withStruct {
        jacquard_tag_start_recording(tag, $0, &settings, options, { complete($0, $1) }, context, release, request)
      }
    }
  }

  /// Stops a recording, a stream or a download that any program has started.
  public func stopMotion(timeout: Duration? = nil) async throws(JacquardError) {
    try await motion(timeout) { jacquard_tag_stop_motion($0, $1, { complete($0, $1) }, $2, release, $3) }
  }

  /// Reads the state of the motion capture.
  public func motionStatus(timeout: Duration? = nil) async throws(JacquardError) -> MotionStatus {
    var options = requestOptions(timeout)
    return try await ask(self, MotionStatus.init(_:)) {
      jacquard_tag_read_motion_status(handle.pointer, &options, { complete($0, $1, $2) }, $0, release, $1)
    }
  }

  /// Lists the recordings on the tag, oldest first.
  public func sessions(timeout: Duration? = nil) async throws(JacquardError) -> [Session] {
    var options = requestOptions(timeout)
    return try await askAll(self, { Session($0 as jacquard_session) }) {
      jacquard_tag_list_sessions(
        handle.pointer, &options, { complete(Answer(pointer: $0, count: $1), $2, $3) }, $0, release, $1)
    }
  }

  /// Erases a recording. Returns when it has been erased, which may take a minute. Nothing else erases recordings.
  public func erase(_ session: Session, timeout: Duration? = nil) async throws(JacquardError) {
    try await motion(timeout) { tag, options, context, request throws(JacquardError) in
      try session.withStruct {
        jacquard_tag_erase_session(tag, $0, options, { complete($0, $1) }, context, release, request)
      }
    }
  }

  /// Erases all recordings on the tag.
  public func eraseAllSessions(timeout: Duration? = nil) async throws(JacquardError) {
    try await motion(timeout) { jacquard_tag_erase_all_sessions($0, $1, { complete($0, $1) }, $2, release, $3) }
  }

  private func motion(
    _ timeout: Duration?,
    _ function: (
      OpaquePointer, UnsafePointer<jacquard_request_options>, UnsafeMutableRawPointer,
      UnsafeMutablePointer<OpaquePointer?>
    ) throws(JacquardError) -> Int32
  ) async throws(JacquardError) {
    var options = requestOptions(timeout)
    try await perform(self) { context, request throws(JacquardError) in
      try function(handle.pointer, &options, context, request)
    }
  }
}
