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
    var fruitless = 0
    while true {
      let before = receiver.byteCount
      let tag = try await currentTag()
      do throws(JacquardError) {
        if receiver.byteCount < session.byteCount { try await tag.prepareMotion() }
        try await tag.download(session, to: receiver)
        return try receiver.verify(session)
      } catch {
        fruitless = receiver.byteCount > before || tag.isStale ? 0 : fruitless + 1
        // The tag gives up if it does not receive acknowledgements.
        if error == .transferEnded(after: receiver.byteCount), fruitless < 2 { continue }
        try resume(tag, after: error, mayRepeat: fruitless < Self.fruitlessAttempts)
      }
    }
  }

  /// The tag of the link, or of the next one. Throws when the connection has ended.
  func currentTag() async throws(JacquardError) -> Tag {
    try await states.until { [self] () throws(JacquardError) -> Tag? in
      if hasEnded { throw state.reason ?? JacquardError(.closed, JacquardError.Code.closed.text) }
      return state.tag.flatMap { $0.isStale ? nil : $0 }
    }
  }

  /// Throws the error unless the work continues with the current tag or the next one.
  func resume(_ tag: Tag, after error: JacquardError, mayRepeat: Bool) throws(JacquardError) {
    try JacquardError.checkCancellation()
    guard tag.isStale || mayRepeat && error.code == .timeout else { throw error }
  }
}
