import CJacquard
import Glibc

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

/// Bytes of a session that have arrived.
public struct DownloadProgress: Sendable, Hashable {
  /// Bytes received so far, including those of earlier downloads.
  public let received: Int
  /// Size of the session in bytes.
  public let total: Int

  init(_ data: jacquard_download_data) {
    received = Int(data.received)
    total = Int(data.total)
  }
}

extension Connection {
  /// Streams motion until the sequence is released or its task cancelled, which also stops the stream on the tag. The
  /// stream continues on the next link after a lost one, and reports missing samples as a gap.
  ///
  /// - Throws: `.invalidArgument`; the sequence: the errors of `Tag.prepareMotion()` and `Tag.startRecording()`, and
  ///   the reason for the end of the connection
  public func motion(
    _ settings: MotionSettings = MotionSettings(), buffering: Buffering = .everything
  ) throws(JacquardError) -> Events<MotionEvent> {
    var settings = settings.cStruct
    return try events(buffering, MotionEvent.init, unref: { jacquard_request_unref($0) }) {
      jacquard_connection_stream_motion(
        $0, &settings, { receive($0, $1) }, { complete($0, $1) }, $1, release, $2)
    }
  }

  /// Downloads a recording into a file, after the bytes that it already has, and verifies its size and checksum.
  ///
  /// The download continues on the next link after a lost one, and also in another process. The recording stays on the
  /// tag. Cancelling the task keeps the bytes received so far in the file.
  /// - Parameters:
  ///   - session: from `Tag.sessions()`
  ///   - path: a regular file, which is created if it does not exist
  ///   - onProgress: called on the library's thread; must not wait
  /// - Throws: `.damagedSession`, `.system`, `.captureInProgress`, `.busy`, `.moduleMissing`
  public func download(
    _ session: Session, to path: String, onProgress: (@Sendable (DownloadProgress) -> Void)? = nil
  ) async throws(JacquardError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw JacquardError(.system, "Cannot open \(path): \(text(strerror(errno))).", advice: "Choose another file.")
    }
    defer { _ = close(descriptor) }
    let onData: @Sendable (UnsafeRawPointer) -> Int32 = { data in
      onProgress?(DownloadProgress(data.assumingMemoryBound(to: jacquard_download_data.self).pointee))
      return 0
    }
    try await ask(self, answer: { _ in () }, onProgress: onData) { context, request throws(JacquardError) in
      try session.withStruct { session in
        var options = sized(jacquard_download_options.self)
        options.to_descriptor = 1
        options.descriptor = descriptor
        return jacquard_connection_download_session(
          handle.pointer, session, &options, { progress($0, $1) }, { complete($0, $1, $2) }, context, release, request)
      }
    }
  }
}
