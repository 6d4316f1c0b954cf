import EventLoop

extension Connection {
  /// How many times a download is restarted after an attempt that received nothing.
  private static let fruitlessAttempts = 3

  /// Downloads the rest of a session, over as many links as it takes. Ends with an error when the connection ends, the
  /// receiver cannot keep the bytes, or the tag refuses.
  ///
  /// - Returns: the start value of the checksum with which the bytes are verified; nil if the tag listed none.
  public func download(_ session: StoredSession, to receiver: SessionReceiver) async throws(JacquardError) -> UInt16? {
    try session.checkListed()
    var (fruitless, before) = (0, 0)
    return try await overLinks { tag throws(JacquardError) in
      before = receiver.byteCount
      if before < session.byteCount { try await tag.prepareMotion() }
      try await tag.download(session, to: receiver)
      return try receiver.verify(session)
    } continues: { tag, error in
      fruitless = receiver.byteCount > before || tag.isStale ? 0 : fruitless + 1
      // The tag gives up if it does not receive acknowledgements.
      if error == .transferEnded(after: receiver.byteCount), fruitless < 2 { return true }
      return tag.isStale || error.code == .timeout && fruitless < Self.fruitlessAttempts
    }
  }
}
