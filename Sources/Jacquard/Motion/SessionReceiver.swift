import JacquardWire
import Motion

/// The destination of a session's bytes and the progress of its download, possibly over several links.
public final class SessionReceiver {
  private let keep: (UnsafeRawBufferPointer) throws(JacquardError) -> Void
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
