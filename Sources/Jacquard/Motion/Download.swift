import EventLoop
import JacquardWire
import Motion

/// The bytes of one stored session, from the raw data channel to their receiver, during one link.
///
/// A packet is acknowledged only after the receiver has stored its payload, so the tag keeps everything that the
/// receiver could not store.
final class Download {
  private let session: StoredSession
  private let receiver: SessionReceiver
  private var progress = Completion<Void, JacquardError>()
  private(set) var isReceiving = true

  init(_ session: StoredSession, _ receiver: SessionReceiver) {
    self.session = session
    self.receiver = receiver
  }

  var isComplete: Bool { receiver.byteCount == session.byteCount }

  /// Completed by the next packet, or by an error that ends the download.
  func nextProgress() -> Completion<Void, JacquardError> {
    // The last wait may have ended without progress.
    if isReceiving, progress.isComplete { progress = Completion() }
    return progress
  }

  /// Whether the packet may be acknowledged.
  func receive(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard isReceiving else { return false }
    let left = Int(session.byteCount) - receiver.byteCount
    guard payload.count <= left else {
      return fail(JacquardError(.damagedSession, "The tag sent more than the remaining \(left) bytes of the session."))
    }
    do throws(JacquardError) { try receiver.receive(payload) } catch { return fail(error) }
    let progressed = progress
    progress = Completion()
    progressed.succeed(())
    return true
  }

  /// Packets that the tag has sent before it receives the request to stop are neither received nor acknowledged: it
  /// would not expect the acknowledgement any more.
  func cancel() { isReceiving = false }

  private func fail(_ error: JacquardError) -> Bool {
    isReceiving = false
    progress.fail(error)
    return false
  }
}

/// The destination of a session's bytes and the progress of its download, possibly over several links.
public final class SessionReceiver {
  private let keep: (UnsafeRawBufferPointer) throws(JacquardError) -> Void
  /// Bytes of the session received so far, including those of earlier downloads.
  public private(set) var byteCount = 0
  private var checksum = MotionFileChecksum()

  /// - Parameter keep: stores bytes, in order. If it throws, they stay on the tag, and the download ends with that
  ///   error.
  public init(_ keep: @escaping (UnsafeRawBufferPointer) throws(JacquardError) -> Void) { self.keep = keep }

  /// Bytes of the session's beginning, which an earlier download received.
  public func resume(after bytes: UnsafeRawBufferPointer) {
    byteCount += bytes.count
    checksum.update(bytes)
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws(JacquardError) {
    try keep(bytes)
    resume(after: bytes)
  }

  /// The start value for which the checksum matches the listed one; nil if the tag listed no checksum.
  func verify(_ session: StoredSession) throws(JacquardError) -> UInt16? {
    guard let listed = session.checksum else { return nil }
    guard let seed = checksum.seed(for: UInt32(listed)) else {
      throw JacquardError(.damagedSession, "The session's checksum differs from the one that the tag listed.")
    }
    return seed
  }
}
