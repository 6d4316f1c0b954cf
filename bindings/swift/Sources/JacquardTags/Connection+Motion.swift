import CJacquard
import Glibc

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
